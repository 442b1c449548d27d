//! Layouts: the places of the members of a message in its frame.
//!
//! Parsing yields a layout. It borrows nothing, so it can be kept where the frame can't stay borrowed, as
//! long as the frame's bytes are kept beside it. A [`Message`](super::Message) is a layout with its frame.

use super::{CallLayout, ErrorLayout, Layout, Member, OutcomeLayout, ResponseLayout, Values};

impl Layout {
    /// Creates the layout of an object without errors, which has all members that its kind requires.
    #[inline(always)]
    pub(super) fn of_object(values: &Values, unknown: u32) -> Self {
        let id = values.of(Member::ID);
        let (method, result) = (values.of(Member::METHOD), values.of(Member::RESULT));
        if !method.is_empty() {
            let call = CallLayout { id, method, params: values.of(Member::PARAMS), unknown };
            return match id.is_empty() {
                true => Self::Notification(call),
                false => Self::Request(call),
            };
        }
        let outcome = match result.is_empty() {
            false => OutcomeLayout::Result(result),
            true => OutcomeLayout::Error(ErrorLayout {
                code: values.of(Member::CODE),
                message: values.of(Member::MESSAGE),
                data: values.of(Member::DATA),
            }),
        };
        Self::Response(ResponseLayout { id, outcome, unknown })
    }
}

#[cfg(test)]
mod tests {
    use crate::envelope::{Message, Profile};

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
            let message = Message::parse(frame.as_bytes(), &Profile::JSON_RPC).unwrap();
            let copy = frame.as_bytes().to_vec();
            let again = Message::new(&copy, message.layout());
            assert_eq!(again, message, "{frame}");
            // Views are equal if they mean the same, so their spelling is compared as well.
            assert_eq!(std::format!("{again:?}"), std::format!("{message:?}"));
        }
    }
}
