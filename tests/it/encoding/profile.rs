//! The encoder does not write what the profile forbids.

use crate::support::presets::Revision;
use tautline::encode::{EncodeError, Encoder, NO_PARAMS, NewError, Slice, object};
use tautline::{ErrorCode, Id, Message, Profile, RawJson};

#[test]
fn payload_that_the_rules_do_not_allow_is_refused() {
    let json = |text: &'static str| RawJson::parse(text.as_bytes()).unwrap();
    let mcp = Revision::LATEST.profile();
    for (profile, payload, params, result) in [
        (&Profile::JSON_RPC, "[1]", true, true),
        (&Profile::JSON_RPC, "{}", true, true),
        (&Profile::JSON_RPC, "null", false, true),
        (&Profile::JSON_RPC, "1", false, true),
        (&Profile::LSP, "null", true, true),
        (&Profile::LSP, "\"x\"", false, true),
        (&mcp, "[1]", false, false),
        (&mcp, "{}", true, true),
        (&mcp, "null", false, false),
    ] {
        let mut out = Vec::new();
        let mut encoder = Encoder::with_profile(&mut out, profile);
        let expect = |allowed, error| if allowed { None } else { Some(error) };
        let refused = encoder.notification("n", Some(json(payload))).err();
        assert_eq!(refused, expect(params, EncodeError::ParamsType), "{payload}");
        let refused = encoder.result(1, json(payload)).err();
        assert_eq!(refused, expect(result, EncodeError::ResultType), "{payload}");
        let written = out.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(written, usize::from(params) + usize::from(result));
    }
}

#[test]
fn batches_that_the_rules_forbid_are_refused() {
    for (profile, allowed) in [
        (Profile::JSON_RPC, true),
        (Revision::V2025_03_26.profile(), true),
        (Profile::LSP, false),
        (Revision::LATEST.profile(), false),
    ] {
        let mut out = Vec::new();
        let written = Encoder::with_profile(&mut out, &profile).batch(|batch| {
            batch.result(1, object(|_| {}));
        });
        assert_eq!(written.err(), (!allowed).then_some(EncodeError::BatchNotAllowed));
        assert_eq!(out.is_empty(), !allowed);
    }
}

#[test]
fn batches_that_the_rules_must_not_mix_are_refused() {
    use tautline::encode::BatchWriter;

    type Write = fn(&mut BatchWriter<'_, '_>);
    const REQUEST: Write = |batch| batch.request(1, "m", NO_PARAMS);
    const NOTIFICATION: Write = |batch| batch.notification("m", NO_PARAMS);
    const RESULT: Write = |batch| batch.result(1, object(|_| {}));
    const ERROR: Write = |batch| batch.error(1, NewError::new(ErrorCode::INTERNAL_ERROR, "x"));
    for (writes, is_mixed) in [
        (&[REQUEST, NOTIFICATION, REQUEST][..], false),
        (&[ERROR, RESULT], false),
        (&[REQUEST, RESULT], true),
        (&[NOTIFICATION, ERROR], true),
        (&[RESULT, REQUEST], true),
        (&[ERROR, ERROR, NOTIFICATION], true),
    ] {
        for (profile, is_refused) in
            [(Profile::JSON_RPC, false), (Revision::V2025_03_26.profile(), is_mixed)]
        {
            let mut out = Vec::new();
            let mut encoder = Encoder::with_profile(&mut out, &profile);
            let written = encoder.batch(|batch| writes.iter().for_each(|write| write(batch)));
            assert_eq!(written.err(), is_refused.then_some(EncodeError::MixedBatch));
            // Reading is checked against writing, and owned messages against both.
            assert_eq!(out.is_empty(), is_refused);
            out.clear();
            Encoder::new(&mut out)
                .batch(|batch| writes.iter().for_each(|write| write(batch)))
                .unwrap();
            assert_eq!(Message::parse(&out, &profile).is_err(), is_refused);
            #[cfg(feature = "std")]
            {
                let message = Message::parse(&out, &Profile::JSON_RPC);
                let owned = tautline::owned::Message::try_from(message.unwrap()).unwrap();
                let written = owned.encode(&mut Encoder::with_profile(Vec::new(), &profile));
                assert_eq!(written.err(), is_refused.then_some(EncodeError::MixedBatch));
            }
        }
    }
}

/// The encoder writes exactly the ids that the parser accepts.
#[test]
fn ids_that_the_rules_do_not_allow_are_refused() {
    use tautline::envelope::{ErrorIds, Ids};

    let strict = Profile::JSON_RPC.with_ids(Ids::StringOrInteger);
    let all = [
        Profile::JSON_RPC,
        Profile::JSON_RPC.with_error_ids(ErrorIds::AsRequest),
        Profile::LSP,
        strict,
        strict.with_error_ids(ErrorIds::AsRequest),
        Revision::V2025_03_26.profile(),
        Revision::V2025_06_18.profile(),
        Revision::LATEST.profile(),
    ];
    let mut refusals = 0;
    for profile in all {
        for text in
            ["null", "1", "1.0", "1.5", "-1e-1", r#""a""#, r#""\ud800""#, r#""\ud83d\ude00""#]
        {
            let id = Id::parse(text.as_bytes()).unwrap();
            let mut out = Vec::new();
            let mut encoder = Encoder::with_profile(&mut out, &profile);
            let request = encoder.request(id, "m", NO_PARAMS).is_ok();
            let result = encoder.result(id, object(|_| {})).is_ok();
            let error = encoder.error(id, NewError::new(ErrorCode::INTERNAL_ERROR, "x"));
            if let Err(error) = error {
                assert_eq!(error, EncodeError::IdNotAllowed);
                refusals += 1;
            }
            for (written, frame) in [
                (request, format!(r#"{{"jsonrpc":"2.0","id":{text},"method":"m"}}"#)),
                (result, format!(r#"{{"jsonrpc":"2.0","id":{text},"result":{{}}}}"#)),
                (
                    error.is_ok(),
                    format!(
                        r#"{{"jsonrpc":"2.0","id":{text},"error":{{"code":-32603,"message":"x"}}}}"#
                    ),
                ),
            ] {
                assert_eq!(written, Message::parse(frame.as_bytes(), &profile).is_ok(), "{frame}");
            }
            let written = usize::from(request) + usize::from(result) + usize::from(error.is_ok());
            assert_eq!(out.iter().filter(|&&byte| byte == b'\n').count(), written);
        }
    }
    assert!(refusals > 0);
    // A fault's reply has the id that the rules of its frame require.
    let fault = Message::parse(b"1", &Profile::JSON_RPC).unwrap_err();
    let mut encoder = Encoder::with_profile(Vec::new(), &Revision::LATEST.profile());
    assert!(encoder.fault(&fault).is_ok());
}

#[test]
fn what_is_wrong_does_not_depend_on_the_room() {
    let profile = Revision::LATEST.profile();
    for size in 0..60 {
        let mut room = vec![0; size];
        let mut encoder = Encoder::with_profile(Slice::new(&mut room), &profile);
        assert_eq!(encoder.request(1, "a", Some(1)), Err(EncodeError::ParamsType), "{size}");
        assert_eq!(encoder.result(1, "text"), Err(EncodeError::ResultType), "{size}");
    }
}
