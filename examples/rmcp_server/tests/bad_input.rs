//! Runs the same server with rmcp's own transport and with tautline's, and sends both the same bad input. The table in
//! `README.md` shows what each of them does.
//!
//! `TAUTLINE_BLESS=1 cargo test` rewrites the table. Read the difference before you commit it.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{IntoTransport, Transport};
use rmcp::{RoleServer, ServiceExt};
use rmcp_server::server::Server;
use rmcp_server::transport::LineTransport;
use tautline::frame::DEFAULT_LIMIT;
use tautline::stream::{Messages, Received};
use tautline::{Message, Profile, Response};
use tautline_mcp::Revision;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::time::timeout;

const PROFILE: Profile = Revision::LATEST.profile();
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":"after","method":"ping"}"#;
const MIB: usize = 1 << 20;
/// Long enough that it does not expire even on an overloaded machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// An input, and when it is sent.
struct Input {
    /// The name of the input in the table.
    name: &'static str,
    bytes: Vec<u8>,
    when: When,
}

#[derive(Clone, Copy, PartialEq)]
enum When {
    /// Before `initialize`.
    First,
    /// In an open session.
    Open,
    /// In an open session, as the last bytes of the stream.
    Last,
}

/// The outcome of an input.
#[derive(PartialEq)]
struct Seen {
    replies: Vec<String>,
    /// True if a ping was answered afterwards. `None` if the stream had ended, so none could be sent.
    alive: Option<bool>,
}

