//! Detection of the format of a file from its first bytes.

use super::{
    SourceKind, claude_desktop, cursor, har, log, lsp_trace, mcpjam, mcpsnoop, recording, stamp,
    text, vscode,
};

/// Returns whether a line belongs to a format.
type IsRecord = fn(&[u8]) -> bool;

/// Returns the format of a file that starts with these bytes.
pub(super) fn kind_of(start: &[u8]) -> Option<SourceKind> {
    if recording::is_recording(start) {
        return Some(SourceKind::Recording);
    }
    if har::is_archive(start) {
        return Some(SourceKind::Har);
    }
    if is_export(start, &["\"timestamp\":", "\"direction\":", "\"message\":"]) {
        return Some(SourceKind::Inspector);
    }
    if lsp_trace::is_document(start) {
        return Some(SourceKind::LspTrace);
    }
    // Logs may begin with other lines, such as lines of standard error.
    let by_line = start.split(|&byte| byte == b'\n').find_map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let kinds: [(IsRecord, _); 6] = [
            (mcpsnoop::is_record, SourceKind::Mcpsnoop),
            (mcpjam::is_record, SourceKind::Mcpjam),
            (lsp_trace::is_record, SourceKind::LspTrace),
            (vscode::is_record, SourceKind::Vscode),
            (claude_desktop::is_record, SourceKind::ClaudeDesktop),
            (cursor::is_record, SourceKind::Cursor),
        ];
        kinds.into_iter().find(|(is_record, _)| is_record(line)).map(|(_, kind)| kind)
    });
    by_line.or_else(|| (other(start).is_none() && log::is_log(start)).then_some(SourceKind::Log))
}

/// Returns whether a file begins with an array of objects, and the first object has these members.
fn is_export(start: &[u8], members: &[&str]) -> bool {
    let start = text::masked(start);
    let first = start.trim_start().strip_prefix('[').map(str::trim_start);
    let Some(first) = first.and_then(|rest| rest.strip_prefix('{')) else { return false };
    let names = first.trim_start();
    (names.starts_with("\"id\"") || names.starts_with("\"timestamp\""))
        && members.iter().all(|member| first.contains(member))
}

/// A format that is known but not supported.
struct Other {
    is_it: fn(&str) -> bool,
    words: &'static str,
}

const OTHERS: &[Other] = &[
    Other {
        is_it: |text| {
            text.lines().any(|line| {
                (line.starts_with("{\"type\":\"request\",\"method\":")
                    || line.starts_with("{\"type\":\"notification\",\"method\":"))
                    && line.contains("\"timestamp\":")
                    && (line.contains("\"entity_name\":") || line.contains("\"session_id\":"))
            })
        },
        words: "this is a log of mcp-trace (npm), which has no messages: a record joins a request and its \
                result, without ids and errors. Record with mcpsnoop or in tautline's format instead",
    },
    Other {
        is_it: |text| text.contains("\"mcp_trace_version\"") && text.contains("\"sdk_language\""),
        words: "this is a log of mcp-trace (PyPI), which has no messages: a record joins the arguments and \
                the result of a call, without ids. Record with mcpsnoop or in tautline's format instead",
    },
    Other {
        is_it: |text| {
            text.trim_start().starts_with('{')
                && text.contains("\"transport_type\"")
                && text.contains("\"interactions\"")
        },
        words: "this is a cassette of mcp-recorder, which lacks messages of the server beside responses. \
                Record with mcpsnoop or in tautline's format instead",
    },
    Other {
        is_it: |text| text.contains(" Remote message {") || text.contains("Local message {"),
        words: "this is a log of mcp-remote, which lacks results and cuts params. Record with mcpsnoop or in \
                tautline's format instead",
    },
    Other {
        is_it: |text| is_export(text.as_bytes(), &["\"requestHeaders\":", "\"category\":"]),
        words: "this is a network export of MCP Inspector: use its protocol export, or record a HAR",
    },
    Other {
        is_it: |text| {
            is_export(text.as_bytes(), &["\"payload\":", "\"serverId\":", "\"direction\":"])
        },
        words: "this is a log export of MCPJam Inspector: use its stream of messages instead",
    },
    Other {
        is_it: |text| is_export(text.as_bytes(), &["\"timestamp\":", "\"message\": \""]),
        words: "this is a console export of MCP Inspector, which is standard error: use its protocol export",
    },
    Other {
        is_it: |text| {
            text.trim_start().starts_with('{')
                && text.contains("\"generated_at\"")
                && text.contains("\"summary\"")
        },
        words: "this is a report of mcpsnoop: use its JSONL instead",
    },
    Other {
        is_it: |text| text.contains("\n(:jsonrpc \"2.0\" "),
        words: "this is an events buffer of Eglot in the notation of Lisp: in Emacs 30 or later, set :format of \
                eglot-events-buffer-config to full",
    },
    Other {
        is_it: |text| text.trim_start().starts_with("Content-Length:"),
        words: "this is one side of a wire with headers: use --client and --server with one file for each \
                side, and --framing content-length",
    },
];

/// Returns advice on a file in a format that is known but not supported.
fn other(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(b"PK\x03\x04")
        || start.starts_with(b"\x1F\x8B")
        || [b"\x78\x01", b"\x78\x9C", b"\x78\xDA"].iter().any(|magic| start.starts_with(*magic))
    {
        return Some(
            "the file is compressed (a .zhar of mitmproxy is, with zlib): decompress it first",
        );
    }
    let text = text::masked(start);
    OTHERS.iter().find(|other| (other.is_it)(&text)).map(|other| other.words)
}

/// Returns whether a file is certainly in none of the supported formats.
pub(super) fn is_something_else(start: &[u8]) -> bool {
    start.is_empty() || other(start).is_some()
}

/// Describes a file that is in none of the supported formats.
pub(super) fn resemblance(start: &[u8]) -> String {
    let trimmed = start.trim_ascii_start();
    if trimmed.is_empty() {
        return "the file is empty".to_owned();
    }
    if let Some(words) = other(start) {
        return words.to_owned();
    }
    let head = trimmed.get(..64).unwrap_or(trimmed);
    if text::mentions_jsonrpc(head) {
        return "this is a log of messages without directions: use `tautline check`, --client and --server with \
                one file for each side, or --client-mark and --server-mark with the texts before messages"
            .to_owned();
    }
    if text::masked(start).lines().any(|line| stamp::split(line).is_some()) {
        return "this is a log of VS Code without messages of MCP. In the output of the server, set the \
                log level to Debug (Developer: Set Log Level), and record again"
            .to_owned();
    }
    let names: Vec<_> = SourceKind::ALL.iter().map(|kind| kind.name()).collect();
    format!("this is in no known format (tried: {}); --source names one", names.join(", "))
}
