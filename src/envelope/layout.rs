//! Layouts: where the members of a message are in its frame.
//!
//! Parsing yields a layout. It borrows nothing, so it can be kept where the frame can't stay borrowed, as
//! long as the frame's bytes are kept beside it. A [`Message`](super::Message) is a layout with its frame.

use super::Rules;
use crate::scan::Span;

/// What a message is, and where its members are.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(feature = "tokio-util-v0_7"),
    allow(dead_code, reason = "the fast path makes some, and the codec keeps all")
)]
pub(crate) enum Layout {
    Request(CallLayout),
    Notification(CallLayout),
    Response(ResponseLayout),
    Batch(BatchLayout),
}

/// Where the members of a request or a notification are. The span of an absent member is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallLayout {
    /// Absent from a notification.
    pub(super) id: Span,
    /// With its quotes.
    pub(super) method: Span,
    pub(super) params: Span,
    /// How many members have names that JSON-RPC does not define.
    pub(super) unknown: u32,
}

/// Where the members of a response are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResponseLayout {
    /// Empty if it is absent.
    pub(super) id: Span,
    pub(super) outcome: OutcomeLayout,
    /// How many members have names that JSON-RPC does not define.
    pub(super) unknown: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum OutcomeLayout {
    Result(Span),
    Error(ErrorLayout),
}

/// Where the members of an error object are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErrorLayout {
    pub(super) code: Span,
    /// With its quotes.
    pub(super) message: Span,
    /// Empty if it is absent.
    pub(super) data: Span,
}

/// Where the array of a batch is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchLayout {
    pub(super) array: Span,
    /// How many elements it has: at least one.
    pub(super) elements: u32,
    /// What the elements are parsed by.
    pub(super) rules: Rules,
}

#[cfg(test)]
mod tests {
    use crate::envelope::{Message, Rules};

    #[test]
    fn a_layout_gives_the_message_again() {
        for frame in [
            r#"{"jsonrpc":"2.0","id":1.0,"method":"a","params":{"b":[1,"c"]},"x":0}"#,
            r#" {"id":"","method":"","jsonrpc":"2.0"} "#,
            r#"{"jsonrpc":"2.0","method":"\u0061b","params":[]}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":"\u0061","result":"","y":1,"z":2}"#,
            r#"{"jsonrpc":"2.0","id":-0,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"data":null,"code":1e2,"message":"\n"}}"#,
            r#" [ {"jsonrpc":"2.0","method":"a"} , 7 ]"#,
        ] {
            let message = Message::parse(frame.as_bytes(), &Rules::JSON_RPC).unwrap();
            let copy = frame.as_bytes().to_vec();
            let again = Message::new(&copy, message.layout());
            assert_eq!(again, message, "{frame}");
            // Views are equal if they mean the same, so how they are spelled is looked at as well.
            assert_eq!(std::format!("{again:?}"), std::format!("{message:?}"));
        }
    }
}
