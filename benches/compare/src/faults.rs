//! Lines that are not messages, to see which parsers accept them.
//!
//! A parser can gain speed by leaving out checks: this is the other half of every number.

use crate::competitors::{Answer, Competitor};

/// A line with one fault.
pub struct Fault {
    /// The fault.
    pub what: &'static str,
    /// A line that is otherwise valid.
    pub line: &'static [u8],
}

const fn fault(what: &'static str, line: &'static [u8]) -> Fault {
    Fault { what, line }
}

/// Lines that RFC 8259, RFC 3629 or JSON-RPC 2.0 forbid.
pub const FAULTS: &[Fault] = &[
    fault(
        "bytes that are not UTF-8",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[\"\xFF\"]}\n",
    ),
    fault(
        "bytes that are not UTF-8 in unknown members",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"more\":[\"\xFF\"]}\n",
    ),
    fault(
        "control characters in strings",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[\"\t\"]}\n",
    ),
    fault("`\\x`", br#"{"jsonrpc":"2.0","id":1,"method":"a","params":["\x41"]}"#),
    fault("`\\u12G4`", br#"{"jsonrpc":"2.0","id":1,"method":"a","params":["\u12G4"]}"#),
    fault("`01`", br#"{"jsonrpc":"2.0","id":1,"method":"a","params":[01]}"#),
    fault("`1.`", br#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1.]}"#),
    fault("`tru`", br#"{"jsonrpc":"2.0","id":1,"method":"a","params":[tru]}"#),
    fault("`[1,]`", br#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1,]}"#),
    fault("`[1}`", br#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1}}"#),
    fault("text behind the value", br#"{"jsonrpc":"2.0","id":1,"method":"a"}}"#),
    fault("no version", br#"{"id":1,"method":"a"}"#),
    fault("another version", br#"{"jsonrpc":"1.0","id":1,"method":"a"}"#),
    fault("two ids", br#"{"jsonrpc":"2.0","id":1,"method":"a","id":2}"#),
    fault(
        "two ids, one spelled `\\u0069d`",
        br#"{"jsonrpc":"2.0","id":1,"method":"a","\u0069d":2}"#,
    ),
    fault("an object as id", br#"{"jsonrpc":"2.0","id":{},"method":"a"}"#),
    fault("a string as params", br#"{"jsonrpc":"2.0","id":1,"method":"a","params":"b"}"#),
    fault("a method and a result", br#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#),
    fault(
        "a result and an error",
        br#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"a"}}"#,
    ),
    fault("a response without id", br#"{"jsonrpc":"2.0","result":{}}"#),
    fault("an error without code", br#"{"jsonrpc":"2.0","id":1,"error":{"message":"a"}}"#),
];

impl Competitor {
    /// Returns the invalid lines that it accepts.
    pub fn accepts(&mut self) -> Vec<&'static str> {
        if self.answer == Answer::Limit {
            return vec!["everything"];
        }
        let accepted = |fault: &&Fault| (self.pass)(fault.line).accepted() > 0;
        FAULTS.iter().filter(accepted).map(|fault| fault.what).collect()
    }
}
