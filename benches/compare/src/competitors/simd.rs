//! Parsers built on vector instructions.

use std::borrow::Cow;

use serde::Deserialize;
use simd_json::prelude::*;
use simd_json::{Buffers, Tape};
use sonic_rs::LazyValue;

use super::{Answer, Competitor, Pass, hand_over, kind, line_by_line};
use benches::corpora::{Counts, Kind};

pub(super) fn competitors() -> Vec<Competitor> {
    vec![
        Competitor {
            name: "sonic-rs LazyValue envelope",
            about: "the same envelope with its own raw values, checked; no detection of the CPU at \
                    run time, so this is what the build's target has",
            answer: Answer::Messages,
            pass: Box::new(sonic),
        },
        Competitor {
            name: "simd-json tape",
            about: "decodes in place, so each line is first copied to where it may be written to; \
                    makes a tape of every value",
            answer: Answer::Messages,
            pass: simd_json(),
        },
    ]
}

fn sonic(wire: &[u8]) -> Counts {
    #[derive(Deserialize)]
    struct Text<'buf>(#[serde(borrow)] Cow<'buf, str>);

    #[derive(Deserialize)]
    struct Envelope<'buf> {
        #[serde(borrow)]
        jsonrpc: Cow<'buf, str>,
        #[serde(borrow)]
        id: Option<LazyValue<'buf>>,
        #[serde(borrow)]
        method: Option<Text<'buf>>,
        #[serde(borrow)]
        params: Option<LazyValue<'buf>>,
        #[serde(borrow)]
        result: Option<LazyValue<'buf>>,
        #[serde(borrow)]
        error: Option<LazyValue<'buf>>,
    }

    line_by_line(wire, |line| {
        let envelope: Envelope<'_> = sonic_rs::from_slice(line).ok()?;
        if envelope.jsonrpc != "2.0" {
            return None;
        }
        let kind = kind(
            envelope.method.as_ref().is_some_and(|method| !method.0.is_empty()),
            envelope.id.is_some(),
            envelope.result.is_some(),
            envelope.error.is_some(),
        );
        hand_over((envelope.id, envelope.method.map(|method| method.0), envelope.params));
        hand_over((envelope.result, envelope.error));
        kind
    })
}

fn simd_json() -> Pass {
    let mut scratch = Vec::new();
    let mut buffers = Buffers::default();
    Box::new(move |wire| {
        line_by_line(wire, |line| {
            scratch.clear();
            scratch.extend_from_slice(line);
            let mut tape = Tape::null();
            simd_json::fill_tape(&mut scratch, &mut buffers, &mut tape).ok()?;
            let kind = tape_kind(&tape);
            hand_over(tape);
            kind
        })
    })
}

fn tape_kind(tape: &Tape<'_>) -> Option<Kind> {
    let (mut version, mut method, mut id, mut result, mut error) =
        (false, false, false, false, false);
    for (name, value) in &tape.as_value().as_object()? {
        match name {
            "jsonrpc" => version = value.as_str() == Some("2.0"),
            "method" => method = value.is_str(),
            "id" => id = true,
            "result" => result = true,
            "error" => error = true,
            _ => {}
        }
    }
    if version { kind(method, id, result, error) } else { None }
}
