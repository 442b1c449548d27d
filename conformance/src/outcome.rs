//! What a peer may do in a case.

use serde::{Deserialize, Deserializer};

/// One thing that a peer may do in a case.
///
/// For a server: each of these answers once, in any order, and no other response but those that it may send `also`. Its
/// requests and notifications are not looked at. For a client: how its process ends.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Outcome {
    /// The worth of this outcome.
    pub verdict: Verdict,
    /// Who acts so, or why it is tolerated. Required for what is merely acceptable.
    #[serde(default)]
    pub note: Option<String>,
    /// The responses, in any order. Without any, the peer is silent. Numbered answers are written out.
    #[serde(default, deserialize_with = "written_out")]
    pub answers: Vec<Answer>,
    /// Further responses that may come: each response that is left after the answers is one of these, and any number of
    /// them may come, or none.
    #[serde(default)]
    pub also: Vec<Response>,
    /// How the process of the peer ends, in cases that end it.
    #[serde(default)]
    pub ending: Option<Ending>,
}

/// The worth of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "everything else is wrong")]
pub enum Verdict {
    /// What the specification demands, or the best where it is silent.
    Right,
    /// What implementations and maintainers differ about, and nobody is harmed by.
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
    /// The id, as a JSON text: `"7"`, `"\"a\""`, `"null"`; or `"none"` if the member is absent. Strings are equal if their
    /// characters are, however they are escaped; numbers if their texts are.
    pub id: String,
    /// The codes of which the error has one. An empty list stands for any code.
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
    /// So many answers: in the id, the number of each replaces `{N}`, from 1.
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

/// How a process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ending {
    /// With exit code 0, of itself.
    Success,
    /// With any exit code, of itself.
    Exit,
}
