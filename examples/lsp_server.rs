//! A language server on standard input and output. It marks every `TODO` in a document.
//!
//! Register it with an editor as the command `lsp_server`, without arguments. In Neovim:
//!
//! ```lua
//! vim.lsp.start({ name = "todo", cmd = { "lsp_server" } })
//! ```

use std::io::{self, Read, Write};
use std::process::ExitCode;

use serde::Deserialize;
use tautline::encode::{NewError, Object, array, object};
use tautline::endpoint::{Endpoint, Failure, Responded, Responder, Router, Traffic};
use tautline::frame::ContentLength;
use tautline::io::{MessageReader, MessageWriter};
use tautline::stream::Received;
use tautline::{Call, ErrorCode, Fault, Message, Profile};

/// The maximum length of a message, in bytes. A longer message is skipped. If it is a request, it is
/// answered with an error.
const LONGEST_MESSAGE: u32 = 16 << 20;

/// The maximum number of bytes that wait to be sent. Diagnostics may be many times as long as their document.
const LONGEST_OUTPUT: u32 = 256 << 20;

/// The methods of the server. A notification without a handler is ignored.
fn router() -> Router<Server> {
    let mut router = Router::new();
    router
        .request("initialize", initialize)
        .request("shutdown", |server: &mut Server, _, responder| {
            server.phase = Phase::Shutdown;
            Ok(responder.result(None::<i64>))
        })
        .notification("exit", exit)
        .typed_notification("textDocument/didOpen", did_open)
        .typed_notification("textDocument/didChange", did_change);
    router
}

#[derive(Default)]
struct Server {
    phase: Phase,
    /// The documents opened or changed by the last message, with their text.
    changed: Vec<(String, String)>,
}

/// The phase of the session's lifecycle (LSP 3.17, "Server lifecycle").
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    Uninitialized,
    Running,
    Shutdown,
    Exited(ExitStatus),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    AfterShutdown,
    WithoutShutdown,
}

/// Refuses requests that come too early or too late, and drops such notifications, except for `exit`.
fn guard<'a, 'out>(
    server: &mut Server,
    received: Result<&Message<'_>, &Fault<'_>>,
    responder: Responder<'a, 'out>,
) -> Result<Responder<'a, 'out>, Responded> {
    let request = match received {
        Ok(Message::Request(request)) => request,
        Ok(Message::Notification(notification))
            if server.phase != Phase::Running && notification.method() != "exit" =>
        {
            return Err(responder.ignore());
        }
        _ => return Ok(responder),
    };
    let error = match (server.phase, request.method() == "initialize") {
        (Phase::Uninitialized, true) | (Phase::Running, false) => return Ok(responder),
        (Phase::Uninitialized, false) => {
            NewError::new(ErrorCode::SERVER_NOT_INITIALIZED, "initialize comes first")
        }
        _ => NewError::new(ErrorCode::INVALID_REQUEST, "too late"),
    };
    Err(responder.error(error))
}

/// Logs parameters that do not fit their type. Nothing else shows why a notification had no effect.
fn observe(_: &mut Server, traffic: Traffic<'_>) {
    if let Traffic::InvalidParams { call, failure, .. } = traffic {
        eprintln!("lsp_server: {}: {}", call.method(), failure.reason().unwrap_or_default());
    }
}

fn initialize(
    server: &mut Server,
    _: &Call<'_>,
    responder: Responder<'_, '_>,
) -> Result<Responded, Failure> {
    server.phase = Phase::Running;
    Ok(responder.result(object(|result| {
        result.member(
            "capabilities",
            object(|capabilities| {
                // Each change contains the whole text.
                capabilities.member("textDocumentSync", 1);
            }),
        );
        result.member("serverInfo", object(|info| info.member("name", "tautline-lsp-server")));
    })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidOpen {
    text_document: Document,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidChange {
    text_document: Document,
    content_changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Document {
    uri: String,
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct Change {
    text: String,
}

fn did_open(server: &mut Server, DidOpen { text_document }: DidOpen) {
    server.changed.push((text_document.uri, text_document.text));
}

fn did_change(server: &mut Server, DidChange { text_document, content_changes }: DidChange) {
    if let Some(last) = content_changes.into_iter().next_back() {
        server.changed.push((text_document.uri, last.text));
    }
}

fn exit(server: &mut Server, _: &Call<'_>) {
    server.phase = Phase::Exited(match server.phase {
        Phase::Shutdown => ExitStatus::AfterShutdown,
        _ => ExitStatus::WithoutShutdown,
    });
}

/// The parameters of `textDocument/publishDiagnostics`.
fn diagnostics(params: &mut Object<'_, '_>, uri: &str, text: &str) {
    params.member("uri", uri);
    params.member(
        "diagnostics",
        array(|diagnostics| {
            for (line, content) in text.lines().enumerate() {
                let (mut counted, mut start) = (0, 0);
                for (at, word) in content.match_indices("TODO") {
                    // Positions count UTF-16 code units. Each is counted once.
                    start += content[counted..at].encode_utf16().count();
                    counted = at;
                    diagnostics.element(object(|diagnostic| {
                        diagnostic.member(
                            "range",
                            object(|range| {
                                range.member("start", position(line, start));
                                range.member("end", position(line, start + word.len()));
                            }),
                        );
                        diagnostic.member("severity", 3);
                        diagnostic.member("message", "to be done");
                    }));
                }
            }
        }),
    );
}

fn position(line: usize, character: usize) -> impl tautline::encode::Payload {
    object(move |position| {
        position.member("line", line as u64);
        position.member("character", character as u64);
    })
}

/// Serves until `exit` or the end of the input, and returns the phase at the end.
pub fn serve(input: impl Read, output: impl Write) -> io::Result<Phase> {
    let framing = ContentLength::new(LONGEST_MESSAGE);
    let mut writer = MessageWriter::with_framing(output, &framing, &Profile::LSP)
        .with_output_limit(LONGEST_OUTPUT);
    let mut reader = MessageReader::with_framing(input, framing, &Profile::LSP);
    let endpoint = Endpoint::new(router(), &Profile::LSP).guarded_by(guard).observed_by(observe);
    let (mut server, mut reply) = (Server::default(), Vec::new());
    while let Some(received) = reader.next()? {
        if let Received::Desynchronised(lost) = received {
            // Stop here: a guess at the next header could turn part of a document into a message.
            let cause = tautline::rule::summary(lost.rule());
            return Err(io::Error::other(format!("byte {}: {cause}", lost.offset())));
        }
        reply.clear();
        endpoint.answer_into(&received, &mut server, &mut reply).map_err(io::Error::other)?;
        // The queue is empty, so only a reply beyond its limit would not fit.
        writer.put_lines(&reply).map_err(io::Error::other)?;
        for (uri, text) in server.changed.drain(..) {
            let params = object(|params| diagnostics(params, &uri, &text));
            let published =
                writer.encoder().notification("textDocument/publishDiagnostics", Some(params));
            // The client keeps the marks that it has. The server continues.
            if let Err(error) = published {
                eprintln!("lsp_server: no diagnostics for {uri}: {error}");
            }
        }
        writer.flush()?;
        if matches!(server.phase, Phase::Exited(_)) {
            break;
        }
    }
    Ok(server.phase)
}

fn main() -> ExitCode {
    match serve(io::stdin(), io::stdout()) {
        Ok(Phase::Exited(ExitStatus::AfterShutdown)) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("lsp_server: {error}");
            ExitCode::FAILURE
        }
    }
}
