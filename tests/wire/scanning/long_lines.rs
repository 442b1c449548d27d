//! Long lines with one fault at each place, and what lies after them in the buffer.

use crate::support::presets::Revision;
use tautline::frame::DEFAULT_LIMIT;
use tautline::stream::{Messages, Received};

/// Scanners may scan long lines in stretches. A fault must be found at any place, wherever a stretch ends.
#[test]
fn a_fault_at_any_place_of_a_long_line_is_found() {
    let faults: [&[u8]; 8] =
        [b"\xC3", b"\xE2\x82", b"\xF0\x9F\x9A", b"\x80", b"\\x", b"\\u00e", b"\x1F", b"\r"];
    // There must be more after the line than a scanner looks at in one step.
    let healthy =
        format!(r#"{{"jsonrpc":"2.0","method":"m","params":{{"a":["{}"]}}}}"#, "x".repeat(300));
    for (end, length) in [("\n", 700), ("\r\n", 700), ("\n", 1800)] {
        for at in 0..length {
            for fault in faults {
                let mut wire =
                    b"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":[0".to_vec();
                wire.extend(b",true".repeat(at / 5));
                wire.extend(b" ".repeat(at % 5));
                wire.extend(b",\"");
                wire.extend(fault);
                wire.extend(b"\"]}}");
                wire.extend(end.as_bytes());
                wire.extend(healthy.as_bytes());
                wire.extend(b"\n");
                let mut messages =
                    Messages::new(&wire, DEFAULT_LIMIT, &Revision::V2025_11_25.profile());
                let first = messages.next();
                assert!(
                    matches!(first, Some(Received::Fault { .. })),
                    "{at} {} {first:?}",
                    fault.escape_ascii()
                );
                let second = messages.next();
                assert!(matches!(second, Some(Received::Message { .. })), "{at} {second:?}");
            }
        }
    }
}
