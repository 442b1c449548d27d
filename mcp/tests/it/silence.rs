//! The replies to invalid frames, as the guide lists them.

use tautline::encode::{Encoder, Slice};
use tautline::frame::Assembler;
use tautline::stream::{MessageStream, Received};
use tautline_mcp::Revision;

/// The table of the guide's section about firmware.
#[test]
fn the_replies_to_invalid_frames_revision_by_revision() {
    const LONG: &str =
        r#""params":{"filler":"0123456789012345678901234567890123456789012345678901"}"#;
    const WITH_ID: &str = r#"{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"#;
    const WITHOUT_ID: &str = r#"{"jsonrpc":"2.0","error":{"code":-32600,"#;
    let long = |members: &str| format!(r#"{{"jsonrpc":"2.0",{members},{LONG}}}"#);
    for (frame, early, late, unskimmed) in [
        ("listening on 3000".to_owned(), "", "", None),
        (r#"{"jsonrpc":"2.0","id":5,"method":"m""#.to_owned(), "", "", None),
        (r#"{"jsonrpc":"2.0","method":"m","params":3}"#.to_owned(), "", "", None),
        (r#"{"jsonrpc":"2.0","id":5,"result":3}"#.to_owned(), "", "", None),
        (r#"{"jsonrpc":"2.0","id":5,"error":3}"#.to_owned(), "", "", None),
        (r#"{"jsonrpc":"2.0","id":5,"method":3}"#.to_owned(), WITH_ID, WITH_ID, None),
        (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#.to_owned(), "", WITHOUT_ID, None),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#.to_owned(), "", WITHOUT_ID, None),
        (r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#.to_owned(), "", WITHOUT_ID, None),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#.to_owned(), "", WITHOUT_ID, None),
        ("7".to_owned(), "", WITHOUT_ID, None),
        ("[]".to_owned(), "", WITHOUT_ID, None),
        (long(r#""id":5,"method":"m""#), WITH_ID, WITH_ID, Some(WITHOUT_ID)),
        (long(r#""method":"m""#), "", "", Some(WITHOUT_ID)),
        (long(r#""id":5,"result":{}"#), "", "", Some(WITHOUT_ID)),
    ] {
        for &revision in Revision::ALL {
            let profile = revision.profile();
            let is_early = revision <= Revision::V2025_06_18;
            let expected = if is_early { early } else { late };
            let mut stream = MessageStream::new([0; 64], &profile);
            let reply = reply_of(stream.next(&mut format!("{frame}\n").as_bytes()));
            assert!(reply.starts_with(expected), "{frame} in {revision}: {reply}");
            assert_eq!(reply.is_empty(), expected.is_empty(), "{frame} in {revision}: {reply}");
            let Some(late) = unskimmed else { continue };
            let mut stream = MessageStream::without_skimmer(Assembler::new([0; 64]), &profile);
            let reply = reply_of(stream.next(&mut format!("{frame}\n").as_bytes()));
            let expected = if is_early { "" } else { late };
            assert!(reply.starts_with(expected), "{frame} in {revision}: {reply}");
            assert_eq!(reply.is_empty(), expected.is_empty(), "{frame} in {revision}: {reply}");
        }
    }
}

fn reply_of(received: Option<Received<'_>>) -> String {
    let mut room = [0; 256];
    let mut encoder = Encoder::new(Slice::new(&mut room));
    if let Some(fault) = received.unwrap().fault() {
        encoder.fault(fault).unwrap();
    }
    String::from_utf8(encoder.output().written().to_vec()).unwrap()
}
