//! Encrypted connections, by rustls with the certificates that the system trusts.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::stream::Stream;
use crate::probe::interrupt::{self, Cut};

/// The time between two looks at a handshake that waits for the server.
const PAUSE: Duration = Duration::from_millis(1);

static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();

/// Performs the handshake, and returns the stream, which does not block.
pub fn stream(socket: TcpStream, name: &str, timeout: Duration) -> io::Result<Box<dyn Stream>> {
    let config = match CONFIG.get() {
        Some(config) => Arc::clone(config),
        None => {
            let config = config()?;
            Arc::clone(CONFIG.get_or_init(|| config))
        }
    };
    let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
    let connection = ClientConnection::new(config, name).map_err(io::Error::other)?;
    socket.set_nonblocking(true)?;
    let mut stream = StreamOwned::new(connection, socket);
    shake_hands(&mut stream, Instant::now() + timeout)?;
    Ok(Box::new(Encrypted(stream)))
}

/// Performs the handshake within a time limit, which holds for all of it.
fn shake_hands(
    stream: &mut StreamOwned<ClientConnection, TcpStream>,
    until: Instant,
) -> io::Result<()> {
    while stream.conn.is_handshaking() {
        interrupt::check(Some(until)).map_err(|cut| match cut {
            Cut::TimeLimit => {
                io::Error::new(ErrorKind::TimedOut, "the TLS handshake takes too long")
            }
            Cut::Interrupted => io::Error::other(cut.words()),
        })?;
        match stream.conn.complete_io(&mut stream.sock) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PAUSE),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn config() -> io::Result<Arc<ClientConfig>> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        let why = found.errors.first().map_or_else(String::new, |error| format!(": {error}"));
        return Err(io::Error::other(format!("the system has no certificates to trust{why}")));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

struct Encrypted(StreamOwned<ClientConnection, TcpStream>);

impl Read for Encrypted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Encrypted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Stream for Encrypted {
    fn end(&mut self) -> io::Result<()> {
        self.0.conn.send_close_notify();
        self.0.flush()?;
        self.0.sock.shutdown(Shutdown::Write)
    }
}
