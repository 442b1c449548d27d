//! The inputs: the corpora, and those of results with the request before each.

use benches::corpora::{self, Scale};
use tautline::{Message, Profile};

/// A log of messages, one per line.
pub struct Input {
    /// The name.
    pub name: String,
    /// The bytes.
    pub wire: Vec<u8>,
    /// The number of messages.
    pub messages: u64,
}

/// The corpora of results, and the request that each answers.
const ASKED: [(&str, &str); 4] = [
    ("tools", r#""tools/list""#),
    ("text", r#""tools/call","params":{"name":"read"}"#),
    ("blob", r#""tools/call","params":{"name":"draw"}"#),
    ("numbers", r#""tools/call","params":{"name":"measure"}"#),
];

/// An answer that only one method has: it shows that the log has the messages of both sides.
const HANDSHAKE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"client","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":"first","result":{"protocolVersion":"2025-11-25","capabilities":{},"#,
    r#""serverInfo":{"name":"server","version":"1"}}}"#,
    "\n",
);

/// Returns the names of the inputs.
pub fn names() -> Vec<String> {
    let asked = ASKED.iter().map(|(corpus, _)| asked_name(corpus));
    corpora::names().map(str::to_owned).chain(asked).collect()
}

fn asked_name(corpus: &str) -> String {
    format!("{corpus}-asked")
}

impl Input {
    /// Makes the input of this name.
    pub fn named(name: &str, scale: Scale) -> Option<Self> {
        if let Some((corpus, request)) = ASKED.iter().find(|(corpus, _)| asked_name(corpus) == name)
        {
            return Self::asked(corpus, request, scale);
        }
        let corpus = corpora::corpus(name, scale, corpora::USUAL_SEED)?;
        let messages = corpus.counts.accepted();
        Some(Self { name: corpus.name.into(), wire: corpus.wire, messages })
    }

    /// Makes a corpus of results, each after this request.
    fn asked(corpus: &str, request: &str, scale: Scale) -> Option<Self> {
        let corpus = corpora::corpus(corpus, scale, corpora::USUAL_SEED)?;
        let mut wire = HANDSHAKE.as_bytes().to_vec();
        for line in corpus.wire.split_inclusive(|byte| *byte == b'\n') {
            let Ok(Message::Response(response)) = Message::parse(line, &Profile::JSON_RPC) else {
                return None;
            };
            let id = response.id()?;
            wire.extend(
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{request}}}"#).into_bytes(),
            );
            wire.push(b'\n');
            wire.extend_from_slice(line);
        }
        let messages = corpus.counts.accepted() * 2 + 2;
        Some(Self { name: asked_name(&corpus.name), wire, messages })
    }
}
