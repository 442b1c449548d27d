//! The outcomes that a case allows.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// An outcome that a case allows.
///
/// For a server: each of the `answers` once, in any order, and no other responses but those in `also`. Its requests and
/// notifications are ignored. For a client: the way in which its process ends.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Outcome {
    /// The verdict on this outcome.
    pub verdict: Verdict,
    /// The peers that act in this way, or the reason why it is tolerated. Required for outcomes that are merely
    /// acceptable.
    #[serde(default)]
    pub note: Option<String>,
    /// The responses, in any order. Without any, the peer is silent. Numbered answers are written out.
    #[serde(default, deserialize_with = "written_out")]
    pub answers: Vec<Answer>,
    /// Further responses that may arrive, any number of each, or none. Each response that is not among the answers must
    /// be one of these.
    #[serde(default)]
    pub also: Vec<Response>,
    /// Over HTTP: the responses of HTTP on the connection of the case, in order.
    #[serde(default)]
    pub replies: Option<Vec<Reply>>,
    /// The way in which the peer's process ends, in cases that end it. Over HTTP, the end of the connection.
    #[serde(default)]
    pub ending: Option<Ending>,
}

/// The verdict on an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "everything else is wrong")]
pub enum Verdict {
    /// The outcome that the specification requires, or the best one where it is silent.
    Right,
    /// An outcome about which implementations and maintainers differ, and which harms no peer.
    Acceptable,
}

/// A line that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC 2.0 has no third")]
pub enum Answer {
    /// Responses in an array, in any order.
    Batch {
        /// The responses.
        batch: Vec<Response>,
    },
    /// A response of its own.
    Single(Response),
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Response {
    /// The id, as a JSON text: `"7"`, `"\"a\""`, `"null"`; or `"none"` if the member is absent. Strings are equal if
    /// their characters are equal, however they are escaped. Numbers are equal if their texts are equal.
    pub id: String,
    /// The codes that the error may have. An empty list stands for any code.
    #[serde(default)]
    pub error: Option<Vec<i64>>,
    /// True for a result.
    #[serde(default)]
    pub result: bool,
    /// The JSON pointers (RFC 6901) into the response that must lead somewhere, such as `/error/data/supported`.
    #[serde(default)]
    pub has: Vec<String>,
}

/// An answer as the files write it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Listed {
    Batch {
        batch: Vec<Response>,
    },
    /// This many answers. In the id of each, its number replaces `{N}`, from 1.
    Numbered {
        numbered: Response,
        count: u32,
    },
    Single(Response),
}

impl Listed {
    fn write_out(self, answers: &mut Vec<Answer>) {
        match self {
            Self::Batch { batch } => answers.push(Answer::Batch { batch }),
            Self::Numbered { numbered, count } => answers.extend((1..=count).map(|number| {
                let id = numbered.id.replace("{N}", &number.to_string());
                Answer::Single(Response { id, ..numbered.clone() })
            })),
            Self::Single(response) => answers.push(Answer::Single(response)),
        }
    }
}

fn written_out<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Answer>, D::Error> {
    let mut answers = Vec::new();
    for listed in Vec::<Listed>::deserialize(deserializer)? {
        listed.write_out(&mut answers);
    }
    Ok(answers)
}

/// A response of HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Reply {
    /// The statuses that it may have.
    pub status: Vec<u16>,
    /// The headers that it must have, in lower case, each with an element of its list, in lower case. If the element is
    /// empty, the header may have any value.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The responses in its body, which may be one message or a stream of events. If this is empty, the body contains no
    /// response; it may be a page for people. If it is absent, the body makes no difference.
    #[serde(default, deserialize_with = "some_written_out")]
    pub answers: Option<Vec<Answer>>,
    /// True if there must be no body.
    #[serde(default)]
    pub empty: bool,
}

fn some_written_out<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<Answer>>, D::Error> {
    written_out(deserializer).map(Some)
}

/// The way in which a process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ending {
    /// It exits on its own, with code 0.
    Success,
    /// It exits on its own, with another code than 0.
    Failure,
    /// It exits on its own, with any code.
    Exit,
    /// Over HTTP: it closes the connection.
    Closed,
}
