//! A small server over HTTP for clients under test. It is correct except for the mistake of one case.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use tautline_conformance::{Case, Step};
use tautline_mcp::http::status;

use super::request::{Request, Requests};
use crate::probe::player::log::Log;
use crate::probe::player::surface::{Surface, client};

/// The number of connections at the same time. Others are closed at once.
const CONNECTIONS: usize = 64;
/// The time that a connection may be idle.
const IDLE: Duration = Duration::from_secs(60);

/// A server that runs until it is dropped.
pub struct Player {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    surface: Surface,
    revision: String,
    /// The case, until its mistake is made.
    case: Mutex<Option<Case>>,
    log: Mutex<Log>,
    has_ended: AtomicBool,
    connections: AtomicUsize,
}

impl Player {
    /// Starts a server of a revision, which makes the mistake of a case.
    pub fn start(revision: &str, case: Option<&Case>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            surface: Surface::new(revision),
            revision: revision.to_owned(),
            case: Mutex::new(case.cloned()),
            log: Mutex::default(),
            has_ended: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
        });
        let player = Self { address, shared: Arc::clone(&shared) };
        thread::Builder::new().spawn(move || accept(&listener, &shared))?;
        Ok(player)
    }

    /// Returns the address for the client.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Returns what has happened so far.
    pub fn log(&self) -> Log {
        self.shared.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.shared.has_ended.store(true, Ordering::Release);
        // It wakes the thread that accepts connections.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for socket in listener.incoming() {
        if shared.has_ended.load(Ordering::Acquire) {
            return;
        }
        let Ok(socket) = socket else { continue };
        if shared.connections.load(Ordering::Acquire) >= CONNECTIONS {
            continue;
        }
        shared.connections.fetch_add(1, Ordering::AcqRel);
        let served = Arc::clone(shared);
        let spawned = thread::Builder::new().spawn(move || {
            // The client may go away at any time.
            let _ = serve(socket, &served);
            served.connections.fetch_sub(1, Ordering::AcqRel);
        });
        if spawned.is_err() {
            shared.connections.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// Answers the requests on a connection.
fn serve(mut socket: TcpStream, shared: &Shared) -> io::Result<()> {
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(IDLE))?;
    socket.set_write_timeout(Some(IDLE))?;
    let (mut requests, mut room) = (Requests::default(), [0; 16 * 1024]);
    loop {
        while let Some(request) = requests.next()? {
            if shared.has_ended.load(Ordering::Acquire) {
                return Ok(());
            }
            shared.answer(&request, &mut socket)?;
            if request.closes {
                return Ok(());
            }
        }
        match socket.read(&mut room)? {
            0 => return Ok(()),
            length => requests.push(room.get(..length).unwrap_or_default()),
        }
    }
}

/// The members of a message that the server needs.
#[derive(serde::Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: String,
    #[serde(default)]
    params: Value,
}

impl Shared {
    fn answer(&self, request: &Request, socket: &mut TcpStream) -> io::Result<()> {
        match request.method.as_str() {
            "POST" => {}
            "DELETE" => return socket.write_all(&response(200, &[], "")),
            _ => return socket.write_all(&response(405, &["Allow: POST, DELETE"], "")),
        }
        let Ok(message) = serde_json::from_slice::<Message<'_>>(&request.body) else {
            // It may be a response.
            return socket.write_all(&response(202, &[], ""));
        };
        let Some(id) = message.id else { return socket.write_all(&response(202, &[], "")) };
        let case = self.note(&message);
        let usual = self.usual(&message, id.get());
        match case {
            Some(case) => play(&case.steps, id.get(), &usual, socket),
            None => socket.write_all(&usual),
        }
    }

    /// Logs a request, and returns the case if the request is the one that it answers.
    fn note(&self, message: &Message<'_>) -> Option<Case> {
        let is_it = |case: &mut Case| case.on.as_deref() == Some(message.method.as_str());
        let case = self.case.lock().unwrap_or_else(PoisonError::into_inner).take_if(is_it);
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((name, version)) = client(&message.params) {
            log.name.get_or_insert_with(|| name.to_owned());
            log.version.get_or_insert_with(|| version.to_owned());
        }
        log.requests += 1;
        log.has_played |= case.is_some();
        case
    }

    /// Returns the usual answer to a request.
    fn usual(&self, message: &Message<'_>, id: &str) -> Vec<u8> {
        let body = self.surface.answer(&message.method, &message.params);
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{body}}}");
        let code = serde_json::from_str::<Value>(&body).ok();
        let code = code.and_then(|body| body.pointer("/error/code")?.as_i64());
        let revision = self.revision.parse().unwrap_or_default();
        let status =
            code.map_or(200, |code| status::of_error(revision, tautline::ErrorCode::new(code)));
        let json = "Content-Type: application/json";
        match message.method == "initialize" && status == 200 {
            true => response(status, &[json, "Mcp-Session-Id: player"], &body),
            false => response(status, &[json], &body),
        }
    }
}

