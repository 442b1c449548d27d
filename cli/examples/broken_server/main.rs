//! A small MCP server for all revisions. It is correct, or has the one defect given on the command line.
//!
//! ```sh
//! cargo run -p tautline-cli --example broken_server                                   # is right
//! cargo run -p tautline-cli --example broken_server -- --defect last-duplicate-wins
//! cargo run -p tautline-cli --example broken_server -- --list
//! ```
//!
//! The corpus in `conformance` is tested against it: the server without a defect is right in every case, and each
//! defect is found by a case. A defect changes what one stage of the server passes to the next, at the stage where real
//! servers have it. No defect looks for the bytes of a case.

mod batches;
mod calls;
mod defect;
mod defects;
mod ids;
mod lifecycle;
mod lines;
mod members;
mod names;
mod reads;
mod replies;
mod server;
mod text;

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, process, thread};

use tautline::frame::HeapBuffer;
use tautline::stream::{MessageStream, Received};

use defect::{Act, Defect, Memory, Stage};
use server::Server;

/// The limit on messages, in bytes.
const LONGEST_MESSAGE: u32 = 16 << 20;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let defect = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--list"] => {
            defects::all().for_each(|defect| println!("{}", defect.name));
            return ExitCode::SUCCESS;
        }
        ["--defect", name] => match defects::named(name) {
            Some(defect) => Some(defect),
            None => return usage(&format!("there is no defect {name}")),
        },
        _ => return usage("unexpected arguments"),
    };
    let mut run =
        Run { defect, memory: Memory::default(), server: Server::default(), out: Vec::new() };
    match run.serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot go on: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage(why: &str) -> ExitCode {
    eprintln!("{why}\nusage: broken_server [--defect NAME | --list]");
    ExitCode::from(2)
}

/// A running server, with its defect.
struct Run {
    defect: Option<&'static Defect>,
    memory: Memory,
    server: Server,
    /// The answers to the messages of one read.
    out: Vec<Vec<u8>>,
}

impl Run {
    fn serve(&mut self) -> io::Result<()> {
        let mut stream =
            MessageStream::new(HeapBuffer::new(LONGEST_MESSAGE), &self.server.profile());
        let mut input = io::stdin().lock();
        let mut room = vec![0; 1 << 16];
        loop {
            let length = input.read(&mut room)?;
            if length == 0 {
                break;
            }
            self.memory.answers = 0;
            let chunk = self.pass(Stage::Read, &room[..length]).unwrap_or_default();
            self.take(&mut stream, &chunk);
            self.write()?;
        }
        let rest = self.memory.line.clone();
        self.pass(Stage::End, &rest);
        if let Some(received) = stream.finish() {
            self.receive(&received);
        }
        self.write()
    }

    fn take(&mut self, stream: &mut MessageStream, mut chunk: &[u8]) {
        while !chunk.is_empty() {
            self.memory.note_line(chunk);
            // One line at a time, because an answer can change the profile for the next.
            let end = chunk.iter().position(|&byte| byte == b'\n').map_or(chunk.len(), |at| at + 1);
            let (mut line, rest) = chunk.split_at(end);
            while let Some(received) = stream.next(&mut line) {
                self.receive(&received);
            }
            stream.set_profile(&self.server.profile());
            chunk = rest;
        }
    }

    fn receive(&mut self, received: &Received<'_>) {
        let line = match received {
            Received::Message { frame, .. } | Received::Fault { frame, .. } => frame.bytes(),
            _ => b"",
        };
        self.memory.profile = self.server.profile();
        self.memory.note_method(line);
        let stage = self.defect.map(|defect| defect.stage);
        if line.is_empty() || !matches!(stage, Some(Stage::Line | Stage::Message)) {
            let reply = self.server.receive(received);
            return self.answer(reply);
        }
        match stage {
            Some(Stage::Line) => {
                if let Some(line) = self.pass(Stage::Line, line) {
                    for line in line.split(|&byte| byte == b'\n') {
                        let reply = self.server.line(line);
                        self.answer(reply);
                    }
                }
            }
            _ if self.server.takes_batches() && batches::is_batch(line) => {
                self.array(batches::elements(line), Vec::new());
            }
            _ => {
                if let Some(message) = self.pass(Stage::Message, line) {
                    let reply = self.server.line(&message);
                    self.answer(reply);
                }
            }
        }
    }

    /// Answers the elements of a batch one by one. If none has an answer, `if_empty` is written instead.
    fn array(&mut self, elements: Vec<Vec<u8>>, if_empty: Vec<u8>) {
        let mut answers = Vec::new();
        for element in elements {
            let before = self.out.len();
            if let Some(message) = self.pass(Stage::Message, &element) {
                let reply = self.server.line(&message);
                self.answer(reply);
            }
            answers.extend(self.out.drain(before..));
        }
        if answers.is_empty() {
            return self.answer(if_empty);
        }
        answers.iter_mut().for_each(|answer| answer.truncate(answer.trim_ascii_end().len()));
        self.out.push([b"[", &answers.join(&b","[..])[..], b"]\n"].concat());
    }

    fn answer(&mut self, reply: Vec<u8>) {
        if reply.is_empty() {
            return;
        }
        let reply = if batches::is_batch(&reply) && self.is_broken_at(Stage::Answer) {
            let elements = batches::elements(&reply).into_iter();
            let answers: Vec<_> =
                elements.filter_map(|one| self.pass(Stage::Answer, &one)).collect();
            [b"[", &answers.join(&b","[..])[..], b"]\n"].concat()
        } else {
            self.pass(Stage::Answer, &reply).unwrap_or_default()
        };
        if !reply.is_empty() {
            self.out.push([reply.trim_ascii_end(), b"\n"].concat());
        }
    }

    fn is_broken_at(&self, stage: Stage) -> bool {
        self.defect.is_some_and(|defect| defect.stage == stage)
    }

    /// Returns the bytes that are passed to the next stage.
    fn pass(&mut self, stage: Stage, bytes: &[u8]) -> Option<Vec<u8>> {
        let act = match self.defect {
            Some(defect) if defect.stage == stage => (defect.does)(bytes, &mut self.memory),
            _ => return Some(bytes.to_vec()),
        };
        match act {
            Act::Go(bytes) => return Some(bytes),
            Act::Lose => {}
            Act::Say(answer) => self.out.push([answer.as_bytes(), b"\n"].concat()),
            Act::Array { elements, if_empty } => self.array(elements, if_empty),
            Act::Die => {
                let _ = self.write();
                process::exit(1);
            }
            Act::Abort => process::abort(),
            Act::Hang => {
                let _ = self.write();
                loop {
                    thread::sleep(Duration::from_secs(1));
                }
            }
        }
        None
    }

    fn write(&mut self) -> io::Result<()> {
        let mut output = io::stdout().lock();
        for answer in self.out.drain(..).filter(|answer| !self.memory.has_cancelled(answer)) {
            output.write_all(&answer)?;
        }
        output.flush()
    }
}
