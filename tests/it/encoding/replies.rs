//! Answers to parsed messages, and messages that are forwarded.

use tautline::encode::{EncodeError, Encoder, Forward, NO_PARAMS, NewError, Slice};
use tautline::{Envelope, ErrorCode, Id, Message, Profile, RawJson, rule};

use super::line;
use crate::support::presets::Revision;

#[test]
fn ids_that_were_read_are_written_byte_for_byte() {
    for id in [r#""caf\u00e9\/""#, "1.0", "-0", "1e2", "340282366920938463463374607431768211456"] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id": {id} ,"method":"m"}}"#);
        let Ok(Message::Request(request)) = Message::parse(frame.as_bytes(), &Profile::JSON_RPC)
        else {
            panic!("{frame}")
        };
        let reply = line(|to| to.result(request.id(), true));
        assert_eq!(reply, format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":true}}\n"));
    }
}

#[test]
fn a_fault_is_answered_as_it_is_owed() {
    for (frame, profile, expected) in [
        (
            "{",
            Profile::JSON_RPC,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a\u0062"}"#,
            Profile::JSON_RPC,
            r#"{"jsonrpc":"2.0","id":"a\u0062","error":{"code":-32600,"message":"Invalid Request"}}"#,
        ),
        (
            "1",
            Revision::V2025_11_25.profile(),
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}"#,
        ),
        ("1", Revision::V2025_06_18.profile(), ""),
        (r#"{"jsonrpc":"2.0","result":1}"#, Profile::JSON_RPC, ""),
    ] {
        let fault = Message::parse(frame.as_bytes(), &profile).unwrap_err();
        let mut out = Vec::new();
        let length = Encoder::new(&mut out).fault(&fault).unwrap();
        assert_eq!(length, out.len());
        assert_eq!(String::from_utf8(out).unwrap().trim_end(), expected);
    }
}

/// The replies to the faulty elements of a batch that was received, in one batch.
#[test]
fn a_batch_has_the_replies_to_faults() {
    let batch =
        br#"[1,{"jsonrpc":"2.0","method":7},{"jsonrpc":"2.0","id":"a","method":7},{"id":1}]"#;
    let Ok(Message::Batch(batch)) = Message::parse(batch, &Profile::JSON_RPC) else { panic!() };
    let faults: Vec<_> = batch.iter().filter_map(|element| element.message().err()).collect();
    assert_eq!(faults.len(), 4);
    let reply = line(|to| {
        to.batch(|batch| {
            batch.result(3, true);
            batch.fault(&faults[2]);
            batch.explained_fault(&faults[0]);
        })
    });
    let error = r#""error":{"code":-32600,"message":"Invalid Request""#;
    let expected = [
        r#"[{"jsonrpc":"2.0","id":3,"result":true},{"jsonrpc":"2.0","id":"a","#,
        error,
        r#"}},{"jsonrpc":"2.0","id":null,"#,
        error,
        r#","data":{"rule":"not-an-object","offset":1,"summary":""#,
        faults[0].message(),
        "\"}}}]\n",
    ];
    assert_eq!(reply, expected.concat());
    // A fault that gets no reply adds nothing.
    let silent = Message::parse(br#"{"method":"m"}"#, &Profile::JSON_RPC).unwrap_err();
    let mut out = Vec::new();
    let empty = Encoder::new(&mut out).batch(|batch| batch.fault(&silent));
    assert_eq!(empty, Err(EncodeError::EmptyBatch));
    let mixed = Encoder::with_profile(&mut out, &Revision::V2025_03_26.profile()).batch(|batch| {
        batch.request(1, "m", NO_PARAMS);
        batch.explained_fault(&faults[0]);
    });
    assert_eq!(mixed, Err(EncodeError::MixedBatch));
}

#[test]
fn a_message_is_passed_on_without_a_copy() {
    let frame = b"\n {\"id\":1,\r\n\"jsonrpc\":\"2.0\",\n\"method\":\"m\", \"params\":{\"id\":2}} ";
    let envelope = Envelope::read(frame, &Profile::JSON_RPC);
    let forward = Forward::of_envelope(&envelope).unwrap();
    let parts: Vec<&[u8]> = forward.parts().collect();
    let expected = b"{\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"m\", \"params\":{\"id\":2}}\n";
    assert_eq!(parts.concat(), expected);
    let inside = |part: &&[u8]| frame.as_ptr_range().contains(&part.as_ptr());
    assert_eq!(parts.iter().filter(|part| inside(part)).count(), parts.len() - 1);

    let id = Id::of(RawJson::parse(br#""x\"y""#).unwrap()).unwrap();
    let parts = forward.with_id(id).unwrap().parts().collect::<Vec<_>>().concat();
    let Ok(Message::Request(request)) = Message::parse(&parts, &Profile::JSON_RPC) else {
        panic!()
    };
    assert_eq!(request.id(), id);
    assert_eq!(request.params().unwrap().as_bytes(), b"{\"id\":2}");
}

#[test]
fn what_has_no_id_gets_none_and_what_is_faulty_is_not_passed_on() {
    let id = Id::Null;
    for frame in [r#"{"jsonrpc":"2.0","method":"m"}"#, r#"[{"jsonrpc":"2.0","method":"m","id":1}]"#]
    {
        let envelope = Envelope::read(frame.as_bytes(), &Profile::JSON_RPC);
        assert!(Forward::of_envelope(&envelope).unwrap().with_id(id).is_none());
    }
    let envelope = Envelope::read(br#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, &Profile::JSON_RPC);
    let half = Id::parse(br#""\ud800""#).unwrap();
    assert!(Forward::of_envelope(&envelope).unwrap().with_id(half).is_none());
    let envelope = Envelope::read(br#"{"jsonrpc":"2.0","id":1}"#, &Profile::JSON_RPC);
    assert_eq!(rule::name(Forward::of_envelope(&envelope).unwrap_err().rule()), "no-shape");
}

/// Into a slice, so neither needs a heap.
#[test]
fn a_reply_and_an_error_without_an_id() {
    let mut room = [0; 256];
    let fault = Message::parse(br#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, &Profile::JSON_RPC);
    let fault = fault.unwrap_err();
    let mut encoder = Encoder::new(Slice::new(&mut room));
    let length = encoder.reply(&fault.reply().unwrap()).unwrap();
    assert_eq!(encoder.output().written().len(), length);
    assert_eq!(encoder.output().written(), line(|to| to.fault(&fault)).as_bytes());

    let error = || NewError::new(ErrorCode::new(-32000), "full").with_data([1, 2]);
    for (profile, expected) in [
        (Profile::JSON_RPC, Err(EncodeError::IdNotAllowed)),
        (Profile::LSP, Err(EncodeError::IdNotAllowed)),
        (Revision::V2025_06_18.profile(), Err(EncodeError::IdNotAllowed)),
        (
            Revision::V2025_11_25.profile(),
            Ok(r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"full","data":[1,2]}}"#),
        ),
    ] {
        let mut room = [0; 256];
        let mut encoder = Encoder::with_profile(Slice::new(&mut room), &profile);
        let written = encoder.error_without_id(error());
        assert_eq!(written, expected.map(|text| text.len() + 1), "{profile:?}");
        let text = std::str::from_utf8(encoder.output().written()).unwrap();
        assert_eq!(text.trim_end(), expected.unwrap_or_default());
        if let Ok(text) = expected {
            // It is read back under the same rules.
            assert!(matches!(Message::parse(text, &profile), Ok(Message::Response(_))));
        }
    }
}
