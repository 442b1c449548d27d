//! Differential tests of the fast paths against the plain scanner, for the crate's own tests and for fuzzing.
//!
//! A fast path must give the verdict of the plain path, or none. For any input, it must not report anything
//! that the plain scanner does not, and must not accept a message that the validator rejects.

use std::string::String;
use std::vec::Vec;

use crate::envelope::fast::{self, Undecided};
use crate::envelope::{
    Batches, CarriageReturns, Envelope, ErrorIds, Fault, GuardedNames, Ids, Message, Params,
    Profile, Results, Uncorrelated, Unparseable,
};
use crate::frame::{
    Assembler, DEFAULT_LIMIT, Delimiter, Frame, FrameEvent, Frames, HeapBuffer, Oversized,
};
use crate::rule::{Rule, Severity};
use crate::scan::{BackEnd, Descend, Level, Sink, Span, SyntaxError};
use crate::stream::{MessageStream, Messages, Received};

#[cfg(test)]
mod cuts;
#[cfg(test)]
#[expect(unreachable_pub, reason = "the integration tests have it, too")]
#[path = "../tests/support/volume.rs"]
mod volume;

/// The reports of a scanner.
#[derive(Debug, Default)]
struct Report {
    events: Vec<Event>,
    text: Vec<u8>,
    /// The starts of the current value at each level.
    top: usize,
    inner: usize,
}

