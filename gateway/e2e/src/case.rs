//! The cases of the conformance corpus, sent byte for byte.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tautline_conformance::{Case, Corpus, Opening, Role, Step};
use tokio::sync::Semaphore;
use tokio::time::sleep;

use crate::connection::{Connection, Reply};

/// The time in which a server answers.
const ANSWER: Duration = Duration::from_secs(3);
/// The time in which a server that has answered closes the connection or sends more, if it does.
const MORE: Duration = Duration::from_millis(100);

/// A case for servers in one of its revisions.
#[derive(Clone, Debug)]
pub struct Play {
    /// The case.
    pub case: Case,
    /// The revision.
    pub revision: String,
}

/// The replies to a case.
#[derive(Clone, Debug)]
pub struct Played {
    /// The replies, in order.
    pub replies: Vec<Reply>,
    /// The port of the client.
    pub port: u16,
}

/// Returns the cases for servers, each in all of its revisions.
#[must_use]
pub fn plays() -> Vec<Play> {
    let cases = Corpus::http().cases.into_iter().filter(|case| case.role == Role::Server);
    let plays = cases.flat_map(|case| {
        let play = |revision: &String| Play { case: case.clone(), revision: revision.clone() };
        case.revisions.iter().map(play).collect::<Vec<_>>()
    });
    plays.collect()
}

impl Play {
    /// Returns the id of the case, and the revision.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.case.id, self.revision)
    }

    /// Sends the case to a server on a fresh connection.
    ///
    /// # Panics
    ///
    /// Panics if there is no server.
    pub async fn send(&self, address: SocketAddr) -> Played {
        let mut connection = Connection::open(address).await.expect("a server");
        let port = connection.port().expect("a port");
        for step in &self.case.steps {
            match step {
                Step::PauseMs(time) => sleep(Duration::from_millis((*time).into())).await,
                Step::Await(_) => {
                    let expected = connection.replies.len() + 1;
                    connection.wait(expected, Duration::from_secs(2)).await;
                }
                Step::Close(_) => connection.close().await,
                step => {
                    let (bytes, count) = step.bytes().expect("bytes");
                    connection.send(&self.filled(&bytes).repeat(count as usize)).await;
                }
            }
        }
        let outcomes = self.case.outcomes.iter();
        let expected = outcomes.map(|outcome| outcome.replies.as_ref().map_or(1, Vec::len));
        let expected = expected.max().unwrap_or(1);
        if connection.wait(expected, ANSWER).await {
            connection.wait(expected + 1, MORE).await;
        }
        Played { replies: connection.into_replies(), port }
    }

    /// Replaces the placeholders in the bytes of a step.
    fn filled(&self, bytes: &[u8]) -> Vec<u8> {
        let session = match self.case.opening {
            Opening::Fresh => "",
            _ if self.revision == "2026-07-28" => "",
            _ => "Mcp-Session-Id: session-1\r\n",
        };
        let values = [
            ("{PATH}", "/mcp"),
            ("{HOST}", "localhost:8080"),
            ("{URL}", "http://localhost:8080/mcp"),
            ("{ORIGIN}", "http://localhost:8080"),
            ("{REVISION}", &self.revision),
            ("{SESSION}", session),
            ("{SESSIONID}", "session-1"),
        ];
        // A character for each byte, because not all are UTF-8.
        let mut text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        for (name, value) in values {
            text = text.replace(name, value);
        }
        text.chars().map(|sign| u8::try_from(u32::from(sign)).expect("a byte")).collect()
    }
}

/// The number of cases that are played at the same time.
const AT_ONCE: usize = 128;

/// Sends cases to a server, many at the same time. Returns what came of each, in their order.
///
/// # Panics
///
/// Panics if a case does.
pub async fn send_all(plays: &[Play], address: SocketAddr) -> Vec<Played> {
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let tasks: Vec<_> = plays
        .iter()
        .map(|play| {
            let (play, turns) = (play.clone(), Arc::clone(&turns));
            tokio::spawn(async move {
                let _turn = turns.acquire().await.expect("a turn");
                play.send(address).await
            })
        })
        .collect();
    let mut played = Vec::new();
    for task in tasks {
        played.push(task.await.expect("a case"));
    }
    played
}
