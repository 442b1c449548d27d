//! The smallest JSON-RPC 2.0 server: one message per line, on standard input and output.
//!
//! It implements the methods of the specification's examples. Try it:
//!
//! ```sh
//! echo '{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}' | cargo run --example json_rpc
//! ```

use std::io::{self, Read, Write};

use tautline::Profile;
use tautline::endpoint::{Endpoint, Failure, Router};
use tautline::frame::Splitter;
use tautline::io::MessageReader;

/// The maximum length of a message, in bytes. A longer line is skipped. If it is a request, it is answered
/// with an error.
pub const FRAME_LIMIT: u32 = 64 * 1024;

pub fn router() -> Router<()> {
    let mut router = Router::new();
    router
        .request("subtract", |(), call, responder| {
            // The parameters may be positional or named.
            let minuend: i64 = call.param(0, "minuend")?;
            let subtrahend = call.param(1, "subtrahend")?;
            let difference = minuend.checked_sub(subtrahend).ok_or(Failure::INVALID_PARAMS)?;
            Ok(responder.result(difference))
        })
        .typed_request("sum", |(), terms: Vec<i64>| {
            let sum = terms.iter().try_fold(0_i64, |sum, term| sum.checked_add(*term));
            sum.ok_or(Failure::INVALID_PARAMS)
        })
        .typed_request("get_data", |(), ()| Ok(("hello", 5)))
        .notification("update", |(), call| eprintln!("updated: {:?}", call.params()));
    router
}

/// Answers messages until the end of the input.
pub fn serve(input: impl Read, mut output: impl Write) -> io::Result<()> {
    let endpoint = Endpoint::new(router(), &Profile::JSON_RPC);
    let framing = Splitter::new(FRAME_LIMIT);
    let mut reader = MessageReader::with_framing(input, framing, endpoint.profile());
    let mut reply = Vec::new();
    while let Some(received) = reader.next()? {
        reply.clear();
        endpoint.answer_into(&received, &mut (), &mut reply).map_err(io::Error::other)?;
        output.write_all(&reply)?;
        output.flush()?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    serve(io::stdin().lock(), io::stdout().lock())
}
