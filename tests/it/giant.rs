//! A text longer than the offsets in a frame can express. It takes 4.3 GB of memory, so it runs only on request:
//! `cargo test --release --test it giant -- --ignored`.

use tautline::{Message, Profile, Rule, scan};

#[test]
#[ignore = "takes 4.3 GB of memory"]
#[cfg(target_pointer_width = "64")]
fn what_stands_beyond_4_gib_is_not_overlooked() {
    let mut text = vec![b' '; 1 << 32];
    let message = br#"{  "jsonrpc":"2.0","id":1,"method":"m"}"#;
    // Offsets that wrap around would reach the leading spaces again, and then the beginning of the message.
    assert_eq!((8 + message.len() + 1) % 8, 0);
    text[8..8 + message.len()].copy_from_slice(message);
    assert!(scan::validate(&text, 10).is_ok());
    text.extend_from_slice(b"garbage!");
    assert!(scan::validate(&text, 10).is_err());
    let fault = Message::parse(&text[..], &Profile::JSON_RPC).unwrap_err();
    assert_eq!(fault.rule(), Rule::FRAME_TOO_LONG);
}