fn inputs() -> Vec<Input> {
    let mut inputs = Vec::new();
    let mut add = |when, name, bytes: Vec<u8>| inputs.push(Input { name, bytes, when });
    let line = |text: &str| format!("{text}\n").into_bytes();

    add(When::Open, "a line of log", line("INFO: connected to the database"));
    add(When::Open, "blank lines, with and without CR and spaces", b"\n\r\n \t\n".to_vec());
    add(
        When::Open,
        "a request that ends with CRLF",
        line("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\r"),
    );
    add(When::Open, "half a request", line(r#"{"jsonrpc":"2.0","id":7,"meth"#));
    add(
        When::Open,
        "two requests on one line",
        line(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}{"jsonrpc":"2.0","id":8,"method":"ping"}"#),
    );
    add(
        When::Open,
        "a request over several lines",
        line("{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 7,\n  \"method\": \"ping\"\n}"),
    );
    add(
        When::Open,
        "a request between two CRs, in the params of another one",
        line(
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"_meta\":{\"x\":[\r{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/list\"}\r]}}}",
        ),
    );
    add(
        When::Open,
        "a `Content-Length` header before the request",
        line("Content-Length: 40\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"),
    );
    add(
        When::Open,
        "a byte order mark before the request",
        line("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"),
    );
    add(
        When::First,
        "a byte order mark before the first request",
        line("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"),
    );
    add(
        When::Open,
        "a request that is not UTF-8",
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}\n"
            .to_vec(),
    );
    add(
        When::Open,
        "a raw NUL in a name",
        line("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"a\0b\":1}}"),
    );
    add(
        When::Open,
        "an escaped NUL in a name",
        line(r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a\u0000b":1}}"#),
    );
    add(
        When::Open,
        "half a character, escaped",
        line(r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"\ud83d"}}"#),
    );
    add(
        When::Open,
        "a number beyond every float",
        line(r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1e999}}"#),
    );
    add(When::Open, "no `jsonrpc`", line(r#"{"id":7,"method":"ping"}"#));
    add(When::Open, "`\"jsonrpc\":\"1.0\"`", line(r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#));
    add(When::Open, "`\"id\":null`", line(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#));
    add(When::Open, "`\"id\":1.5`", line(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#));
    add(When::Open, "`\"id\":true`", line(r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#));
    add(When::Open, "`\"id\":{}`", line(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#));
    add(When::Open, "`\"id\":7.0`", line(r#"{"jsonrpc":"2.0","id":7.0,"method":"ping"}"#));
    add(
        When::Open,
        "`\"id\":18446744073709551616`",
        line(r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#),
    );
    add(When::Open, "two `id`s", line(r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}"#));
    add(
        When::Open,
        "two `method`s",
        line(r#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}"#),
    );
    add(
        When::Open,
        "two `name`s of a tool",
        line(
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","name":"fail"}}"#,
        ),
    );
    add(
        When::Open,
        "`Method` beside `method`",
        line(r#"{"jsonrpc":"2.0","id":7,"method":"ping","Method":"tools/list"}"#),
    );
    add(When::Open, "`Method` alone", line(r#"{"jsonrpc":"2.0","id":7,"Method":"ping"}"#));
    add(When::Open, "a method that is a number", line(r#"{"jsonrpc":"2.0","id":7,"method":1}"#));
    add(When::Open, "an unknown method", line(r#"{"jsonrpc":"2.0","id":7,"method":"nosuch"}"#));
    add(When::Open, "an unknown notification", line(r#"{"jsonrpc":"2.0","method":"nosuch"}"#));
    add(When::Open, "a broken notification", line(r#"{"method":"notifications/initialized"}"#));
    add(
        When::Open,
        "`params` that are a string",
        line(r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":"a"}"#),
    );
    add(
        When::Open,
        "`params` that are an array",
        line(r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}"#),
    );
    add(
        When::Open,
        "`params` that are null",
        line(r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":null}"#),
    );
    add(
        When::Open,
        "an argument of another type",
        line(
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":"2"}}}"#,
        ),
    );
    add(
        When::Open,
        "`method` and `result`",
        line(r#"{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}"#),
    );
    add(
        When::Open,
        "`result` and `error`",
        line(r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":-1,"message":"a"}}"#),
    );
    add(When::Open, "a response to no request", line(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#));
    add(When::Open, "a batch", line(r#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#));
    add(When::Open, "an empty batch", line("[]"));
    add(When::Open, "an object with nothing in it", line("{}"));
    add(When::Open, "a number", line("7"));
    let nested = |depth| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        line(&format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{{"a":{open}{close}}}}}"#
        ))
    };
    add(When::Open, "200 arrays inside each other", nested(200));
    add(When::Open, "100,000 arrays inside each other", nested(100_000));
    let long = |length| {
        let text = "a".repeat(length);
        line(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{{"a":"{text}"}}}}"#))
    };
    add(When::Open, "a request of 5 MiB", long(5 * MIB));
    add(When::Open, "a request of 20 MiB", long(20 * MIB));
    let mut smuggled = vec![b'a'; 17 * MIB];
    smuggled.extend(line(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#));
    add(When::Open, "17 MiB of anything, and a request on the same line", smuggled);
    add(
        When::First,
        "a request before `initialize`",
        line(r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#),
    );
    add(When::First, "a notification before `initialize`", line(INITIALIZED));
    add(
        When::First,
        "a response before `initialize`",
        line(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#),
    );
    add(When::First, "a line of log before `initialize`", line("npm warn deprecated"));
    let request = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    add(When::Last, "a request without its newline, and the end", request.into());
    add(When::Last, "half a request, and the end", request.as_bytes()[..25].to_vec());
    inputs
}

/// A client that sees every line.
struct Client {
    input: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
    /// The replies that answer none of the client's own requests.
    replies: Vec<String>,
}

impl Client {
    /// Sends bytes, and ignores failures: if the server has exited, the next read shows it.
    async fn send(&mut self, bytes: &[u8]) {
        let _ = self.output.write_all(bytes).await;
    }

    async fn line(&mut self) -> Option<String> {
        timeout(PATIENCE, self.input.next_line()).await.expect("it hangs").unwrap()
    }

    /// Returns whether the request is answered with a result.
    async fn asks(&mut self, request: &str) -> bool {
        self.send(request.as_bytes()).await;
        self.send(b"\n").await;
        let Ok(Message::Request(request)) = Message::parse(request.as_bytes(), &PROFILE) else {
            panic!()
        };
        while let Some(line) = self.line().await {
            let reply = response(&line);
            if reply.id() == Some(request.id()) {
                return reply.result().is_some();
            }
            self.note(&reply);
        }
        false
    }

    async fn opens(&mut self) -> bool {
        let open = self.asks(INITIALIZE).await;
        self.send(INITIALIZED.as_bytes()).await;
        self.send(b"\n").await;
        open
    }

    fn note(&mut self, reply: &Response<'_>) {
        let what = match reply.error() {
            None => "a result".to_owned(),
            Some(error) => error.raw_code().to_string(),
        };
        self.replies.push(match reply.id() {
            Some(id) => format!("{what} with id {id}"),
            None => format!("{what} without id"),
        });
    }
}

/// Parses a line from the server, which must be a legal response.
fn response(line: &str) -> Response<'_> {
    match Message::parse(line.as_bytes(), &PROFILE) {
        Ok(Message::Response(response)) => response,
        other => panic!("{line}: {other:?}"),
    }
}

async fn observe<T: Transport<RoleServer> + 'static>(
    input: &Input,
    transport: impl FnOnce(DuplexStream) -> T,
) -> Seen {
    let (ours, theirs) = duplex(64 * 1024);
    let transport = transport(theirs);
    let server = tokio::spawn(async move {
        if let Ok(session) = Server.serve(transport.into_transport()).await {
            session.waiting().await.unwrap();
        }
    });
    let (reader, output) = split(ours);
    let lines = BufReader::new(reader).lines();
    let mut client = Client { input: lines, output, replies: Vec::new() };

    if input.when != When::First {
        assert!(client.opens().await);
    }
    client.send(&input.bytes).await;
    let alive = match input.when {
        When::First => Some(client.opens().await && client.asks(PING).await),
        When::Open => Some(client.asks(PING).await),
        When::Last => None,
    };
    // The remaining replies arrive before the server ends.
    let _ = client.output.shutdown().await;
    while let Some(line) = client.line().await {
        client.note(&response(&line));
    }
    server.await.unwrap();
    Seen { replies: client.replies, alive }
}

/// Returns the names under which the log of tautline's transport lists the input.
fn names(input: &Input) -> Vec<String> {
    let mut wire = match input.when {
        When::First => String::new(),
        When::Open | When::Last => format!("{INITIALIZE}\n{INITIALIZED}\n"),
    }
    .into_bytes();
    wire.extend(&input.bytes);
    let faults =
        Messages::new(&wire, DEFAULT_LIMIT, &PROFILE).filter_map(|received| match received {
            Received::Fault { fault, .. } | Received::Oversized { fault, .. } => Some(fault),
            _ => None,
        });
    let mut names: Vec<_> =
        faults.map(|fault| format!("`{}`", tautline::rule::name(fault.rule()))).collect();
    names.dedup();
    names
}

fn cell(seen: &Seen) -> String {
    let mut cell = match seen.replies.len() {
        0 => "silence".to_owned(),
        _ => seen.replies.join("; "),
    };
    if seen.alive == Some(false) {
        cell.push_str("; **the session ends**");
    }
    cell
}

#[tokio::test]
async fn the_table_is_what_is_seen() {
    let mut table = String::from(
        "| input | with rmcp's transport | with tautline's | tautline calls it |\n|---|---|---|---|\n",
    );
    let (mut total, mut same) = (0, 0);
    for input in inputs() {
        let theirs = observe(&input, |pipe| {
            let (input, output) = split(pipe);
            AsyncRwTransport::new_server(input, output)
        });
        let theirs = theirs.await;
        let ours = observe(&input, |pipe| {
            let (input, output) = split(pipe);
            LineTransport::new(input, output, &PROFILE)
        });
        let ours = ours.await;
        assert_ne!(ours.alive, Some(false), "{}", input.name);
        total += 1;
        same += u32::from(theirs == ours);
        let ours_cell = if theirs == ours { "the same".to_owned() } else { cell(&ours) };
        let names = names(&input).join(", ");
        writeln!(table, "| {} | {} | {ours_cell} | {names} |", input.name, cell(&theirs)).unwrap();
    }
    writeln!(table, "\nOf {total} inputs, {same} make no difference.").unwrap();
    check_readme(&table);
}

fn check_readme(table: &str) {
    const BEGIN: &str = "<!-- table: written by the test -->\n";
    const END: &str = "<!-- end of the table -->\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(BEGIN).unwrap();
    let (expected, after) = rest.split_once(END).unwrap();
    if std::env::var_os("TAUTLINE_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    for (actual, expected) in table.lines().zip(expected.lines()) {
        assert_eq!(actual, expected);
    }
    assert_eq!(table, expected);
}
