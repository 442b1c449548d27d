//! Nesting: the limit on it, and which parts of a text beyond it are still trusted.

use tautline::scan::{self, DEFAULT_MAX_DEPTH, Syntax};
use tautline::{Envelope, Message, Profile, Rule};

use crate::support::checks::scan_vs_serde_json::check;

#[test]
fn takes_as_many_levels_as_the_limit_says() {
    for (open, close, brackets) in [
        ("[", "]", &[0][..]),
        ("{\"a\":", "}", &[0]),
        ("[{\"a\":", "}]", &[0, 1]),
        (" [ \"[\" , ", " , {} , 1 ] ", &[1]),
    ] {
        for times in 0..=129 {
            // The last of these patterns has one level more, beside the nested one.
            let levels = times * brackets.len() + usize::from(close.contains("{}") && times > 0);
            let text = nested(times, open, "0", close);
            for limit in [0, 1, 2, 31, 32, 33, 63, 64, 65, 126, 127, 128, 129, 254, 255] {
                let limit_levels = usize::from(limit);
                let expected = if levels <= limit_levels {
                    Ok(())
                } else {
                    let (time, bracket) =
                        (limit_levels / brackets.len(), limit_levels % brackets.len());
                    Err(if time < times {
                        time * open.len() + brackets[bracket]
                    } else {
                        times * open.len() + "0 , ".len()
                    })
                };
                let found = scan::validate(&text, limit).map_err(|error| {
                    assert_eq!(error.kind(), Syntax::TooDeep);
                    usize::try_from(error.offset()).unwrap()
                });
                assert_eq!(found, expected, "{levels} levels of {open}, limit {limit}");
            }
        }
    }
}

#[test]
fn depth_at_the_default_limit_and_far_beyond() {
    assert_eq!(DEFAULT_MAX_DEPTH, 127);
    for levels in [1, 126, 127, 128, 129, 1000, 100_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let inside = if open == "[" { "" } else { "0" };
            let text = nested(levels, open, inside, close);
            assert_eq!(scan::validate(&text, 127).is_ok(), levels <= 127);
            check(&text);
            // Without the closing brackets, a text within the limit ends too early; beyond it, it is too deep.
            let cut = &text[..levels * open.len()];
            let error = scan::validate(cut, 127).unwrap_err();
            assert_eq!(error.kind() == Syntax::TooDeep, levels > 127);
            check(cut);
        }
    }
}

fn nested(levels: usize, open: &str, inside: &str, close: &str) -> Vec<u8> {
    (open.repeat(levels) + inside + &close.repeat(levels)).into()
}

