//! Verdicts on cases, as a table.

use serde_json::{Value, json};
use tautline_conformance::Case;

use super::{Verdict, is_own, judge, judge_client};
use crate::probe::described::describe;
use crate::probe::line::Line;
use crate::probe::observed::{Answered, Ended, Input, Observed, Survived};
use crate::process::Exit;

fn case(outcomes: &Value, more: &Value) -> Case {
    let mut case = json!({
        "id": "a", "summary": "", "revisions": [], "level": "must", "clause": "", "steps": [], "defects": [],
        "outcomes": outcomes,
    });
    for (name, value) in more.as_object().unwrap() {
        case[name] = value.clone();
    }
    serde_json::from_value(case).unwrap()
}

/// Creates an observation from lines: a result as `7`, an error as `7 -32600`, a batch in brackets.
fn seen(lines: &[&str]) -> Observed {
    let mut observed = Observed { survival: Survived::Answered, ..Observed::default() };
    let response = |text: &str| {
        let (id, body) = match text.split_once(' ') {
            Some((id, code)) => {
                (id, json!({"error": {"code": code.parse::<i64>().unwrap(), "message": ""}}))
            }
            None => (text, json!({"result": {}})),
        };
        let body = body.to_string();
        let id = if id == "none" { String::new() } else { format!("\"id\":{id},") };
        format!("{{\"jsonrpc\":\"2.0\",{id}{}", &body[1..])
    };
    for line in lines {
        let text = match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(batch) => {
                format!("[{}]", batch.split(", ").map(response).collect::<Vec<_>>().join(","))
            }
            None => response(line),
        };
        match Line::read(text.as_bytes()).unwrap() {
            Line::Single(response) => observed.answers.push(Answered::Single(response)),
            Line::Batch(batch) => observed.answers.push(Answered::Batch(batch)),
            other => panic!("{text}: {other:?}"),
        }
    }
    observed
}

/// Returns a verdict in a few words, with the fault.
fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Right => "right".to_owned(),
        Verdict::Acceptable(note) => format!("acceptable: {note}"),
        Verdict::Wrong(fault, _) => fault.name().to_owned(),
    }
}

#[test]
fn answers_are_compared_as_sets() {
    let error = json!([
        {"verdict": "right", "answers": [{"id": "none", "error": [-32600]}]},
        {"verdict": "acceptable", "note": "why not", "answers": [{"id": "null", "error": [-32600]}]},
        {"verdict": "acceptable", "note": "quiet", "answers": []},
    ]);
    let silence = json!([{"verdict": "right", "answers": []}]);
    let one = json!([{"verdict": "right", "answers": [{"id": "7", "result": true, "error": [-32602, -32603]}]}]);
    let two = json!([{"verdict": "right", "answers": [
        {"id": "7", "error": []}, {"id": "7", "error": [-32600]}, {"id": "\"b\"", "result": true},
    ]}]);
    let batch = json!([{"verdict": "right", "answers": [
        {"batch": [{"id": "7", "result": true}, {"id": "8", "result": true}]}, {"batch": [{"id": "7", "result": true}]},
    ]}]);
    let also = json!([{
        "verdict": "right", "answers": [{"id": "7", "error": [-32600]}],
        "also": [{"id": "none", "error": [-32700]}, {"id": "7", "error": [-32700, -32600]}],
    }]);
    let numbered = json!([{"verdict": "right", "answers": [{"numbered": {"id": "{N}", "result": true}, "count": 3}]}]);
    let has = json!([{"verdict": "right", "answers": [{"id": "7", "error": [], "has": ["/error/message"]}]}]);
    let has_not = json!([{"verdict": "right", "answers": [{"id": "7", "error": [], "has": ["/error/data"]}]}]);
    for (outcomes, lines, verdict) in [
        (&also, &["7 -32600"][..], "right"),
        (&also, &["none -32700", "7 -32600", "none -32700", "7 -32700"], "right"),
        (&also, &["none -32700"], "silence"),
        (&also, &["7 -32600", "none -32600"], "wrong answer"),
        (&also, &["7 -32700"], "wrong answer"),
        (&numbered, &["2", "1", "3"], "right"),
        (&numbered, &["2", "3"], "silence"),
        (&numbered, &["2", "3", "1", "2"], "duplicate answer"),
        (&has, &["7 -1"], "right"),
        (&has_not, &["7 -1"], "wrong answer"),
        (&error, &["none -32600"], "right"),
        (&error, &["null -32600"], "acceptable: why not"),
        (&error, &[], "acceptable: quiet"),
        (&error, &["none -32700"], "wrong answer"),
        (&error, &["none -32600", "none -32600"], "wrong answer"),
        (&error, &["none -32600", "null -32600"], "wrong answer"),
        (&error, &["7"], "wrong answer"),
        (&silence, &[], "right"),
        (&silence, &["7"], "answer where silence is owed"),
        (&silence, &["[7]"], "answer where silence is owed"),
        (&one, &["7"], "right"),
        (&one, &["7 -32603"], "right"),
        (&one, &["7 -32601"], "wrong answer"),
        (&one, &["\"7\""], "silence"),
        (&one, &["7.0"], "silence"),
        (&one, &["[7]"], "wrong answer"),
        (&one, &[], "silence"),
        (&one, &["7", "7"], "duplicate answer"),
        (&one, &["7", "7 -32602"], "duplicate answer"),
        (&one, &["7", "8"], "wrong answer"),
        // The first expected answer matches any error, but must leave this one to the second.
        (&two, &["\"b\"", "7 -32600", "7 -1"], "right"),
        (&two, &["7 -1", "7 -32600", "\"\\u0062\""], "right"),
        (&two, &["7 -1", "7 -2", "\"b\""], "wrong answer"),
        (&two, &["7 -1", "7 -32600"], "silence"),
        (&batch, &["[7]", "[8, 7]"], "right"),
        (&batch, &["[7]", "[8]"], "wrong answer"),
        (&batch, &["[7, 8]"], "wrong answer"),
        (&batch, &["7", "8", "7"], "wrong answer"),
    ] {
        let case = case(outcomes, &json!({}));
        assert_eq!(word(&judge(&case, &seen(lines))), verdict, "{lines:?} for {outcomes}");
    }
}

