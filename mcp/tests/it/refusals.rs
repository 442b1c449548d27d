//! The errors that answer requests that a session refuses.

use tautline::Message;
use tautline::encode::Encoder;
use tautline_mcp::session::{Event, Session, Slot};
use tautline_mcp::{Revision, Role, rule};

fn line(
    write: impl FnOnce(&mut Encoder<Vec<u8>>) -> Result<usize, tautline::encode::EncodeError>,
) -> String {
    let mut encoder = Encoder::new(Vec::new());
    write(&mut encoder).unwrap();
    String::from_utf8(encoder.output().clone()).unwrap()
}

#[test]
fn a_refusal_is_answered_without_an_endpoint() {
    let profile = Revision::LATEST.profile();
    let supported = &[Revision::V2025_11_25, Revision::V2026_07_28];
    let mut session = Session::new([Slot::EMPTY; 4]).supporting(supported);
    for (method, version, expected) in [
        (
            "tools/list",
            "2027-01-01",
            r#""code":-32022,"message":"the revision is not supported","data":{"supported":["2025-11-25","2026-07-28"],"requested":"2027-01-01"}"#,
        ),
        ("roots/list", "2026-07-28", r#""code":-32601,"message":""#),
    ] {
        let frame = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        );
        let message = Message::parse(frame.as_bytes(), &profile).unwrap();
        let Event::Refused(refusal) = session.observe(Role::Client, &message, |_| {}) else {
            panic!("{frame}")
        };
        let reply = line(|to| to.error(1, refusal.error(session.supported())));
        let summary = rule::summary(refusal.rule());
        let start = r#"{"jsonrpc":"2.0","id":1,"error":{"#;
        let expected = expected.replace("the revision is not supported", summary);
        assert!(reply.starts_with(&format!("{start}{expected}")), "{reply}");
        let batch = line(|to| to.batch(|batch| batch.error(1, refusal.error(supported))));
        assert_eq!(batch, format!("[{}]\n", reply.trim_end()));
    }
}