/// The facts kept about a frame that is too deep, which decide the reply. Here, at most two containers may be nested.
#[test]
fn behind_a_depth_fault_presence_counts_and_ids_do_not() {
    const ECHO: Option<&str> = Some("1");
    const NULL: Option<&str> = Some("null");
    const SILENCE: Option<&str> = None;
    let profile = Profile::JSON_RPC.with_max_depth(2);
    let table: &[(&str, Option<&str>)] = &[
        // An id before it is echoed, one after it is not.
        (r#"{"id":1,"method":"m","params":[[]]}"#, ECHO),
        (r#"{"method":"m","id":1,"params":[[]]}"#, ECHO),
        (r#"{"method":"m","params":[[]],"id":1}"#, NULL),
        (r#"{"params":[[]],"id":1,"method":"m"}"#, NULL),
        (r#"{"id":1,"params":[[]],"method":"m"}"#, ECHO),
        (r#"{"id":1,"params":[[]]}"#, ECHO),
        (r#"{"params":[[]]}"#, NULL),
        (r#"{"params":[[]],"id":1}"#, NULL),
        // The id itself is too deep, or not one that can be echoed.
        (r#"{"id":[[]],"method":"m"}"#, NULL),
        (r#"{"id":{"a":[]},"method":"m"}"#, NULL),
        (r#"{"id":true,"method":"m","params":[[]]}"#, NULL),
        (r#"{"id":"\ud800","method":"m","params":[[]]}"#, NULL),
        // A duplicate id is not echoed, wherever the other one is.
        (r#"{"id":1,"id":1,"method":"m","params":[[]]}"#, NULL),
        (r#"{"id":1,"method":"m","params":[[]],"id":1}"#, NULL),
        (r#"{"method":"m","params":[[]],"id":1,"id":1}"#, NULL),
        // A possible notification gets silence, with the method before or after it.
        (r#"{"method":"m","params":[[]]}"#, SILENCE),
        (r#"{"params":[[]],"method":"m"}"#, SILENCE),
        (r#"{"params":[[]],"method":1}"#, NULL),
        (r#"{"method":null,"params":[[]]}"#, NULL),
        // A possible response gets silence, whatever else it has.
        (r#"{"id":1,"result":[[]]}"#, SILENCE),
        (r#"{"result":[[]],"id":1}"#, SILENCE),
        (r#"{"id":1,"error":{"code":0,"message":"","data":[]}}"#, SILENCE),
        (r#"{"error":{"data":[]},"id":1}"#, SILENCE),
        (r#"{"id":1,"method":"m","params":[[]],"result":1}"#, SILENCE),
        (r#"{"id":1,"method":"m","params":[[]],"error":1}"#, SILENCE),
        (r#"{"id":1,"method":"m","params":[[]],"\u0065rror":1}"#, SILENCE),
        (r#"{"id":1,"method":"m","params":[[]],"error2":1}"#, ECHO),
        // Only the members of the message itself count, and not the contents of strings.
        (r#"{"id":1,"params":[["result"]]}"#, ECHO),
        (r#"{"id":1,"params":[[{"result":1}]]}"#, ECHO),
        (r#"{"id":1,"params":[["]],\"result\":1"]]}"#, ECHO),
        (r#"{"id":1,"params":[["\\"]],"result":1}"#, SILENCE),
        (r#"{"id":1,"params":[["["]],"result":1}"#, SILENCE),
        (r#"{"id":1,"params":[["]"]],"result":1}"#, SILENCE),
        (r#"{"id":1,"params":[["\"["]],"result":1}"#, SILENCE),
        (r#"{"id":1,"params":[[{"}":0}]],"result":1}"#, SILENCE),
        (r#"{"params":[["{"]],"method":"m"}"#, SILENCE),
        (r#"{"id":1,"params":{"a":{"b":{}},"c":{"result":1}}}"#, ECHO),
        (r#"{"id":1,"params":{"a":{"b":{}},"result":1}}"#, ECHO),
        // A second part that is too deep changes nothing.
        (r#"{"id":1,"a":[[]],"b":[[]],"method":"m"}"#, ECHO),
        (r#"{"a":[[]],"id":1,"b":[[]],"method":"m"}"#, NULL),
        // No members are looked for in the elements of an array.
        (r#"[[[]]]"#, NULL),
        (r#"[{"id":1,"method":"m","params":[]}]"#, NULL),
        (r#"[{"method":"m","params":[]}]"#, NULL),
        // The depth fault comes first, so it decides, whatever comes after it.
        (r#"{"id":1,"method":"m","params":[["#, ECHO),
        (r#"{"id":1,"method":"m","params":[[}"#, ECHO),
        (r#"{"id":1,"method":"m","params":[[]] nonsense"#, ECHO),
        (r#"{"id":1,"method":"m","params":[[]]} nonsense"#, ECHO),
        (r#"{"method":"m","params":[["unterminated"#, SILENCE),
    ];
    for &(frame, id) in table {
        let fault = Message::parse(frame.as_bytes(), &profile).expect_err(frame);
        assert_eq!(fault.rule(), Rule::TOO_DEEP, "{frame}");
        let offset = usize::try_from(fault.offset()).unwrap();
        let depth = |text: &str| {
            let count = |c| text.matches(c).count();
            count('[') + count('{') - count(']') - count('}')
        };
        assert_eq!(depth(&frame[..offset]), 2, "{frame}");
        assert_eq!(depth(&frame[..=offset]), 3, "{frame}");

        let reply = fault.reply();
        assert!(reply.is_none_or(|reply| reply.code().value() == -32600));
        let found = reply.and_then(|reply| reply.raw_id().map(|id| id.as_bytes()));
        assert_eq!(found, id.map(str::as_bytes), "{frame}");

        let mut findings = Vec::new();
        let envelope = Envelope::read(frame.as_bytes(), &profile);
        envelope.findings(|found| findings.push(found.rule()));
        assert_eq!(findings, [Rule::TOO_DEEP], "{frame}");
    }
}