#[test]
fn right_is_preferred_to_acceptable() {
    let outcomes = json!([
        {"verdict": "acceptable", "note": "any", "answers": [{"id": "7", "error": []}]},
        {"verdict": "right", "answers": [{"id": "7", "error": [-32600]}]},
    ]);
    assert_eq!(word(&judge(&case(&outcomes, &json!({})), &seen(&["7 -32600"]))), "right");
    assert_eq!(word(&judge(&case(&outcomes, &json!({})), &seen(&["7 -1"]))), "acceptable: any");
}

#[test]
fn answers_with_an_id_of_the_case_are_its_own() {
    let case = case(
        &json!([{"verdict": "right", "answers": [{"id": "7", "error": [-32600]}, {"id": "none", "error": []}]}]),
        &json!({}),
    );
    for (lines, own) in [
        (&[][..], true),
        (&["7"], true),
        (&["7", "7 -1"], true),
        (&["8"], false),
        (&["7", "none -32600"], false),
        (&["null -32600"], false),
        (&["[7]"], true),
    ] {
        assert_eq!(is_own(&case, &seen(lines)), own, "{lines:?}");
    }
    let survival = Survived::Unanswered;
    assert!(!is_own(&case, &Observed { survival, ..seen(&["7"]) }));
}

#[test]
fn a_server_goes_on() {
    let lives = json!([{"verdict": "right", "answers": []}]);
    let may_exit = json!([
        {"verdict": "right", "answers": []},
        {"verdict": "acceptable", "note": "gone", "answers": [], "ending": "exit"},
    ]);
    let exited = |code| Some(Ended::Exited(Exit::Code(code)));
    for (outcomes, end, survival, verdict) in [
        (&lives, None, Survived::Answered, "right"),
        (&lives, None, Survived::Unanswered, "hang"),
        (&lives, None, Survived::Wrongly(Some(-1)), "wrong answer"),
        (&lives, None, Survived::Wrongly(None), "duplicate answer"),
        (&lives, exited(0), Survived::Unanswered, "death"),
        (&lives, exited(0), Survived::Answered, "death"),
        (&lives, Some(Ended::ClosedOutput), Survived::Unanswered, "death"),
        (&may_exit, exited(1), Survived::Unanswered, "acceptable: gone"),
        (&may_exit, Some(Ended::Exited(Exit::Signal(11))), Survived::Unanswered, "death"),
        (&may_exit, None, Survived::Unanswered, "hang"),
    ] {
        let observed = Observed { end, survival, ..Observed::default() };
        let verdict_of = judge(&case(outcomes, &json!({})), &observed);
        assert_eq!(word(&verdict_of), verdict, "{end:?} {survival:?} for {outcomes}");
    }
    let stuck =
        Observed { input: Input::Stuck, survival: Survived::Unanswered, ..Observed::default() };
    assert_eq!(word(&judge(&case(&lives, &json!({})), &stuck)), "hang");
}

