//! The smallest JSON-RPC 2.0 server: one message per line, on standard input and output.
//!
//! It implements the methods of the specification's examples. Try it:
//!
//! ```sh
//! echo '{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}' | cargo run --example json_rpc
//! ```

use std::io::{self, BufRead, Write};

use tautline::encode::array;
use tautline::endpoint::{Answer, Answered, Endpoint, Failure, Method};
use tautline::envelope::Skimmer;
use tautline::frame::{HeapBuffer, Splitter};
use tautline::stream::MessageStream;
use tautline::{Call, RawJson, Rules};

/// The maximum length of a message, in bytes. A longer line is skipped. If it is a request, it is answered
/// with an error.
pub const FRAME_LIMIT: u32 = 64 * 1024;

pub const METHODS: &[Method<()>] = &[
    Method::new("subtract", subtract),
    Method::new("sum", sum),
    Method::new("get_data", get_data),
    Method::new("update", ignore),
    Method::new("notify_hello", ignore),
    Method::new("notify_sum", ignore),
];

fn subtract(_: &mut (), call: &Call<'_>, answer: Answer<'_, '_>) -> Result<Answered, Failure> {
    let minuend = integer(call.param(0, "minuend")?)?;
    let subtrahend = integer(call.param(1, "subtrahend")?)?;
    let difference = minuend.checked_sub(subtrahend).ok_or(Failure::INVALID_PARAMS)?;
    Ok(answer.result(difference))
}

fn sum(_: &mut (), call: &Call<'_>, answer: Answer<'_, '_>) -> Result<Answered, Failure> {
    let terms: Vec<i64> = call.params_as()?;
    let sum = terms.iter().try_fold(0_i64, |sum, term| sum.checked_add(*term));
    Ok(answer.result(sum.ok_or(Failure::INVALID_PARAMS)?))
}

fn get_data(_: &mut (), _: &Call<'_>, answer: Answer<'_, '_>) -> Result<Answered, Failure> {
    Ok(answer.result(array(|data| {
        data.element("hello");
        data.element(5);
    })))
}

fn ignore(_: &mut (), _: &Call<'_>, answer: Answer<'_, '_>) -> Result<Answered, Failure> {
    Ok(answer.result(true))
}

fn integer(value: RawJson<'_>) -> Result<i64, Failure> {
    value.number().and_then(|number| number.as_i64()).ok_or(Failure::INVALID_PARAMS)
}

/// The stream of messages. It also finds the id of an oversized request, to answer it.
pub fn messages() -> MessageStream<HeapBuffer, Splitter, Skimmer> {
    MessageStream::new(HeapBuffer::new(FRAME_LIMIT), &Rules::JSON_RPC).skimming()
}

fn main() -> io::Result<()> {
    let endpoint = Endpoint::new(METHODS, &Rules::JSON_RPC);
    let mut stream = messages();
    // The buffer must hold the longest possible reply. Otherwise a peer could end the process by provoking
    // too many errors.
    let mut room = vec![0; endpoint.min_reply_len(FRAME_LIMIT)];
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    loop {
        let chunk = input.fill_buf()?;
        let mut rest = chunk;
        while let Some(received) = stream.next(&mut rest) {
            let reply =
                endpoint.receive(&received, &mut (), &mut room).map_err(io::Error::other)?;
            output.write_all(reply)?;
        }
        match chunk.len() {
            0 => break,
            length => input.consume(length),
        }
        output.flush()?;
    }
    // If the peer forgot the last newline, it still expects an answer.
    if let Some(received) = stream.finish() {
        let reply = endpoint.receive(&received, &mut (), &mut room).map_err(io::Error::other)?;
        output.write_all(reply)?;
    }
    Ok(())
}