/// Starts are not compared by themselves, because only one scanner reports the start of array elements. They
/// are checked with the ends.
impl PartialEq for Report {
    fn eq(&self, other: &Self) -> bool {
        self.events == other.events && self.text == other.text
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Event {
    Name(Level, Span),
    Value(Level, Span),
    Element,
    TooDeep,
}

impl Sink for Report {
    fn name(&mut self, level: Level, name: Span) -> Descend {
        self.events.push(Event::Name(level, name));
        // Enter every other member, so that both paths are tested.
        match name.start() % 2 {
            0 => Descend::Enter,
            _ => Descend::Skip,
        }
    }

    fn begin_value(&mut self, level: Level, start: usize) {
        match level {
            Level::Top => self.top = start,
            Level::Inner => self.inner = start,
        }
    }

    fn end_value(&mut self, level: Level, end: usize) {
        let start = match level {
            Level::Top => self.top,
            Level::Inner => self.inner,
        };
        self.events.push(Event::Value(level, Span::new(start, end)));
    }

    fn element(&mut self) {
        self.events.push(Event::Element);
    }

    fn too_deep(&mut self) {
        self.events.push(Event::TooDeep);
    }
}

const DEPTHS: [u8; 9] = [127, 0, 1, 2, 3, 5, 126, 128, 255];

/// The profile of a protocol that narrows down JSON-RPC.
pub(crate) const OBJECTS: Profile = Profile::JSON_RPC
    .with_params(Params::Object)
    .with_results(Results::Object)
    .with_ids(Ids::StringOrInteger)
    .with_error_ids(ErrorIds::AsRequest)
    .with_uncorrelated(Uncorrelated::Silent)
    .with_unparseable(Unparseable::Silent)
    .with_carriage_returns(CarriageReturns::Forbidden)
    .with_batches(Batches::Forbidden);

/// Returns rules as protocols on JSON-RPC have them.
fn protocols() -> [Profile; 3] {
    let absent = OBJECTS.with_error_ids(ErrorIds::OrAbsent).with_uncorrelated(Uncorrelated::NoId);
    [OBJECTS, OBJECTS.with_batches(Batches::Unmixed), absent]
}

fn all_profiles() -> impl Iterator<Item = Profile> {
    let changed = [Profile::JSON_RPC.strict(&GuardedNames::NONE), lenient()];
    [Profile::JSON_RPC, Profile::LSP].into_iter().chain(protocols()).chain(changed)
}

/// Returns rules that lower the first errors of many texts to warnings.
fn lenient() -> Profile {
    let lowered = [Rule::MISSING_JSONRPC, Rule::WRONG_VERSION, Rule::RAW_CARRIAGE_RETURN];
    let profile = OBJECTS.with_batches(Batches::Unmixed);
    lowered.into_iter().fold(profile, |profile, rule| {
        profile.with_severity(rule, Severity::Warning).unwrap_or(profile)
    })
}

/// Checks every path on a text, alone and as a line among others.
pub fn check(text: &[u8]) {
    for max_depth in DEPTHS {
        check_scan(text, max_depth);
    }
    for profile in all_profiles() {
        check_parse(text, &profile);
    }
    for limit in [DEFAULT_LIMIT, 64, 8] {
        for profile in &rules_of_lines() {
            check_lines(text, limit, profile);
        }
    }
}

/// Checks the paths selected by the first byte of the input, so that each fuzzing run is faster.
pub fn check_some(input: &[u8]) {
    if let Some((&choice, text)) = input.split_first() {
        check_chosen(text, choice);
    }
}

fn check_chosen(text: &[u8], choice: u8) {
    let choice = usize::from(choice);
    check_scan(text, DEPTHS.get(choice % 16).copied().unwrap_or(127));
    if let Some(profile) = all_profiles().nth(choice / 16 % 9) {
        check_parse(text, &profile);
    }
    let limit = if choice >= 128 { 64 } else { DEFAULT_LIMIT };
    if let Some(profile) = rules_of_lines().get(choice % 3) {
        check_lines(text, limit, profile);
    }
}

/// The stage that decides about a line of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecidedBy {
    /// The fast path accepted it.
    FastPath,
    /// The fast scanner accepted the text, but the validator has to decide about the members.
    Validator,
    /// The fast scanner did not accept the text.
    PlainScanner,
}

/// Returns the stage that decides about the line at the start of these bytes. The line ends with an LF.
pub fn decided_by(line: &[u8], profile: &Profile) -> DecidedBy {
    match fast::line(line, profile) {
        Ok(_) => DecidedBy::FastPath,
        Err(Undecided::Members) => DecidedBy::Validator,
        Err(Undecided::Text) => DecidedBy::PlainScanner,
    }
}

fn check_parse(text: &[u8], profile: &Profile) {
    let plain = Envelope::read_plain(text, Delimiter::Other, profile).message();
    assert_eq!(Message::parse(text, profile), plain, "{}", shown(text));
    assert_eq!(Envelope::read(text, profile).message(), plain, "{}", shown(text));
    if !text.contains(&b'\n') {
        let plain = Envelope::read_plain(text, Delimiter::Newline, profile).message();
        assert_eq!(Message::parse(Frame::from_line(text), profile), plain, "{}", shown(text));
    }
}

fn check_scan(text: &[u8], max_depth: u8) {
    let mut plain = Report::default();
    let verdict = crate::scan::plain(text, None, max_depth, &mut plain);
    for back_end in BackEnd::all() {
        check_back_end(back_end, text, max_depth, verdict, &plain);
    }
}

fn check_back_end(
    back_end: BackEnd,
    text: &[u8],
    max_depth: u8,
    verdict: Result<Span, SyntaxError>,
    plain: &Report,
) {
    let mut fast = Report::default();
    match back_end.document(text, max_depth, &mut fast) {
        Some(span) => {
            assert_eq!((verdict, plain), (Ok(span), &fast), "{back_end:?} {}", shown(text));
        }
        // Plainly valid texts must pass. Otherwise a fast path that never passes anything would go unnoticed.
        None => {
            let is_plain = verdict.is_ok_and(|span| {
                max_depth <= 127 && matches!(text.get(span.start() as usize), Some(b'{' | b'['))
            });
            assert!(!is_plain, "{back_end:?} {}", shown(text));
        }
    }
    // The same text with a line end and more bytes after it.
    let line = [text, b"\n{]"].concat();
    let mut fast = Report::default();
    if let Some((span, end)) = back_end.line(&line, max_depth, &mut fast) {
        assert_eq!(line.get(end), Some(&b'\n'));
        if end == text.len() {
            assert_eq!((verdict, plain), (Ok(span), &fast), "{back_end:?} {}", shown(text));
        }
        let line = line.get(..end).unwrap();
        assert!(
            !line.strip_suffix(b"\r").unwrap_or(line).iter().any(|byte| b"\r\n".contains(byte))
        );
    } else {
        let is_passed = back_end.document(text, max_depth, &mut crate::scan::Ignore).is_some();
        assert!(!is_passed || text.contains(&b'\r') || text.contains(&b'\n'), "{}", shown(text));
    }
    // The same text as a frame, which does not include the line end.
    if let Some((span, end)) = back_end.line(text, max_depth, &mut Report::default())
        && end == text.len()
    {
        assert_eq!(verdict, Ok(span), "{back_end:?} {}", shown(text));
        assert!(!text.contains(&b'\r'), "{back_end:?} {}", shown(text));
    }
}

fn rules_of_lines() -> [Profile; 3] {
    [
        Profile::JSON_RPC,
        OBJECTS.with_error_ids(ErrorIds::OrAbsent),
        Profile::JSON_RPC.strict(&GuardedNames::NONE),
    ]
}

/// Compares the stream APIs with splitting and then parsing.
fn check_lines(text: &[u8], limit: u32, profile: &Profile) {
    let wire = [text, b"\n", text, b"\r\n \n", text].concat();
    let mut slow = plain_lines(&wire, limit, profile);
    let mut fast = Messages::new(&wire, limit, profile).map(|received| line(&received));
    // A frame that spans chunks is read after it has been reassembled.
    let mut stream =
        MessageStream::with_assembler(Assembler::with_limit(HeapBuffer::default(), limit), profile);
    let mut chunks = wire.chunks(100);
    let mut chunk: &[u8] = b"";
    loop {
        let (slow, fast) = (slow.next(), fast.next());
        assert_eq!(slow, fast, "limit {limit}: {}", shown(&wire));
        let Some(slow) = slow else { return };
        loop {
            if let Some(received) = stream.next(&mut chunk) {
                assert_eq!(slow, line(&received), "limit {limit}: {}", shown(&wire));
                break;
            }
            match chunks.next() {
                Some(next) => chunk = next,
                None => {
                    let last = stream.finish();
                    assert_eq!(last.map(|received| line(&received)), Some(slow));
                    break;
                }
            }
        }
    }
}

/// An item of a stream API.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Line<'buf> {
    Frame(Frame<'buf>, Result<Message<'buf>, Fault<'buf>>),
    Oversized(Oversized),
    Other,
}

/// Splits lines, and parses each of them with the plain scanner.
fn plain_lines<'buf>(
    wire: &'buf [u8],
    limit: u32,
    profile: &Profile,
) -> impl Iterator<Item = Line<'buf>> {
    Frames::new(wire, limit).map(|event| match event {
        FrameEvent::Frame(frame) => {
            let envelope = Envelope::read_plain(frame.bytes(), Delimiter::Newline, profile);
            Line::Frame(frame, envelope.message())
        }
        FrameEvent::Oversized(oversized) => Line::Oversized(oversized),
        _ => Line::Other,
    })
}

