//! Strict profiles: anything that another peer could read differently is a fault.

#[cfg(feature = "alloc")]
use tautline::RawJson;
use tautline::frame::Frame;
use tautline::{ErrorCode, Finding, Message, Profile, Rule, Severity};

#[cfg(feature = "alloc")]
use crate::support::dice::Dice;
use crate::support::presets::{GUARDED_NAMES, IN_META, PARAMS, Revision};
#[cfg(feature = "alloc")]
use crate::support::volume::volume;

fn presets() -> impl Iterator<Item = Profile> {
    let revisions = Revision::ALL.iter().map(|revision| revision.profile());
    [Profile::JSON_RPC, Profile::LSP].into_iter().chain(revisions)
}

/// Returns the errors in a line under this profile, after checking that the first one is the fault.
fn errors(line: &str, profile: &Profile) -> Vec<(Rule, u32)> {
    let mut found = Vec::new();
    let envelope = tautline::Envelope::read(Frame::from_line(line.as_bytes()), profile);
    envelope.findings(|finding| found.push(finding));
    assert!(found.is_sorted_by_key(Finding::rule), "{line}");
    let errors = found.iter().filter(|finding| finding.severity() == Severity::Error);
    let errors: Vec<_> = errors.map(|finding| (finding.rule(), finding.offset())).collect();
    let fault = Message::parse(Frame::from_line(line.as_bytes()), profile).err();
    assert_eq!(fault.map(|fault| (fault.rule(), fault.offset())), errors.first().copied());
    errors
}

