//! The server of the board on a host, over standard input and output. Use it to try out a change to the protocol or
//! the tools without a board.
//!
//! ```sh
//! cargo run --manifest-path embedded-example/Cargo.toml --no-default-features --features server --example hosted
//! ```

use std::io::{Read, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use tautline::stream::MessageStream;
use tautline_embedded_example::host::{Host, World};
use tautline_embedded_example::server::{LONGEST_FRAME, LONGEST_REPLY, PROFILE, Server};
use tautline_embedded_example::tools::Log;

/// Real time, with the log on stderr.
struct Started(Instant);

impl World for Started {
    fn milliseconds(&self) -> u32 {
        u32::try_from(self.0.elapsed().as_millis() & 0xFFFF_FFFF).unwrap_or_default()
    }

    fn log(&mut self, line: Log<'_>) {
        eprintln!("{line:?}");
    }
}

fn main() -> std::io::Result<()> {
    let (sender, receiver) = mpsc::channel();
    // A blocking read can't be cancelled, and the server has work to do while nothing arrives.
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(read @ 1..) = std::io::stdin().read(&mut chunk) {
            if sender.send(chunk[..read].to_vec()).is_err() {
                return;
            }
        }
    });
    let host = Host::new(Started(Instant::now()));
    let (mut server, mut room) = (Server::new(host), [0; LONGEST_REPLY]);
    let mut stream = MessageStream::new([0; LONGEST_FRAME], &PROFILE);
    let mut output = std::io::stdout();
    loop {
        match receiver.recv_timeout(Duration::from_millis(10)) {
            Ok(chunk) => {
                let mut rest = &chunk[..];
                while let Some(received) = stream.next(&mut rest) {
                    output.write_all(server.receive(&received, &mut room))?;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                // The last line may have no newline.
                if let Some(received) = stream.finish() {
                    output.write_all(server.receive(&received, &mut room))?;
                }
                return output.flush();
            }
        }
        output.write_all(server.tick(&mut room))?;
        output.flush()?;
    }
}
