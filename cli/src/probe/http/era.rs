//! The revisions that a server over HTTP claims, and what it offers.

use tautline_conformance::Corpus;

use super::exchange::Reach;
use super::session::{NotOpened, Session};
use crate::probe::era::{About, answered};
use crate::probe::interrupt::Cut;

/// Asks a server for these revisions, each in a session of its own, the newest first as clients do.
pub fn ask<'a>(
    reach: Reach<'a>,
    corpus: &'a Corpus,
    revisions: impl DoubleEndedIterator<Item = &'a str>,
) -> Result<About, Cut> {
    let mut about = About::default();
    for revision in revisions.rev() {
        let Some(script) = corpus.sessions.get(revision) else { continue };
        let why = match Session::open(reach, script, revision) {
            Ok((mut session, result)) => {
                let answered = answered(&result, revision);
                if answered.is_ok() {
                    let body = script.survival.split_once("\r\n\r\n").map_or("", |(_, body)| body);
                    about.meet(&mut session, body, &result)?;
                }
                session.end();
                answered.err()
            }
            Err(NotOpened::Cut(cut)) => return Err(cut),
            Err(NotOpened::Refused(why)) => Some(why),
        };
        match why {
            None => about.claimed.push(revision.to_owned()),
            Some(why) => about.unclaimed.push((revision.to_owned(), why)),
        }
    }
    about.claimed.reverse();
    about.unclaimed.reverse();
    Ok(about)
}
