//! The streams that the core is run over.

/// A stream, and the verdict that the core must reach on it under the profile of JSON-RPC.
pub struct Input {
    pub name: &'static str,
    pub bytes: &'static [u8],
    pub verdict: Verdict,
}

/// The expected outcome for the lines of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Messages only, no fault.
    Healthy,
    /// Faults or oversized lines only, no message.
    Hostile,
}

/// The stream of the images that are never run. It is in each of them, so it cancels out in their differences.
pub static PLAIN: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n";

/// The streams of the image that is run. The shallow and the deep one differ only in depth.
pub static ALL: &[Input] = &[
    Input { name: "healthy", bytes: HEALTHY, verdict: Verdict::Healthy },
    Input { name: "hostile", bytes: HOSTILE, verdict: Verdict::Hostile },
    Input { name: "shallow", bytes: &nested::<2, LONGEST>(), verdict: Verdict::Healthy },
    Input { name: "deep", bytes: &nested::<126, LONGEST>(), verdict: Verdict::Healthy },
    Input { name: "too deep", bytes: &nested::<127, LONGEST>(), verdict: Verdict::Hostile },
    Input { name: "unclosed", bytes: &[b'['; 500], verdict: Verdict::Hostile },
    Input { name: "oversized", bytes: &[b' '; 5000], verdict: Verdict::Hostile },
];

/// Every shape of message, the line ends and blanks that framing allows, escapes, and all types of ids.
const HEALTHY: &[u8] = b"\xEF\xBB\xBF\
{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"a\\u00e9\\n\",\"n\":[1,-2.5e3,true,null]},\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":\"b\\u0062\"}\r\n\
\n \t\r\n\
{\"id\":7,\"\\u006dethod\":\"x\",\"jsonrpc\":\"2.0\",\"extra\":\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\
{\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]},\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"no\",\"data\":[{}]},\"id\":\"c\"}\n\
{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"},\"id\":null}\n\
[{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1},{\"jsonrpc\":\"2.0\",\"method\":\"b\"}]\n\
{\"jsonrpc\":\"2.0\",\"method\":\"the last line has no end\",\"id\":9007199254740993}";

/// One line for each kind of error: in the text, the envelope or the id.
const HOSTILE: &[u8] = b"\xFF\xFE\x00\x01\n\
{\n\
not json\n\
{\"jsonrpc\":\"2.0\",\"method\":\"\xC0\x80\",\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"\\ud800\",\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}{}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":01}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"method\":\"b\",\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1,\"i\\u0064\":2}\n\
{\"jsonrpc\":\"2.0\",\"method\":7,\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":\"no\",\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":{}}\n\
{\"jsonrpc\":\"2.0\",\"result\":1}\n\
{\"jsonrpc\":\"2.0\",\"result\":1,\"error\":{\"code\":1,\"message\":\"\"},\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1.5,\"message\":\"\"},\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"error\":{\"message\":7},\"id\":1}\n\
{\"jsonrpc\":\"1.0\",\"method\":\"a\",\"id\":1}\n\
{\"method\":\"a\",\"id\":1}\n\
{\"jsonrpc\":\"2.0\",\"id\":1}\n\
[]\n\
[1,[],\n\
\"text\"\n\
1e999\n\
{}";

/// The length of the longest stream that [`nested`] makes.
const LONGEST: usize = 50 + 2 * 127;

/// Returns a request whose params are nested arrays of this depth, padded with blanks.
const fn nested<const DEPTH: usize, const LEN: usize>() -> [u8; LEN] {
    let mut bytes = [b' '; LEN];
    let before = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1,\"params\":";
    let mut at = 0;
    while at < before.len() {
        bytes[at] = before[at];
        at += 1;
    }
    let mut depth = 0;
    while depth < DEPTH {
        bytes[at + depth] = b'[';
        bytes[at + 2 * DEPTH - 1 - depth] = b']';
        depth += 1;
    }
    bytes[at + 2 * DEPTH] = b'}';
    bytes[LEN - 1] = b'\n';
    bytes
}