#[test]
fn a_server_ends_with_its_input() {
    let zero = json!([{"verdict": "right", "answers": [], "ending": "success"}]);
    let any = json!([{"verdict": "right", "answers": [{"id": "7", "result": true}]}]);
    let more = json!({"survival": "none"});
    let exited = |exit| Some(Ended::Exited(exit));
    for (outcomes, end, lines, verdict) in [
        (&zero, exited(Exit::Code(0)), &[][..], "right"),
        (&zero, exited(Exit::Code(1)), &[], "wrong ending"),
        (&zero, exited(Exit::Signal(6)), &[], "death"),
        (&zero, Some(Ended::ClosedOutput), &[], "wrong ending"),
        (&zero, None, &[], "hang"),
        (&any, None, &["7"], "right"),
        (&any, exited(Exit::Code(3)), &["7"], "right"),
        (&any, exited(Exit::Code(3)), &[], "silence"),
        (&any, exited(Exit::Signal(9)), &["7"], "death"),
    ] {
        let observed = Observed { end, survival: Survived::NotAsked, ..seen(lines) };
        assert_eq!(
            word(&judge(&case(outcomes, &more), &observed)),
            verdict,
            "{end:?} for {outcomes}"
        );
    }
}

#[test]
fn a_line_that_is_no_message_is_wrong_whatever_else_there_is() {
    let case = case(&json!([{"verdict": "right", "answers": []}]), &json!({}));
    for (line, verdict) in [
        ("INFO: started", "garbage on standard output"),
        (r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#, "wrong answer"),
    ] {
        let Some(Line::Broken(broken)) = Line::read(line.as_bytes()) else { panic!("{line}") };
        let observed = Observed { broken: Some(broken), ..seen(&[]) };
        assert_eq!(word(&judge(&case, &observed)), verdict);
    }
    let flooded = Observed { is_flooded: true, ..seen(&[]) };
    assert_eq!(word(&judge(&case, &flooded)), "wrong answer");
}

#[test]
fn clients_are_judged_by_their_end() {
    let outcomes = json!([
        {"verdict": "right", "ending": "success"},
        {"verdict": "acceptable", "note": "gives up", "ending": "exit"},
    ]);
    let strict = json!([{"verdict": "right", "ending": "success"}]);
    let fails = json!([{"verdict": "right", "ending": "failure"}]);
    let more = json!({"role": "client", "on": "tools/list"});
    for (outcomes, exit, verdict) in [
        (&outcomes, Some(Exit::Code(0)), "right"),
        (&outcomes, Some(Exit::Code(1)), "acceptable: gives up"),
        (&outcomes, Some(Exit::Signal(11)), "death"),
        (&outcomes, None, "hang"),
        (&strict, Some(Exit::Code(1)), "wrong ending"),
        (&fails, Some(Exit::Code(1)), "right"),
        (&fails, Some(Exit::Code(0)), "wrong ending"),
        (&fails, Some(Exit::Signal(6)), "death"),
    ] {
        assert_eq!(word(&judge_client(&case(outcomes, &more), exit)), verdict, "{exit:?}");
    }
}

#[test]
fn outcomes_have_descriptions() {
    let described = |outcome: Value, more: Value| {
        let case = case(&json!([outcome]), &more);
        describe(&case, &case.outcomes[0])
    };
    for (outcome, words) in [
        (json!({"verdict": "right", "answers": []}), "no answer"),
        (
            json!({"verdict": "right", "answers": [{"id": "none", "error": [-32600, -32700]}]}),
            "error -32600 or -32700 without id",
        ),
        (
            json!({"verdict": "right", "answers": [
                {"id": "7", "result": true, "error": []}, {"batch": [{"id": "\"a\"", "result": true}]},
            ]}),
            "a result or an error with id 7 and a batch of (a result with id \"a\")",
        ),
        (
            json!({"verdict": "right", "answers": [], "ending": "success"}),
            "no answer, then exit code 0",
        ),
    ] {
        assert_eq!(described(outcome, json!({})), words);
    }
    let client = json!({"role": "client"});
    assert_eq!(described(json!({"verdict": "right", "ending": "exit"}), client), "any exit code");
    let many: Vec<Value> = (0..9).map(|id| json!({"id": id.to_string(), "result": true})).collect();
    let words = described(json!({"verdict": "right", "answers": many}), json!({}));
    assert!(words.ends_with("a result with id 5 and 3 more"), "{words}");
}
