//! The image `minimal`, with the rules of Streamable HTTP instead of lines: a server that has its headers and a body, and a
//! client that has a response. It is built and measured, never run.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use tautline::encode::Slice;
use tautline::{Message, RawJson, RawStr};
use tautline_embedded_example::probe::{Show, hide, inputs};
use tautline_mcp::Revision;
use tautline_mcp::http::{
    Allowed, Exchange, Finding, Parameter, Policy, Server, Session, Sessions, Tool, Verdict,
    parameters_of,
};

static POLICY: Policy<'_> =
    Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Listed(&["board.example"]))
        .with_sessions(Sessions::Required)
        .with_streams()
        .with_session_end();

type Headers = &'static [(&'static [u8], &'static [u8])];

static HEADERS: Headers = &[(b"Host", b"board.example"), (b"Content-Type", b"application/json")];

/// A server with one session, and one tool with a parameter.
struct Board;

impl Server for Board {
    fn session(&self, id: &[u8]) -> Session {
        if id == hide(&b"1"[..]) { Session::Open(Revision::V2025_11_25) } else { Session::Unknown }
    }

    fn parameters(&self, tool: RawStr<'_>, visit: &mut dyn FnMut(&Parameter<'_>)) -> Tool {
        let schema = hide(r#"{"properties":{"pin":{"x-mcp-header":"Pin"}}}"#);
        match RawJson::parse(schema.as_bytes()) {
            Ok(schema) if tool == *"blink" && parameters_of(schema, visit) => Tool::Known,
            _ => Tool::Unknown,
        }
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    loop {
        serve(hide(b"POST"), hide(HEADERS), hide(inputs::PLAIN));
        call(hide(200), hide(HEADERS), hide(inputs::PLAIN));
    }
}

fn show(finding: Finding) {
    u32::from(finding.rule().number()).show();
    finding.offset().unwrap_or_default().show();
}

/// Judges a request, and writes the reply that refuses it.
#[inline(never)]
fn serve(method: &[u8], headers: Headers, body: &'static [u8]) {
    let head = POLICY.head(method, headers.iter().copied(), &Board, show);
    let verdict = match head.verdict(show) {
        Some(verdict) => verdict,
        None => head.judge(&Board, Message::parse(body, &head.profile()), show),
    };
    match verdict {
        Verdict::Accepted(accepted) => accepted.message().is_some().show(),
        Verdict::Refused(refusal) => {
            u32::from(refusal.status()).show();
            let mut room = [0; 512];
            let mut out = Slice::new(&mut room);
            refusal.write(&mut out).is_ok().show();
            out.written().show();
        }
    }
}

/// Checks the response to a request.
#[inline(never)]
fn call(status: u16, headers: Headers, body: &[u8]) {
    let revision = hide(Revision::LATEST);
    let Ok(sent) = Message::parse(hide(inputs::PLAIN), &revision.profile()) else { return };
    let mut exchange = Exchange::post(revision, sent);
    exchange.head(status, headers.iter().copied(), show);
    exchange.message(Message::parse(body, &exchange.profile()), show);
    exchange.end(show);
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    tautline_embedded_example::panic_reached()
}
