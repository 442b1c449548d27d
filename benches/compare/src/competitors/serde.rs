//! serde, with the parsers made for it.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Answer, BASELINE, Competitor, hand_over, kind, line_by_line};
use benches::baseline::{self, Envelope};
use benches::corpora::{Counts, Kind};

pub(super) fn competitors() -> Vec<Competitor> {
    vec![
        Competitor {
            name: BASELINE,
            about: "borrows everything, in the fastest of its forms: UTF-8 first, then `from_str`",
            answer: Answer::Messages,
            pass: Box::new(raw_value),
        },
        Competitor {
            name: "serde_json RawValue, from_slice",
            about: "the same in the form that is usual; skips members that it does not know",
            answer: Answer::Messages,
            pass: Box::new(raw_value_from_slice),
        },
        Competitor {
            name: "serde_json Value",
            about: "builds a tree, every number and string in it decoded",
            answer: Answer::Messages,
            pass: Box::new(value),
        },
        Competitor {
            name: "serde-json-core",
            about: "no_std; knows no raw values, so payload is skipped and lost, and no id but numbers: \
                    it refuses messages with another id where it meets it, and is fast with those",
            answer: Answer::SomeMessages,
            pass: Box::new(core),
        },
    ]
}

fn raw_value(wire: &[u8]) -> Counts {
    line_by_line(wire, |line| {
        let (kind, envelope) = baseline::parse(line)?;
        hand_over(envelope);
        Some(kind)
    })
}

fn raw_value_from_slice(wire: &[u8]) -> Counts {
    line_by_line(wire, |line| {
        let envelope: Envelope<'_> = serde_json::from_slice(line).ok()?;
        let kind = envelope.kind();
        hand_over(envelope);
        kind
    })
}

fn value(wire: &[u8]) -> Counts {
    line_by_line(wire, |line| {
        let message: Value = serde_json::from_slice(line).ok()?;
        if message.get("jsonrpc")? != "2.0" {
            return None;
        }
        let has = |name| message.get(name).is_some();
        let kind = kind(
            message.get("method").is_some_and(Value::is_string),
            has("id"),
            has("result"),
            has("error"),
        );
        hand_over(message);
        kind
    })
}

fn core(wire: &[u8]) -> Counts {
    #[derive(Deserialize)]
    struct Envelope<'buf> {
        jsonrpc: &'buf str,
        id: Option<u64>,
        method: Option<&'buf str>,
        params: Option<IgnoredAny>,
        result: Option<IgnoredAny>,
        error: Option<IgnoredAny>,
    }

    fn judge(line: &[u8]) -> Option<Kind> {
        let (envelope, consumed) = serde_json_core::from_slice::<Envelope<'_>>(line).ok()?;
        if envelope.jsonrpc != "2.0" || !line.get(consumed..)?.trim_ascii().is_empty() {
            return None;
        }
        let kind = kind(
            envelope.method.is_some(),
            envelope.id.is_some(),
            envelope.result.is_some(),
            envelope.error.is_some(),
        );
        hand_over((envelope.id, envelope.method, envelope.params));
        kind
    }

    line_by_line(wire, judge)
}