fn response(status: u16, headers: &[&str], body: &str) -> Vec<u8> {
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let length = body.len();
    format!("HTTP/1.1 {status} Answer\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// Sends the steps of a case in answer to the request with this id. An error ends the connection.
fn play(steps: &[Step], id: &str, usual: &[u8], socket: &mut TcpStream) -> io::Result<()> {
    let length = length(steps, id).to_string();
    for step in steps {
        match step {
            Step::PauseMs(ms) => thread::sleep(Duration::from_millis((*ms).into())),
            Step::Answer(_) => socket.write_all(usual)?,
            Step::Close(_) => return Err(io::ErrorKind::ConnectionAborted.into()),
            step => {
                let Some((bytes, count)) = step.bytes() else { continue };
                let bytes = with_id(&bytes, id);
                let bytes = match String::from_utf8(bytes) {
                    Ok(text) => text.replace("{LENGTH}", &length).into_bytes(),
                    Err(error) => error.into_bytes(),
                };
                socket.write_all(&bytes.repeat(count as usize))?;
            }
        }
    }
    Ok(())
}

/// Returns the number of bytes after the head that has the placeholder `{LENGTH}`.
fn length(steps: &[Step], id: &str) -> usize {
    let (mut head, mut length, mut is_body) = (Vec::new(), 0, false);
    for (bytes, count) in steps.iter().filter_map(Step::bytes) {
        let bytes = with_id(&bytes, id);
        if is_body {
            length += bytes.len() * count as usize;
            continue;
        }
        head.extend_from_slice(&bytes);
        let end = memchr::memmem::find(&head, b"{LENGTH}").and_then(|at| {
            let rest = head.get(at..)?;
            Some(rest.len() - memchr::memmem::find(rest, b"\r\n\r\n")? - 4)
        });
        if let Some(rest) = end {
            (is_body, length) = (true, rest);
        }
    }
    length
}

fn with_id(bytes: &[u8], id: &str) -> Vec<u8> {
    match str::from_utf8(bytes) {
        Ok(text) => text.replace("$ID", id).into_bytes(),
        Err(_) => bytes.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use tautline_conformance::{Corpus, Role};

    use super::super::reply::Replies;
    use super::Player;

    fn ask(player: &Player, requests: &str) -> Replies {
        let mut socket = TcpStream::connect(player.address).unwrap();
        socket.write_all(requests.as_bytes()).unwrap();
        socket.shutdown(std::net::Shutdown::Write).unwrap();
        let (mut replies, mut bytes) = (Replies::default(), Vec::new());
        let _ = socket.read_to_end(&mut bytes);
        replies.push(&bytes);
        replies.finish();
        replies
    }

    fn post(id: &str, method: &str) -> String {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{}}}}"#);
        format!("POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn each_mistake_is_made_once_and_all_else_is_as_usual() {
        let corpus = Corpus::http();
        let cases: Vec<_> = corpus.cases.iter().filter(|case| case.role == Role::Client).collect();
        assert!(cases.len() >= 80);
        for case in cases {
            let player = Player::start(&case.revisions[0], Some(case)).unwrap();
            let method = case.on.as_deref().unwrap();
            let first = ask(&player, &post("\"a\"", method));
            assert!(player.log().has_played, "{}", case.id);
            let is_right = case.outcomes[0].ending == Some(tautline_conformance::Ending::Success);
            let has_result = first.seen.iter().any(|seen| !seen.answers.is_empty());
            assert!(!is_right || has_result || case.id.ends_with("session-gone"), "{}", case.id);
            let second = ask(&player, &(post("7", method) + &post("8", method)));
            let answers = second.seen.iter().map(|seen| (seen.status, seen.answers[0].to_string()));
            let expected = [(200, "a result with id 7".into()), (200, "a result with id 8".into())];
            assert_eq!(answers.collect::<Vec<_>>(), expected, "{}", case.id);
        }
    }

    #[test]
    fn the_server_has_sessions_and_no_streams() {
        let player = Player::start("2025-11-25", None).unwrap();
        let seen = ask(&player, &post("1", "initialize")).seen;
        assert_eq!(seen[0].values("mcp-session-id").next(), Some(&b"player"[..]));
        let others = "GET / HTTP/1.1\r\n\r\nDELETE / HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
        let seen = ask(&player, others).seen;
        assert_eq!(seen.iter().map(|seen| seen.status).collect::<Vec<_>>(), [405, 200, 202]);
    }
}
