//! A language server on standard input and output. It marks every `TODO` in a document.
//!
//! Register it with an editor as the command `lsp_server`, without arguments. In Neovim:
//!
//! ```lua
//! vim.lsp.start({ name = "todo", cmd = { "lsp_server" } })
//! ```

use std::borrow::Cow;
use std::io;
use std::process::ExitCode;

use serde::Deserialize;
use tautline::encode::{NewError, Object, array, object};
use tautline::endpoint::{Answer, Answered, Endpoint, Failure, Method};
use tautline::frame::ContentLength;
use tautline::io::{MessageReader, MessageWriter};
use tautline::stream::Received;
use tautline::{Call, ErrorCode, Message, Rules};

/// The maximum length of a message, in bytes. A longer message is skipped. If it is a request, it is
/// answered with an error.
const LONGEST_MESSAGE: u32 = 16 << 20;

const METHODS: &[Method<Server>] = &[
    Method::new("initialize", initialize),
    Method::new("initialized", |_, _, answer| done(answer)),
    Method::new("textDocument/didOpen", did_open),
    Method::new("textDocument/didChange", did_change),
    Method::new("textDocument/didClose", |_, _, answer| done(answer)),
    Method::new("shutdown", shutdown),
    Method::new("exit", exit),
];

#[derive(Default)]
struct Server {
    phase: Phase,
    /// The documents opened or changed by the last message, with their text.
    changed: Vec<(String, String)>,
}

/// The phase of the session's lifecycle (LSP 3.17, "Server lifecycle").
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Uninitialized,
    Running,
    Shutdown,
    Exited(ExitStatus),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ExitStatus {
    AfterShutdown,
    WithoutShutdown,
}

type Outcome = Result<Answered, Failure>;

/// Answers a request with `null`. A notification is not answered.
fn done(answer: Answer<'_, '_>) -> Outcome {
    Ok(answer.result(None::<i64>))
}

/// Refuses requests that come too early or too late. Notifications always reach their handlers.
fn guard<'a, 'out>(
    server: &mut Server,
    message: &Message<'_>,
    answer: Answer<'a, 'out>,
) -> Result<Answer<'a, 'out>, Answered> {
    let Message::Request(request) = message else { return Ok(answer) };
    let error = match (server.phase, request.method() == "initialize") {
        (Phase::Uninitialized, true) | (Phase::Running, false) => return Ok(answer),
        (Phase::Uninitialized, false) => {
            NewError::new(ErrorCode::new(-32002), "initialize comes first")
        }
        _ => NewError::new(ErrorCode::INVALID_REQUEST, "too late"),
    };
    Err(answer.error(error))
}

fn initialize(server: &mut Server, _: &Call<'_>, answer: Answer<'_, '_>) -> Outcome {
    server.phase = Phase::Running;
    Ok(answer.result(object(|result| {
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
struct DidOpen<'buf> {
    #[serde(borrow)]
    text_document: Document<'buf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidChange<'buf> {
    #[serde(borrow)]
    text_document: Document<'buf>,
    #[serde(borrow)]
    content_changes: Vec<Change<'buf>>,
}

#[derive(Deserialize)]
struct Document<'buf> {
    #[serde(borrow)]
    uri: Cow<'buf, str>,
    #[serde(borrow, default)]
    text: Cow<'buf, str>,
}

#[derive(Deserialize)]
struct Change<'buf> {
    #[serde(borrow)]
    text: Cow<'buf, str>,
}

fn did_open(server: &mut Server, call: &Call<'_>, answer: Answer<'_, '_>) -> Outcome {
    let DidOpen { text_document } = call.params_as()?;
    server.changed.push((text_document.uri.into_owned(), text_document.text.into_owned()));
    done(answer)
}

fn did_change(server: &mut Server, call: &Call<'_>, answer: Answer<'_, '_>) -> Outcome {
    let DidChange { text_document, content_changes } = call.params_as()?;
    let last = content_changes.into_iter().next_back().ok_or(Failure::INVALID_PARAMS)?;
    server.changed.push((text_document.uri.into_owned(), last.text.into_owned()));
    done(answer)
}

fn shutdown(server: &mut Server, _: &Call<'_>, answer: Answer<'_, '_>) -> Outcome {
    server.phase = Phase::Shutdown;
    done(answer)
}

fn exit(server: &mut Server, _: &Call<'_>, answer: Answer<'_, '_>) -> Outcome {
    server.phase = Phase::Exited(match server.phase {
        Phase::Shutdown => ExitStatus::AfterShutdown,
        _ => ExitStatus::WithoutShutdown,
    });
    done(answer)
}

/// The parameters of `textDocument/publishDiagnostics`.
fn diagnostics(params: &mut Object<'_, '_>, uri: &str, text: &str) {
    params.member("uri", uri);
    params.member(
        "diagnostics",
        array(|diagnostics| {
            for (line, content) in text.lines().enumerate() {
                for (start, word) in content.match_indices("TODO") {
                    // Positions count UTF-16 code units.
                    let start = content[..start].encode_utf16().count();
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
fn serve() -> io::Result<Phase> {
    let framing = ContentLength::new(LONGEST_MESSAGE);
    let mut writer = MessageWriter::with_framing(io::stdout(), &framing, &Rules::LSP);
    let mut reader = MessageReader::with_framing(io::stdin(), framing, &Rules::LSP);
    let endpoint = Endpoint::new(METHODS, &Rules::LSP).guarded_by(guard);
    let mut room = vec![0; endpoint.min_reply_len(LONGEST_MESSAGE)];
    let mut server = Server::default();
    while let Some(received) = reader.next()? {
        if let Received::Desynchronised(lost) = received {
            // Stop here: after a guess, part of a document could be taken for a message.
            let cause = lost.cause().summary();
            return Err(io::Error::other(format!("byte {}: {cause}", lost.offset())));
        }
        let reply = endpoint.receive(&received, &mut server, &mut room);
        writer.put_lines(reply.map_err(io::Error::other)?).map_err(io::Error::other)?;
        for (uri, text) in server.changed.drain(..) {
            let params = object(|params| diagnostics(params, &uri, &text));
            let published =
                writer.encoder().notification("textDocument/publishDiagnostics", Some(params));
            published.map_err(io::Error::other)?;
        }
        writer.flush()?;
        if matches!(server.phase, Phase::Exited(_)) {
            break;
        }
    }
    Ok(server.phase)
}

fn main() -> ExitCode {
    match serve() {
        Ok(Phase::Exited(ExitStatus::AfterShutdown)) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("lsp_server: {error}");
            ExitCode::FAILURE
        }
    }
}