fn line<'buf>(received: &Received<'buf>) -> Line<'buf> {
    match *received {
        Received::Message { frame, message } => Line::Frame(frame, Ok(message)),
        Received::Fault { frame, fault } => Line::Frame(frame, Err(fault)),
        Received::Oversized { oversized, .. } => Line::Oversized(oversized),
        _ => Line::Other,
    }
}

fn shown(text: &[u8]) -> String {
    std::format!("{}", text.escape_ascii())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::volume::volume;
    use super::{BackEnd, Vec, check, check_chosen};

    /// The number of mutated documents to check.
    const DOCUMENTS: u32 = 10_000;

    /// A linear congruential generator (Knuth's MMIX), so that every run tests the same texts.
    pub(super) struct Random(pub(super) u64);

    impl Random {
        pub(super) fn below(&mut self, limit: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) as usize) % limit
        }
    }

    /// Returns messages that together exercise every path of the scanner.
    pub(super) fn seeds() -> Vec<Vec<u8>> {
        let long =
            "a long text without anything special in it, so that a kernel takes over. ".repeat(4);
        let escapes =
            r#"line\n\ttab \"quoted\" \\ \/ \u00e9 \ud83d\ude00 and on and on and on \r\n"#
                .repeat(5);
        let numbers: Vec<_> = (0..60).map(|n| std::format!("{}", n * 7919 % 1000 - 300)).collect();
        let floats: Vec<_> =
            (0..60).map(|n| std::format!("{}.{}e-{}", n % 3, n * 31, n % 20)).collect();
        let deep = "[".repeat(120) + &"]".repeat(120);
        [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":-2.5e3}}}"#.into(),
            r#" { "jsonrpc" : "2.0" , "method" : "m" , "params" : [ true , false , null , {} , [] ] } "#.into(),
            r#"{"result":{"content":[{"type":"text","text":"caf\u00e9 café 🚀"}]},"jsonrpc":"2.0","id":"a-1"}"#.into(),
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no","data":[1,2,3]}}"#.into(),
            r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}]"#.into(),
            "{\r\"jsonrpc\":\"2.0\",\r\"id\":1,\"method\":\"a\",\"params\":[1,\r        2,\r\r3]}\r".into(),
            std::format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"text":"{long}é{long}"}}}}"#),
            std::format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"text":"{escapes}"}}}}"#),
            std::format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"v":[{}],"f":[{}]}}}}"#, numbers.join(","), floats.join(",")),
            std::format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"v":[{}]}}}}"#, numbers.join(", ")),
            std::format!(r#"{{"jsonrpc":"2.0","id":2,"params":{deep},"method":"x"}}"#),
        ]
        .map(std::string::String::into_bytes)
        .to_vec()
    }

    /// Returns all inputs of the other tests: each file as a whole, without its first byte, which controls
    /// some of the tests, and line by line.
    fn corpus() -> Vec<Vec<u8>> {
        let mut files = Vec::new();
        for folder in ["mcp/tests/data", "tests/fuzz", "examples"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            // The published package has no folder of another one.
            if folder.exists() {
                list(&folder, &mut files);
            }
        }
        assert!(files.len() > 80, "{files:?}");
        let mut texts = Vec::new();
        for file in files {
            let file = std::fs::read(file).unwrap();
            texts.extend(file.split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
            texts.push(file.get(1..).unwrap_or_default().to_vec());
            texts.push(file);
        }
        texts.sort();
        texts.dedup();
        texts
    }

    fn list(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if !path.is_dir() {
                files.push(path);
            } else if !path.ends_with("target") {
                list(&path, files);
            }
        }
    }

    /// Checks one randomly chosen path of each kind, so that many texts are tried in a short time. With a larger volume
    /// than the default, checks every path.
    fn check_drawn(text: &[u8], random: &mut Random) {
        match volume(1) {
            1 => check_chosen(text, u8::try_from(random.below(256)).unwrap()),
            _ => check(text),
        }
    }

    /// Without this check, kernels that are never called would also count as equal to the plain scanner.
    fn assert_every_kernel_was_entered() {
        for back_end in BackEnd::all() {
            for &kernel in back_end.kernels() {
                let entered = back_end.entered(kernel);
                std::println!("{} {kernel:?}: {entered}", back_end.name());
                assert!(entered > 0, "{} {kernel:?}", back_end.name());
            }
        }
    }

    /// Features are detected at run time. `TAUTLINE_BACK_ENDS` names the back ends that a test run relies on.
    #[test]
    fn back_ends_are_those_of_the_machine() {
        let names = BackEnd::all().map(BackEnd::name).collect::<Vec<_>>().join(",");
        std::println!("this machine has these: {names}");
        if let Ok(expected) = std::env::var("TAUTLINE_BACK_ENDS") {
            assert_eq!(names, expected);
        }
    }

    #[test]
    fn healthy_messages_and_every_way_to_break_one_byte_of_them() {
        let mut random = Random(7);
        for seed in seeds() {
            check(&seed);
            for at in 0..seed.len() {
                check_drawn(&seed[..at], &mut random);
                for byte in [b'"', b'\\', b',', b'0', b'\n', 0x1F, 0x80] {
                    let mut broken = seed.clone();
                    broken[at] = byte;
                    check_drawn(&broken, &mut random);
                }
            }
        }
        assert_every_kernel_was_entered();
    }

    /// The scanner must remember the enclosing containers at every depth.
    #[test]
    fn containers_of_both_kinds_at_every_depth() {
        let mut random = Random(5);
        for depth in 0..130 {
            let (mut before, mut behind) = (Vec::new(), Vec::new());
            for _ in 0..depth {
                let (open, close): (&[u8], &[u8]) = match random.below(4) {
                    0 => (b"[", b"]"),
                    1 => (b"[\"a\",", b",1 ]"),
                    2 => (b"{\"a\":", b"}"),
                    _ => (b"{\"a\" : \"b\", \"c\":", b",\"d\":[]}"),
                };
                before.extend(open);
                behind.extend(close.iter().rev());
            }
            behind.reverse();
            let whole = [&before, &b"0"[..], &behind].concat();
            check(&whole);
            check(&[b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":", &whole[..], b"}"].concat());
            let is_bracket = |at: &usize| b"[]{}".contains(&whole[*at]);
            for at in (before.len()..whole.len()).filter(is_bracket) {
                let mut broken = whole.clone();
                broken[at] ^= b'[' ^ b'{';
                check_drawn(&broken, &mut random);
            }
        }
    }

    #[test]
    fn the_inputs_of_all_other_tests() {
        corpus().iter().for_each(|text| check(text));
    }

    #[test]
    fn what_the_fuzzer_begins_with_and_what_it_has_found() {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
        let mut inputs = 0;
        for kind in ["seeds", "regressions"] {
            for entry in fuzz.join(kind).join("scan_fast_vs_plain").read_dir().unwrap() {
                let input = std::fs::read(entry.unwrap().path()).unwrap();
                super::check_some(&input);
                check(input.get(1..).unwrap_or_default());
                inputs += 1;
            }
        }
        assert!(inputs > 10);
    }

    #[test]
    fn mutated_documents() {
        let documents = volume(DOCUMENTS);
        let seeds = seeds();
        let mut corpus = corpus();
        // The other texts are broken even before mutation.
        corpus.retain(|text| matches!(text.trim_ascii_start(), [b'{' | b'[', ..]));
        let mut random = Random(1);
        let pieces: &[&[u8]] = &[
            b"\"",
            b"\\",
            b"\\u00e9",
            b"\\ud800",
            b"\xC3\xA9",
            b"\xFF",
            b"{",
            b"}",
            b"[",
            b"]",
            b",",
            b":",
            b"-0",
            b"01",
            b"1.5e+7",
            b"true",
            b"nul",
            b"\n",
            b"\r",
            b" ",
            b"\"id\":1",
            b"\"error\":{}",
            b"a",
            b"1,",
            b"-2.5e3,",
            b"[1],",
            b"\"a\",",
            b"\"\xE2\x82\xAC\":\"\xF0\x9F\x9A\x80\",",
        ];
        let mut healthy = 0;
        for _ in 0..documents {
            let kind = if random.below(2) == 0 { &seeds } else { &corpus };
            let mut text = kind[random.below(kind.len())].clone();
            for _ in 0..=random.below(3) {
                let at = random.below(text.len() + 1);
                let end = at + random.below(6).min(text.len() - at);
                // Sometimes repeat a piece so often that a kernel takes over.
                let times = if random.below(8) == 0 { random.below(100) } else { 1 };
                let piece = pieces[random.below(pieces.len())].repeat(times);
                text.splice(at..end, piece);
            }
            healthy += usize::from(crate::scan::validate(&text, 127).is_ok());
            check_drawn(&text, &mut random);
        }
        std::println!("{documents} mutated documents, {healthy} of them valid");
        assert!(healthy > documents as usize / 20);
        assert_every_kernel_was_entered();
    }
}
