//! Upper limits of speed: parsers that do one part of the work and nothing else.

use std::hint::black_box;

use super::{Answer, COPY, Competitor, Pass, line_by_line};
use benches::corpora::Counts;

pub(super) fn competitors() -> Vec<Competitor> {
    let limit = |name, about, pass| Competitor { name, about, answer: Answer::Limit, pass };
    vec![
        limit(
            "memchr split only",
            "finds the newlines, and looks at nothing",
            Box::new(|wire: &[u8]| {
                line_by_line(wire, |line| {
                    black_box(line);
                    None
                })
            }),
        ),
        limit(
            "simdutf8 of each line",
            "finds the newlines and checks UTF-8",
            Box::new(|wire: &[u8]| {
                line_by_line(wire, |line| {
                    black_box(simdutf8::basic::from_utf8(line).is_ok());
                    None
                })
            }),
        ),
        limit(COPY, "copies and looks at nothing", memcpy()),
    ]
}

fn memcpy() -> Pass {
    let mut room = vec![0; 16 * 1024];
    Box::new(move |wire| {
        for chunk in wire.chunks(room.len()) {
            let Some(place) = room.get_mut(..chunk.len()) else { continue };
            place.copy_from_slice(chunk);
            black_box(&room);
        }
        Counts::default()
    })
}
