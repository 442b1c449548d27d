//! The oracle: builds a frame from a list of members, and derives the expected verdict from that list.

use tautline::{Rule, Severity};

use crate::support::reference::reply::{self, Facts, Family, IdKind, Protocol, owed};

/// A member as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The name after unescaping.
    pub name: &'static str,
    /// The name as it is spelled, without its quotes.
    pub spelling: &'static str,
    pub value: &'static str,
}

pub const fn member(name: &'static str, value: &'static str) -> Member {
    Member { name, spelling: name, value }
}

/// The standard names, and other ways to spell them.
pub const NAMES: &[(&str, &[&str])] = &[
    ("jsonrpc", &[r"\u006asonrpc", r"json\u0072pc", r"\u006A\u0073onrpc"]),
    ("id", &[r"\u0069d", r"i\u0064", r"\u0069\u0064"]),
    ("method", &[r"\u006dethod", r"metho\u0064", r"m\u0065t\u0068od"]),
    ("params", &[r"\u0070arams", r"param\u0073", r"p\u0061r\u0061ms"]),
    ("result", &[r"\u0072esult", r"resul\u0074", r"res\u0075lt"]),
    ("error", &[r"\u0065rror", r"erro\u0072", r"e\u0072\u0072or"]),
];

/// Members without a meaning; the second ones resemble standard ones.
pub const STRANGERS: &[Member] = &[
    member("x", r#"{"id":7,"method":"m","result":1,"error":null,"jsonrpc":"1.0"}"#),
    member("", "null"),
];

pub const LOOKALIKES: &[Member] = &[
    member("Method", "\"m\""),
    member("ID", "1"),
    member(r"result\u0000", "{}"),
    member(r"param\u017f", "[]"),
];

/// Error objects and their faults, with the positions in their text.
pub const ERRORS: &[(&str, &[(Rule, usize)])] = &[
    (r#"{"code":1,"message":"no"}"#, &[]),
    ("{}", &[(Rule::ERROR_CODE_MISSING, 0), (Rule::ERROR_MESSAGE_MISSING, 0)]),
    (r#"{"code":1,"message":"no","code":2}"#, &[(Rule::DUPLICATE_MEMBER, 25)]),
    (r#"{"message":null,"code":1}"#, &[(Rule::ERROR_MESSAGE_TYPE, 11)]),
];

/// A built frame, with the position of each member's name and value.
pub struct Built {
    pub text: String,
    /// The position of the object's brace.
    pub start: usize,
    pub members: Vec<(Member, usize, usize)>,
}

/// Pseudorandom numbers, the same every time.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// Writes the members. The dice choose their order, their spelling and the whitespace.
pub fn build(members: &[Member], dice: &mut Dice) -> Built {
    const SPACES: [&str; 8] = ["", "", "", "", "", " ", "\t", "\r\n"];
    let mut members = members.to_vec();
    for i in (1..members.len()).rev() {
        members.swap(i, dice.roll(i + 1));
    }
    let mut space = SPACES[dice.roll(8)];
    let mut built = Built { text: space.into(), start: space.len(), members: Vec::new() };
    built.text.push('{');
    for (i, mut member) in members.into_iter().enumerate() {
        let known = NAMES.iter().find(|(name, _)| *name == member.name);
        if let Some((_, spellings)) = known.filter(|_| dice.roll(8) == 0) {
            member.spelling = spellings[dice.roll(spellings.len())];
        }
        let comma = if i > 0 { "," } else { "" };
        built.text.push_str(comma);
        built.text.push_str(space);
        let name_at = built.text.len();
        built.text.push_str(&format!("\"{}\"{space}:{space}", member.spelling));
        let value_at = built.text.len();
        built.text.push_str(member.value);
        built.text.push_str(space);
        built.members.push((member, name_at, value_at));
        space = SPACES[dice.roll(8)];
    }
    built.text.push('}');
    built.text.push_str(space);
    built
}

/// The expected verdict on a frame.
#[derive(Debug, PartialEq)]
pub struct Verdict<'a> {
    /// All findings, ordered by rule and then by position.
    pub findings: Vec<(Rule, Severity, usize)>,
    /// The kind of the message; or the first violated rule, and the reply due.
    pub message: Result<String, (Rule, Option<reply::Reply<'a>>)>,
}

/// Returns the expected verdict.
pub fn expected<'a>(built: &'a Built, protocol: &Protocol) -> Verdict<'a> {
    let Built { start, members: ref all, .. } = *built;
    let revision = match protocol.family {
        Family::Mcp(revision) => Some(revision),
        Family::JsonRpc | Family::Lsp => None,
    };
    let first = |name| all.iter().find(|(member, ..)| member.name == name);
    let has = |name| first(name).is_some();
    let value = |name| first(name).map(|(member, ..)| member.value);
    let place = |name| first(name).unwrap().2;
    let begins = |name, with: &str| value(name).is_none_or(|value| with.contains(&value[..1]));
    let mut findings = Vec::new();
    let mut find = |rule, at| findings.push((rule, severity(rule, protocol), at));

    for (i, &(member, name_at, value_at)) in all.iter().enumerate() {
        let known = NAMES.iter().any(|(name, _)| *name == member.name);
        let compared = ["jsonrpc", "method", "id"].contains(&member.name);
        if known && all[..i].iter().any(|(other, ..)| other.name == member.name) {
            find(Rule::DUPLICATE_MEMBER, name_at);
        } else if let Some(at) = member.value.find(r"\ud800").filter(|_| compared) {
            find(Rule::LONE_SURROGATE, value_at + at);
        } else if let Some(at) = member.spelling.find(r"\ud800") {
            find(Rule::LONE_SURROGATE, name_at + 1 + at);
        }
        if LOOKALIKES.iter().any(|alike| alike.name == member.name) {
            find(Rule::MEMBER_LOOKALIKE, name_at);
        } else if !known {
            find(Rule::UNKNOWN_MEMBER, name_at);
        }
    }
    match value("jsonrpc") {
        None => find(Rule::MISSING_JSONRPC, start),
        Some(r#""2.0""# | r#""2\u002e0""#) => {}
        Some(_) => find(Rule::WRONG_VERSION, place("jsonrpc")),
    }

    // A result, an error or a call; and a response needs an id.
    let response = has("result") || has("error");
    let error_alone = has("error") && !has("result");
    if has("result") && has("error") {
        find(Rule::RESULT_AND_ERROR, place("result").max(place("error")));
    }
    if has("method") && response {
        find(Rule::METHOD_IN_RESPONSE, place("method"));
    }
    if !has("method") && !response {
        find(Rule::NO_SHAPE, start);
    }
    let ids = all.iter().filter(|(member, ..)| member.name == "id");
    let ids: Vec<_> = ids.map(|(id, ..)| (id.value, id_kind(id.value))).collect();
    match ids.first() {
        None if error_alone && protocol.has_errors_without_id => {}
        None if response => find(Rule::RESPONSE_WITHOUT_ID, start),
        Some((_, IdKind::Illegal)) => find(Rule::ID_TYPE, place("id")),
        Some((_, IdKind::Null)) if error_alone && revision.is_none() => {}
        Some((_, IdKind::Null)) => find(Rule::ID_NULL, place("id")),
        Some((_, IdKind::Fraction)) => find(Rule::ID_FRACTION, place("id")),
        Some(&(id, IdKind::Integer)) => {
            if id == "-0" || id.contains(['.', 'e', 'E']) {
                find(Rule::ID_NOT_PLAIN_INTEGER, place("id"));
            }
            // Sixteen digits are enough for 2^53, and the table has nothing between it and ten times it.
            if id.trim_start_matches('-').len() > 15 && id != "9007199254740991" {
                find(Rule::ID_UNSAFE_INTEGER, place("id"));
            }
        }
        None | Some((_, IdKind::String | IdKind::BrokenString)) => {}
    }

    if !begins("method", "\"") {
        find(Rule::METHOD_TYPE, place("method"));
    }
    if value("method").is_some_and(|method| method.starts_with("\"rpc.")) {
        find(Rule::METHOD_RESERVED, place("method"));
    }
    let params = match protocol.family {
        Family::JsonRpc => "{[",
        Family::Lsp => "{[n",
        Family::Mcp(_) => "{",
    };
    if !begins("params", params) {
        find(Rule::PARAMS_TYPE, place("params"));
    }
    let again = value("params").and_then(|params| params.match_indices("\"code\"").nth(1));
    if let Some((at, _)) = again.filter(|_| protocol.is_strict) {
        find(Rule::DUPLICATE_INNER_MEMBER, place("params") + at);
    }
    // No error in the table has one.
    for (part, rule) in
        [(r"\ud800", Rule::LONE_INNER_SURROGATE), ("1e400", Rule::NUMBER_OUT_OF_RANGE)]
    {
        let find_in = |name| value(name).and_then(|value| value.find(part));
        let places = ["params", "result"].map(|name| find_in(name).map(|at| place(name) + at));
        if let Some(at) = places.into_iter().flatten().min().filter(|_| protocol.is_strict) {
            find(rule, at);
        }
    }
    if revision.is_some() && !begins("result", "{") {
        find(Rule::RESULT_TYPE, place("result"));
    }
    if !begins("error", "{") {
        find(Rule::ERROR_TYPE, place("error"));
    } else if let Some(error) = value("error") {
        let (_, faults) = ERRORS.iter().find(|(text, _)| *text == error).unwrap();
        for &(rule, at) in *faults {
            find(rule, place("error") + at);
        }
    }

    findings.sort_by_key(|&(rule, _, at)| (rule, at));
    let misspelled = all.iter().filter(|(member, ..)| member.name == "ID");
    let facts = Facts {
        misspelled: misspelled.map(|(id, ..)| (id.value, id_kind(id.value))).collect(),
        has_result_or_error: response,
        has_string_method: all.iter().any(|(m, ..)| m.name == "method" && m.value.starts_with('"')),
        ids,
    };
    let errors = findings.iter().find(|found| found.1 == Severity::Error);
    let message = match errors {
        Some(&(rule, ..)) => Err((rule, owed(Some(&facts), protocol))),
        None => Ok(match (value("id"), has("result"), has("error")) {
            (id, true, _) => format!("result {} {}", id.unwrap(), value("result").unwrap()),
            (id, _, true) => format!("error {} {}", id.unwrap_or("no id"), value("error").unwrap()),
            (Some(id), ..) => format!("request {id} {:?} {:?}", value("method"), value("params")),
            (None, ..) => format!("notification {:?} {:?}", value("method"), value("params")),
        }),
    };
    Verdict { findings, message }
}

fn severity(rule: Rule, protocol: &Protocol) -> Severity {
    match rule {
        Rule::MEMBER_LOOKALIKE
        | Rule::UNKNOWN_MEMBER
        | Rule::ID_NOT_PLAIN_INTEGER
        | Rule::ID_UNSAFE_INTEGER
            if protocol.is_strict =>
        {
            Severity::Error
        }
        Rule::ID_NULL | Rule::ID_FRACTION if protocol.family == Family::JsonRpc => {
            Severity::Warning
        }
        Rule::ID_NOT_PLAIN_INTEGER | Rule::ID_UNSAFE_INTEGER | Rule::MEMBER_LOOKALIKE => {
            Severity::Warning
        }
        Rule::ERROR_CODE_HTTP | Rule::ERROR_CODE_RESERVED => Severity::Warning,
        Rule::METHOD_RESERVED | Rule::UNKNOWN_MEMBER => Severity::Note,
        _ => Severity::Error,
    }
}

fn id_kind(value: &str) -> IdKind {
    match value.as_bytes()[0] {
        b'"' if value.contains(r"\ud800") => IdKind::BrokenString,
        b'"' => IdKind::String,
        b'n' => IdKind::Null,
        b't' | b'f' | b'{' | b'[' => IdKind::Illegal,
        _ if value.parse::<f64>().unwrap().fract() == 0.0 => IdKind::Integer,
        _ => IdKind::Fraction,
    }
}
