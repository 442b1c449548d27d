//! Responses of all kinds, good and bad, made at random.

use fastrand::Rng;

use crate::host::Fields;

/// Returns the head of a response with this status and these fields.
#[must_use]
pub fn head(status: u16, fields: &[(&str, &str)]) -> Fields {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).into()));
    [(":status".to_owned(), status.to_string().into())].into_iter().chain(fields).collect()
}

/// Parts of responses: messages of all kinds, and texts that are no messages.
const PARTS: [&str; 13] = [
    r#"{"jsonrpc":"2.0","id":7,"result":{"a" : 1.0}}"#,
    r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"é"}}"#,
    r#"[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":"a","result":{}}]"#,
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":8,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":"7","result":{}}"#,
    r#"{"jsonrpc":"2.0","id":7,"id":7,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":7,"result":{"a":1,"a":2}}"#,
    r#"{"jsonrpc":"2.0","id":7}"#,
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":\"\u{1F600}\"}}",
    "hello",
    "",
];

/// The limit on the body of a response or an event, in bytes.
pub const SHORT: usize = 300;

/// Returns a part. Now and then it is as long as the limit allows, or longer.
fn part(random: &mut Rng) -> String {
    match random.usize(..15) {
        0 => {
            let (start, end) = (r#"{"jsonrpc":"2.0","id":7,"result":{"a":""#, r#""}}"#);
            let length = SHORT + one(random, &[0, 1, 100]) - start.len() - end.len();
            format!("{start}{}{end}", "a".repeat(length))
        }
        number => PARTS[number % PARTS.len()].to_owned(),
    }
}

/// Returns one of these.
///
/// # Panics
///
/// Panics if there is none.
#[must_use]
pub fn one<T: Copy>(random: &mut Rng, of: &[T]) -> T {
    of[random.usize(..of.len())]
}

/// Returns a stream of events with all that may be between them. It may end anywhere.
fn events(random: &mut Rng) -> Vec<u8> {
    let mut text = one(random, &["", "", "\u{FEFF}"]).to_owned();
    for _ in 0..random.usize(..6) {
        text += one(random, &["", "", ": comment\n", "id: 1\n", "event: other\n", "retry: 5\n\n"]);
        let part = part(random);
        let (start, end) = part.split_once(',').unwrap_or((&part, ""));
        text += &match random.usize(..4) {
            0 => format!("data: {start},\nid: 2\ndata: {end}\n\n"),
            1 => format!("event: message\ndata:{part}\n\n"),
            _ => format!("data: {part}\n\n"),
        };
    }
    let text = text.replace('\n', one(random, &["\n", "\n", "\r\n", "\r"]));
    let cut = if random.usize(..4) == 0 { random.usize(..=text.len()) } else { text.len() };
    text.as_bytes()[..cut].to_vec()
}

/// Returns a response.
#[must_use]
pub fn response(random: &mut Rng) -> (Fields, Vec<u8>) {
    let (json, stream) = ("application/json", "text/event-stream");
    let kind =
        one(random, &[json, json, stream, stream, stream, "text/html", "Application/JSON; a=b"]);
    let body = match random.usize(..8) {
        0 => part(random).into_bytes(),
        1 => events(random),
        _ if kind == stream => events(random),
        _ => part(random).into_bytes(),
    };
    let status = one(random, &[200, 200, 200, 200, 200, 202, 400, 404, 500]);
    let mut fields = vec![("content-type", kind)];
    let length = body.len().to_string();
    if random.bool() {
        fields.push(("content-length", &length));
    }
    if random.usize(..12) == 0 {
        fields.push(("content-encoding", one(random, &["gzip", "identity"])));
    }
    (head(status, &fields), body)
}

/// Cuts a body into pieces at random. Some may be empty.
#[must_use]
pub fn cut<'b>(random: &mut Rng, body: &'b [u8]) -> Vec<&'b [u8]> {
    let (mut rest, mut pieces) = (body, Vec::new());
    let most = one(random, &[2, 16, 200, 1000]);
    while !rest.is_empty() {
        let (piece, next) = rest.split_at(random.usize(..=most).min(rest.len()));
        pieces.push(piece);
        rest = next;
    }
    if random.usize(..4) == 0 {
        pieces.push(b"");
    }
    pieces
}
