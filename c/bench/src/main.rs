//! Measures the C library beside the Rust crate, and beside parsers in C, on the wires of the other benchmarks.
//!
//! All passes run in one process, in turns, in another order in every round. The passes in C come from shared libraries,
//! whose paths are the arguments. A pass is one call through a pointer, which costs nothing beside the work of a pass.
//!
//! The environment may set `WIRE`, the name of the only wire to read, and `ROUNDS`, which are measured. One more warms up.

use std::env;
use std::ffi::{CString, c_char, c_void};
use std::hint::black_box;
use std::mem;

use benches::corpora::{self, Counts, Kind, Scale};
use tautline::frame::{Assembler, Splitter};
use tautline::stream::{MessageStream, Received};
use tautline::{Message, Outcome, Profile};

/// The longest message that spans chunks.
const ROOM: usize = 8 << 20;
const CHUNKS: [(&str, usize); 3] =
    [("one piece", usize::MAX), ("64 KiB", 64 << 10), ("4 KiB", 4 << 10)];

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct CountsOfC([u64; 5]);

type Pass = unsafe extern "C" fn(*const c_char, usize, usize, *mut c_char, usize) -> CountsOfC;

enum Reader {
    Rust,
    C(Pass),
}

impl Reader {
    fn read(&self, wire: &[u8], chunk: usize, room: &mut [u8]) -> CountsOfC {
        match self {
            Self::Rust => rust(wire, chunk, room),
            // SAFETY: the pass reads the wire and writes to the room, both of the given length.
            Self::C(pass) => unsafe {
                pass(wire.as_ptr().cast(), wire.len(), chunk, room.as_mut_ptr().cast(), room.len())
            },
        }
    }
}

/// Opens a shared library, and returns its pass.
fn open(path: &str) -> Reader {
    let path = CString::new(path).expect("a path has no NUL");
    // SAFETY: both texts end with a NUL. The function has the signature of its header, and is never unloaded.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!library.is_null(), "{path:?} is no library");
        let pass = libc::dlsym(library, c"pass".as_ptr());
        assert!(!pass.is_null(), "{path:?} has no pass");
        Reader::C(mem::transmute::<*mut c_void, Pass>(pass))
    }
}

/// The Rust crate with its default features, and with what the C library uses: a room of the caller, and no skimmer.
#[inline(never)]
fn rust(wire: &[u8], chunk: usize, room: &mut [u8]) -> CountsOfC {
    let mut counts = Counts::default();
    let assembler = Assembler::with_framing(room, Splitter::new(u32::MAX));
    let mut stream = MessageStream::<_, _, ()>::without_skimmer(assembler, &Profile::JSON_RPC);
    for mut input in wire.chunks(chunk.min(wire.len())) {
        while let Some(received) = stream.next(&mut input) {
            counts.add(judge(&received));
        }
    }
    while let Some(received) = stream.finish() {
        counts.add(judge(&received));
    }
    CountsOfC([
        counts.requests,
        counts.notifications,
        counts.results,
        counts.errors,
        counts.refused,
    ])
}

fn judge(received: &Received<'_>) -> Option<Kind> {
    let Received::Message { message, .. } = black_box(received) else { return None };
    match message {
        Message::Request(_) => Some(Kind::Request),
        Message::Notification(_) => Some(Kind::Notification),
        Message::Response(response) => Some(match response.outcome() {
            Outcome::Result(_) => Kind::Result,
            Outcome::Error(_) => Kind::Error,
        }),
        Message::Batch(_) => None,
    }
}

/// The time that this thread has had on a processor: what other programs take is not in it.
fn seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the function writes to the time.
    let error = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(error, 0, "Linux has this clock");
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let mut readers = vec![("Rust".to_owned(), Reader::Rust)];
    readers.extend(env::args().skip(1).map(|argument| {
        let (name, path) = argument.split_once('=').expect("NAME=PATH");
        (name.to_owned(), open(path))
    }));
    let mut room = vec![0; ROOM];
    let names: Vec<String> = readers.iter().map(|(name, _)| name.clone()).collect();
    println!("| wire | read in | {} | C by Rust | of the shortest |", names.join(" | "));
    println!("|---|---|{}--:|--:|", "--:|".repeat(names.len()));
    let wire = env::var("WIRE").ok();
    let rounds =
        env::var("ROUNDS").map_or(15, |rounds| rounds.parse().expect("a number of rounds"));
    for corpus in corpora::corpora(Scale::Full) {
        if wire.as_ref().is_some_and(|wire| *wire != corpus.name) {
            continue;
        }
        let messages = corpus.counts.accepted() as f64;
        for (about, chunk) in CHUNKS {
            // Parsers of one value get whole lines in any case, so they are measured once.
            let count = if chunk == usize::MAX { readers.len() } else { 2 };
            let readers = &readers[..count];
            let mut times = vec![Vec::new(); readers.len()];
            for round in 0..=rounds {
                for turn in 0..readers.len() {
                    let at = (turn + round) % readers.len();
                    let started = seconds();
                    let counts = readers[at].1.read(black_box(&corpus.wire), chunk, &mut room);
                    let seconds = seconds() - started;
                    let Counts { requests, notifications, results, errors, refused } =
                        corpus.counts;
                    let expected = CountsOfC([requests, notifications, results, errors, refused]);
                    assert_eq!(black_box(counts), expected, "{} on {}", readers[at].0, corpus.name);
                    if round > 0 {
                        times[at].push(seconds);
                    }
                }
            }
            // Of the two in the same round, so that a slow moment of the machine is in both.
            let mut ratios: Vec<f64> =
                times[1].iter().zip(&times[0]).map(|(c, rust)| c / rust).collect();
            let cells =
                times.iter_mut().map(|times| format!("{:.0}", median(times) * 1e9 / messages));
            let mut cells: Vec<String> = cells.collect();
            cells.resize(names.len(), String::new());
            // The median has sorted them. On a busy machine, the shortest rounds are the least disturbed.
            let shortest = times[1][0] / times[0][0];
            println!(
                "| {} | {about} | {} | {:.2} | {shortest:.2} |",
                corpus.name,
                cells.join(" | "),
                median(&mut ratios)
            );
        }
    }
}