#[test]
fn look_alikes_strangers_unsafe_ids_and_raw_carriage_returns_are_faults() {
    for profile in presets() {
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, &[][..]),
            (r#"{"jsonrpc":"2.0","id":9007199254740991,"method":"a"}"#, &[]),
            (
                r#"{"jsonrpc":"2.0","id":-9007199254740992,"method":"a"}"#,
                &[(Rule::ID_UNSAFE_INTEGER, 22)],
            ),
            (r#"{"jsonrpc":"2.0","method":"a","METHOD":"b"}"#, &[(Rule::MEMBER_LOOKALIKE, 30)]),
            (r#"{"Jsonrpc":"1.0","jsonrpc":"2.0","method":"a"}"#, &[(Rule::MEMBER_LOOKALIKE, 1)]),
            (r#"{"jsonrpc":"2.0","method":"a","param\u017f":1}"#, &[(Rule::MEMBER_LOOKALIKE, 30)]),
            // This is a fault under every profile.
            (
                r#"{"jsonrpc":"2.0","method":"a","\u006dethod":"b"}"#,
                &[(Rule::DUPLICATE_MEMBER, 30)],
            ),
            // An escape alone changes no name.
            (r#"{"jsonrpc":"2.0","\u006dethod":"b"}"#, &[]),
            (r#"{"jsonrpc":"2.0","method":"a","trace":1}"#, &[(Rule::UNKNOWN_MEMBER, 30)]),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","Code":2}}"#,
                &[(Rule::MEMBER_LOOKALIKE, 55)],
            ),
            ("{\"jsonrpc\":\"2.0\",\"method\":\r\"a\"}", &[(Rule::RAW_CARRIAGE_RETURN, 26)]),
        ] {
            assert_eq!(errors(line, &profile.strict(&GUARDED_NAMES)), expected, "{line}");
        }
    }
}

/// Every name that gateways act on, at both levels, with names that resemble it.
#[test]
fn names_that_resemble_one_that_gateways_act_on() {
    let variants = |name: &str| {
        let mut capital = name.trim_start_matches('_').to_owned();
        capital[..1].make_ascii_uppercase();
        [
            if name.starts_with('_') { format!("_{capital}") } else { capital },
            name.to_uppercase(),
            format!("{name}\\u0000"),
            format!("\\u200b{name}"),
            format!(" {name}"),
        ]
    };
    for (names, before, after) in [(PARAMS, "", ""), (IN_META, r#""_meta":{"#, "}")] {
        for name in names {
            for variant in variants(name) {
                for beside in ["", &format!(r#""{name}":{{}},"#)] {
                    let head = r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"#;
                    let line = format!(r#"{head}{before}{beside}"{variant}":{{}}{after}}}}}"#);
                    let at = u32::try_from((head.len() + before.len()) + beside.len()).unwrap();
                    for profile in presets() {
                        assert_eq!(errors(&line, &profile), [], "{line}");
                        let profile = profile.strict(&GUARDED_NAMES);
                        assert_eq!(errors(&line, &profile), [(Rule::NESTED_MEMBER_LOOKALIKE, at)]);
                        let fault = Message::parse(line.as_bytes(), &profile).unwrap_err();
                        let reply = fault.reply().unwrap();
                        assert_eq!(reply.code().value(), -32600);
                        assert_eq!(reply.id().unwrap().to_string(), "7");
                    }
                }
            }
        }
    }
}

#[test]
fn params_of_any_other_kind_are_left_alone() {
    for params in [
        r#"{"name":"a","arguments":{"Name":1,"NAME":2,"name":3}}"#,
        r#"{"uri":"a","x":{"URI":"b"},"names":1,"rename":2,"Namen":3,"":4,"\ud83d\ude00":5}"#,
        r#"{"n\u0061me":"a","Name of the file":1,"ñame":2}"#,
        r#"{"_meta":{"name":1,"Name":2,"com.example/name":3}}"#,
        r#"{"_meta":[{"ProgressToken":1}]}"#,
        r#"{"Io.modelcontextprotocol/protocolVersion":1}"#,
        "{}",
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{params}}}"#);
        for profile in presets() {
            assert_eq!(errors(&line, &profile.strict(&GUARDED_NAMES)), [], "{line}");
        }
    }
    let line = r#"{"jsonrpc":"2.0","method":"m","params":["Name",{"Name":1}]}"#;
    assert_eq!(errors(line, &Profile::JSON_RPC.strict(&GUARDED_NAMES)), []);
}

#[test]
fn repeated_names_that_gateways_act_on_are_faults() {
    let line = r#"{"jsonrpc":"2.0","method":"m","params":{"name":1,"n\u0061me":2,"x":3,"x":4,"_meta":{"progressToken":1,"progressToken":2},"_meta":{},"name":3}}"#;
    let repeats = [r#""n\u0061me":2"#, r#""_meta":{}"#, r#""name":3"#, r#""progressToken":2"#].map(
        |member| {
            (Rule::DUPLICATE_NESTED_MEMBER, u32::try_from(line.find(member).unwrap()).unwrap())
        },
    );
    assert_eq!(errors(line, &Profile::JSON_RPC.strict(&GUARDED_NAMES)), repeats);
    assert_eq!(errors(line, &Profile::JSON_RPC), []);
}

/// cJSON and others end a text at U+0000, so `"rm_rf\u0000"` is `"rm_rf"` to them.
#[test]
fn what_a_parser_in_c_reads_differently_is_a_fault() {
    let nul = |line: &str, part: &str| {
        (Rule::NUL_CHARACTER, u32::try_from(line.find(part).unwrap()).unwrap())
    };
    for profile in presets() {
        let strict = profile.strict(&GUARDED_NAMES);
        for (line, part) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call\u0000"}"#, r#""tools"#),
            (r#"{"jsonrpc":"2.0","id":"1\u0000","method":"a"}"#, r#""1\u"#),
            (r#"{"jsonrpc":"2.0","id":"1\u0000","result":{}}"#, r#""1\u"#),
            (r#"{"jsonrpc":"2.0","method":"a","params":{"name":"rm_rf\u0000"}}"#, r#""rm"#),
            (r#"{"jsonrpc":"2.0","method":"a","params":{"uri":"\u0000"}}"#, r#""\u"#),
            (
                r#"{"jsonrpc":"2.0","method":"a","params":{"_meta":{"progressToken":"\u0000t"}}}"#,
                r#""\u"#,
            ),
        ] {
            assert_eq!(errors(line, &strict), [nul(line, part)], "{line}");
            assert_eq!(errors(line, &profile), [], "{line}");
        }
        for line in [
            r#"{"jsonrpc":"2.0","method":"a\\u0000","params":{"text":"\u0000"}}"#,
            r#"{"jsonrpc":"2.0","method":"a","params":{"arguments":{"name":"\u0000"}}}"#,
        ] {
            assert_eq!(errors(line, &strict), [], "{line}");
        }
        let line = r#"{"jsonrpc":"2.0","method":"a","params":{"name":"x","name\u0000x":"y"}}"#;
        assert_eq!(errors(line, &strict), [(Rule::NESTED_MEMBER_LOOKALIKE, 51)]);
        let line = r#"{"jsonrpc":"2.0","method":"a","method\u0000x":"b"}"#;
        assert_eq!(errors(line, &strict), [(Rule::MEMBER_LOOKALIKE, 30)]);
        for id in ["1.0", "1e2", "-0", "100E-1"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#);
            assert_eq!(errors(&line, &strict), [(Rule::ID_NOT_PLAIN_INTEGER, 22)], "{line}");
        }
    }
}

/// A sender that misspells `id` waits for a response, and would wait for ever if its call were a notification.
#[test]
fn a_call_with_a_misspelled_id_is_answered() {
    for (members, id) in [
        (r#""Id":9"#, Some("9")),
        (r#""ID":"a""#, Some(r#""a""#)),
        (r#""i\u0064\u0000":-1"#, Some("-1")),
        (r#"" id":"\u0061""#, Some(r#""\u0061""#)),
        (r#""Id":9,"x":1"#, Some("9")),
        (r#""Id":1.5"#, None),
        (r#""Id":null"#, None),
        (r#""Id":{}"#, None),
        (r#""Id":[9]"#, None),
        (r#""Id":9,"ID":9"#, None),
        (r#""idx":9"#, None),
        (r#""Method":9"#, None),
        (r#""Id":9,"result":1"#, None),
        (r#""Id":9,"error":{"code":1,"message":""}"#, None),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"notifications/x",{members}}}"#);
        for profile in presets() {
            let fault =
                Message::parse(line.as_bytes(), &profile.strict(&GUARDED_NAMES)).unwrap_err();
            let reply = fault.reply().map(|reply| (reply.code(), reply.id().unwrap().to_string()));
            let expected = id.map(|id| (ErrorCode::INVALID_REQUEST, id.to_owned()));
            assert_eq!(reply, expected, "{line}");
        }
    }
    // Beside an id, it is that of the request.
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"a","Id":9}"#;
    let fault = Message::parse(line.as_bytes(), &Profile::LSP.strict(&GUARDED_NAMES)).unwrap_err();
    assert_eq!(fault.reply().unwrap().id().unwrap().to_string(), "1");
}

/// Peers differ in which of two members with the same name they use, at any depth.
#[test]
fn names_that_any_object_repeats_are_faults() {
    let strict = Profile::JSON_RPC.strict(&GUARDED_NAMES);
    // The place is after the number sign, which is not part of the payload.
    for payload in [
        r#""params":{"arguments":{"a":1,"b":2,#"b":3}}"#,
        r#""params":{"arguments":{"b":2,#"\u0062":3}}"#,
        r#""params":[[{"b":[]}],{"b":{"b":[{"x":1}]},#"b":3}]"#,
        r#""params":{"arguments":{"b":2,#"b\u0000":3}}"#,
        r#""params":{"arguments":{"b\u0000x":2,#"b\u0000y":3}}"#,
        r#""params":{"x":1,"a":{"b":1,#"b":2,"c":3},"a":{"b":1,"b":2}}"#,
        r#""params":{"a":1,#"a":{"b":1,"b":2}}"#,
        r#""result":{"content":[{"b":1,#"b":2}]}"#,
        r#""error":{"code":1,"message":"m","data":{"b":1,#"b":2}}"#,
    ] {
        let head = if payload.starts_with(r#""p"#) { r#""method":"m","# } else { "" };
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,{head}{payload}}}"#);
        let at = line.find('#').unwrap();
        let (line, at) = (line.replace('#', ""), u32::try_from(at).unwrap());
        assert_eq!(errors(&line, &Profile::JSON_RPC), [], "{line}");
        assert_eq!(errors(&line, &strict), [(Rule::DUPLICATE_INNER_MEMBER, at)], "{line}");
        let batch = format!("[{line}]");
        let Ok(Message::Batch(elements)) = Message::parse(batch.as_bytes(), &strict) else {
            panic!("{batch}");
        };
        let fault = elements.iter().next().unwrap().message().unwrap_err();
        assert_eq!((fault.rule(), fault.offset()), (Rule::DUPLICATE_INNER_MEMBER, at + 1));
        let warned = strict.with_severity(Rule::DUPLICATE_INNER_MEMBER, Severity::Warning).unwrap();
        assert!(Message::parse(line.as_bytes(), &warned).is_ok(), "{line}");
    }
    for payload in [
        r#"{"a":{"b":1},"b":{"a":1}}"#,
        r#"{"a":[{"b":1},{"b":2}],"A":1,"a b":2,"a\u0001":3,"\u0000":4}"#,
        r#"{"a":"\"b\":1,\"b\":2"}"#,
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{{"x":{payload}}}}}"#);
        assert_eq!(errors(&line, &strict), [], "{line}");
    }
}

/// Common parsers refuse these values, or read others in their place.
#[test]
fn values_that_parsers_refuse_or_replace_are_faults() {
    let long = "9".repeat(308);
    let longer = "1".repeat(310);
    // The place is after the caret, which is not part of the payload.
    let refused = [
        (Rule::LONE_INNER_SURROGATE, r#"["^\ud800"]"#.to_owned()),
        (Rule::LONE_INNER_SURROGATE, r#"{"name":"^\uD800x"}"#.into()),
        (Rule::LONE_INNER_SURROGATE, r#"{"a":[1,{"b":"\n\ud83d\ude00 ^\ude00\ud800"}]}"#.into()),
        (Rule::LONE_INNER_SURROGATE, r#"{"a":1,"^\ud83d\n":2}"#.into()),
        (Rule::LONE_INNER_SURROGATE, r#"["\\ud800","\\^\udfff","\ud800"]"#.into()),
        (Rule::NUMBER_OUT_OF_RANGE, "[^1e400]".into()),
        (Rule::NUMBER_OUT_OF_RANGE, r#"{"a":^-1E+309,"b":1e999}"#.into()),
        (Rule::NUMBER_OUT_OF_RANGE, r#"[true,false,null,"1e400", ^17976931348623159e292 ]"#.into()),
        (Rule::NUMBER_OUT_OF_RANGE, format!(r#"{{"a":{{"b":[1,^{longer}]}}}}"#)),
        (Rule::NUMBER_OUT_OF_RANGE, format!(r#"[^{longer}.5e-0]"#)),
        (Rule::NUMBER_OUT_OF_RANGE, "[^0.00001e314]".into()),
        (Rule::NUMBER_OUT_OF_RANGE, "[^1e99999999999999999999999999]".into()),
    ];
    let accepted = [
        r#"["\ud83d\ude00","\\ud800","\\\\ud800","\ud7ff\ue000"]"#.to_owned(),
        "[1.7976931348623157e308,-1.7976931348623158e+308,17976931348623157e292]".into(),
        format!("[{long},0.{longer},0e999,0.0E+400,1e-400,1e-99999999999999999999999999]"),
        r#"{"e":[1,2,true],"1e400":"1e400","f":5e-324,"g":[false]}"#.into(),
        format!("[{}]", vec!["1.5"; 400].join(",")),
        format!("[0.000001e309,{longer}.5e-1]"),
    ];
    for profile in presets() {
        let strict = profile.strict(&GUARDED_NAMES);
        // Long payloads are read with a vector unit.
        for around in ["", &" ".repeat(300), &r#"{"x":"\n"}, "#.repeat(30)] {
            let lines = |payload: &str| {
                let value = format!(r#"{{"value":[{around}{payload}]}}"#);
                [
                    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{value}}}"#),
                    format!(r#"{{"jsonrpc":"2.0","id":1,"result":{value}}}"#),
                    format!(
                        r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"message":"m","data":{value}}}}}"#
                    ),
                ]
            };
            for (rule, payload) in &refused {
                for line in lines(payload) {
                    let at = u32::try_from(line.find('^').unwrap()).unwrap();
                    let line = line.replace('^', "");
                    assert_eq!(errors(&line, &strict), [(*rule, at)], "{line}");
                    assert_eq!(errors(&line, &profile), [], "{line}");
                }
            }
            for line in accepted.iter().flat_map(|payload| lines(payload)) {
                assert_eq!(errors(&line, &strict), [], "{line}");
            }
        }
        for (line, rule) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"^\ud800"}}"#,
                Rule::LONE_INNER_SURROGATE,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":^1e309,"message":""}}"#,
                Rule::NUMBER_OUT_OF_RANGE,
            ),
        ] {
            let at = u32::try_from(line.find('^').unwrap()).unwrap();
            assert_eq!(errors(&line.replace('^', ""), &strict), [(rule, at)], "{line}");
        }
    }
    let line = r#"{"jsonrpc":"2.0","method":"m","params":{"a":1,"a":1e400,"b":"\udc00"}}"#;
    let found = [
        (Rule::DUPLICATE_INNER_MEMBER, 46),
        (Rule::LONE_INNER_SURROGATE, 61),
        (Rule::NUMBER_OUT_OF_RANGE, 50),
    ];
    assert_eq!(errors(line, &Profile::JSON_RPC.strict(&GUARDED_NAMES)), found);
}

/// A gateway that only warns of lookalikes still refuses what they would hide.
#[test]
fn a_lookalike_that_is_no_error_hides_no_repeated_name() {
    for severity in [Severity::Note, Severity::Warning] {
        let profile = Profile::JSON_RPC.strict(&GUARDED_NAMES);
        let profile = profile.with_severity(Rule::NESTED_MEMBER_LOOKALIKE, severity).unwrap();
        for params in [r#"{"Name":1,"Name":2}"#, r#"{"Name":1,"Name":2,"x":1,"x":2}"#] {
            let line = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{params}}}"#);
            assert_eq!(errors(&line, &profile), [(Rule::DUPLICATE_INNER_MEMBER, 49)], "{line}");
        }
    }
}

/// Objects that are open at the same time have room for a number of names, whatever the others have.
#[test]
fn more_names_than_can_be_compared_are_a_fault() {
    const MOST: usize = 8192;
    let strict = Profile::JSON_RPC.strict(&GUARDED_NAMES);
    let object = |count: usize| {
        let members: Vec<_> = (0..count).map(|number| format!(r#""n{number}":0"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let line = |payload: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{payload}}}"#);
    for payload in [
        object(MOST),
        format!(r#"{{"x":{}}}"#, object(MOST - 1)),
        format!("[{0},{0},{0}]", object(MOST)),
    ] {
        assert_eq!(errors(&line(&payload), &strict), []);
    }
    for payload in [object(MOST + 1), format!(r#"[{{"x":{}}}]"#, object(MOST))] {
        let line = line(&payload);
        assert_eq!(errors(&line, &strict), [(Rule::TOO_MANY_NAMES, 33)]);
        assert_eq!(errors(&line, &Profile::JSON_RPC), []);
        let fault = Message::parse(line.as_bytes(), &strict).unwrap_err();
        assert_eq!(fault.rule(), Rule::TOO_MANY_NAMES);
    }
    for count in [63, 64, 65, 300, MOST] {
        let unique = object(count - 1);
        let line = line(&format!(r#"{},"n0":0}}"#, unique.strip_suffix('}').unwrap()));
        let at = u32::try_from(line.rfind(r#""n0""#).unwrap()).unwrap();
        assert_eq!(errors(&line, &strict), [(Rule::DUPLICATE_INNER_MEMBER, at)], "{count}");
    }
}

/// The first of the names that are found without a limit.
#[cfg(feature = "alloc")]
#[test]
fn the_first_repeated_name_is_the_first_of_all() {
    let strict = Profile::JSON_RPC.strict(&GUARDED_NAMES);
    let mut dice = Dice(0x5EED_0F2A);
    let mut found = 0;
    for _ in 0..volume(2000) {
        let mut payload = String::new();
        write_value(&mut dice, 4, &mut payload);
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{payload}}}"#);
        let names = RawJson::parse(payload.as_bytes()).unwrap().repeated_names();
        let first = names.first().map(|name| (Rule::DUPLICATE_INNER_MEMBER, 33 + name.offset()));
        found += usize::from(first.is_some());
        assert_eq!(errors(&line, &strict), first.into_iter().collect::<Vec<_>>(), "{line}");
    }
    assert!(found > 0);
}

/// Writes a random value whose objects have few different names.
#[cfg(feature = "alloc")]
fn write_value(dice: &mut Dice, depth: usize, text: &mut String) {
    let count = dice.roll(9);
    match dice.roll(3) {
        _ if depth == 0 => text.push('1'),
        0 => text.push_str(r#""a\"{""#),
        1 => {
            text.push('[');
            for at in 0..count {
                text.push_str(if at > 0 { ", " } else { "" });
                write_value(dice, depth - 1, text);
            }
            text.push(']');
        }
        _ => {
            text.push('{');
            for at in 0..count {
                text.push_str(if at > 0 { "," } else { "" });
                let name = [r#""a""#, r#""b""#, r#""\u0061""#, r#""longer than a word""#];
                match name.get(dice.roll(40)) {
                    Some(name) => text.push_str(name),
                    None => text.push_str(&format!("\"{}\"", dice.roll(1000))),
                }
                text.push(':');
                write_value(dice, depth - 1, text);
            }
            text.push('}');
        }
    }
}

/// Strict profiles change nothing but severities: a message that they accept is the same message.
#[test]
fn accepted_messages_are_the_same() {
    for profile in presets() {
        for line in [
            r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"name":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"Name":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":{"Code":1}}}"#,
        ] {
            let usual = Message::parse(Frame::from_line(line.as_bytes()), &profile).unwrap();
            assert_eq!(
                Message::parse(Frame::from_line(line.as_bytes()), &profile.strict(&GUARDED_NAMES)),
                Ok(usual)
            );
        }
    }
}
