//! The records of HTTP exchanges, as events of their sessions.

use std::collections::BTreeMap;
use std::io;

use tautline_mcp::Role;

use super::parse::{Failure, bytes_of, role};
use super::{Header, Record};
use crate::frame::Piece;
use crate::source::http::{Exchanges, Part, ReceiveOf};
use crate::source::{Ending, Event, Place, Receive};

/// The most bytes of frames that wait for the end of an earlier session.
const MOST: usize = 512 * 1024 * 1024;

const UNSEEN: &str =
    "a recording of HTTP has no standard error, and does not show how the server's process ended";
const SESSIONS: &str = "the recording has several sessions: they were told apart by Mcp-Session-Id and initialize, and \
    are judged one after the other";
const TOO_MUCH: &str =
    "several sessions at once have sent more than can be kept: their last messages are not judged";

/// A reader of the records of exchanges. The first session is passed on at once, and the others wait for its end.
pub(super) struct Http {
    exchanges: Exchanges,
    has_begun: bool,
    waiting: BTreeMap<usize, Vec<(Held, Place)>>,
    kept: usize,
    is_full: bool,
}

/// An event that waits.
enum Held {
    Frame(Role, Vec<u8>),
    Other(Event<'static>),
}

impl Http {
    /// Creates the reader of a recording with this header, if it is one of HTTP.
    pub fn of(header: &Header, limit: u32) -> Option<Self> {
        header.http.then(|| Self {
            exchanges: Exchanges::new(header.endpoint.as_deref(), limit),
            has_begun: false,
            waiting: BTreeMap::new(),
            kept: 0,
            is_full: false,
        })
    }

    /// Reads a record.
    pub fn record(
        &mut self,
        record: &Record<'_>,
        place: Place,
        receive: &mut Receive<'_>,
    ) -> Result<(), Failure> {
        if !std::mem::replace(&mut self.has_begun, true) {
            receive(Event::Loss(UNSEEN.to_owned()), place).map_err(Failure::Receive)?;
        }
        let Some(number) = record.exchange else {
            return match record.request.is_some()
                || record.response.is_some()
                || record.from.is_some()
            {
                true => Err(Failure::Record("a record of HTTP names its exchange".to_owned())),
                false => Ok(()),
            };
        };
        for part in parts(record)? {
            self.part(number, &part.borrowed(), place, receive).map_err(Failure::Receive)?;
        }
        Ok(())
    }

    fn part(
        &mut self,
        number: u64,
        part: &Part<'_>,
        place: Place,
        receive: &mut Receive<'_>,
    ) -> io::Result<()> {
        self.hold(receive, |exchanges, receive| exchanges.part(number, part, place, receive))
    }

    /// Passes on the events of the first session, and holds those of others.
    fn hold(
        &mut self,
        receive: &mut Receive<'_>,
        read: impl FnOnce(&mut Exchanges, &mut ReceiveOf<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { exchanges, waiting, kept, is_full, .. } = self;
        read(exchanges, &mut |session, event, place| {
            if session == 0 {
                return receive(event, place);
            }
            let held = match event {
                Event::Loss(_) => return receive(event, place),
                _ if *is_full => return Ok(()),
                Event::Frame { from, piece } => Held::Frame(from, piece.bytes().to_vec()),
                event => match owned(event) {
                    Some(event) => Held::Other(event),
                    None => return Ok(()),
                },
            };
            *kept += size_of::<Held>();
            if let Held::Frame(_, bytes) = &held {
                *kept += bytes.len();
            }
            if *kept > MOST {
                *is_full = true;
                return receive(Event::Loss(TOO_MUCH.to_owned()), place);
            }
            waiting.entry(session).or_default().push((held, place));
            Ok(())
        })
    }

    /// Passes on the sessions that have waited.
    pub fn finish(&mut self, receive: &mut Receive<'_>) -> io::Result<()> {
        self.hold(receive, |exchanges, receive| exchanges.finish(Place::default(), receive))?;
        let waiting = std::mem::take(&mut self.waiting);
        if let Some((_, place)) = waiting.values().next().and_then(|events| events.first()) {
            receive(Event::Loss(SESSIONS.to_owned()), *place)?;
        }
        for events in waiting.into_values() {
            let start = events.first().map(|(_, place)| *place).unwrap_or_default();
            let how = "the messages of another session follow".to_owned();
            receive(Event::End { how, ending: Ending::Normal }, start)?;
            if self.is_full {
                for from in [Role::Client, Role::Server] {
                    receive(Event::Missing { from, answers: None }, start)?;
                }
            }
            for (held, place) in events {
                let line = place.line.unwrap_or(1);
                match held {
                    Held::Frame(from, bytes) => {
                        receive(Event::Frame { from, piece: Piece::whole(&bytes, line) }, place)?;
                    }
                    Held::Other(event) => receive(event, place)?,
                }
            }
        }
        Ok(())
    }
}

/// Returns an event of an exchange that borrows nothing.
fn owned(event: Event<'_>) -> Option<Event<'static>> {
    Some(match event {
        Event::Broken { from, report } => Event::Broken { from, report },
        Event::Http => Event::Http,
        Event::Head(report) => Event::Head(report),
        Event::Answered { from, id } => Event::Answered { from, id },
        Event::Missing { from, answers } => Event::Missing { from, answers },
        // Exchanges emit nothing else.
        _ => return None,
    })
}

/// A part of a record.
enum Read<'a> {
    Bytes(Role, std::borrow::Cow<'a, [u8]>),
    Other(Part<'a>),
}

impl Read<'_> {
    fn borrowed(&self) -> Part<'_> {
        match self {
            Self::Bytes(from, bytes) => Part::Bytes { from: *from, bytes },
            Self::Other(part) => part.clone(),
        }
    }
}

/// Returns the parts of a record, in order.
fn parts<'a>(record: &'a Record<'_>) -> Result<Vec<Read<'a>>, Failure> {
    let mut parts = Vec::new();
    if let Some(head) = &record.request {
        parts.push(Read::Other(Part::Request(head.clone())));
    }
    if let Some(head) = &record.response {
        parts.push(Read::Other(Part::Response(head.clone())));
    }
    match (&record.from, bytes_of(record)?, record.omitted) {
        (Some(from), bytes, omitted) if bytes.is_some() || omitted.is_some() => {
            let from = role(from)?;
            parts.extend(bytes.map(|bytes| Read::Bytes(from, bytes)));
            parts.extend(omitted.map(|count| Read::Other(Part::Omitted { from, count })));
        }
        (None, None, None) => {}
        _ => {
            let why = "a record of bytes names their writer, and has text, base64 or omitted";
            return Err(Failure::Record(why.to_owned()));
        }
    }
    if let Some(closed) = &record.closed {
        let (from, trailers) = (role(closed)?, record.trailers.clone());
        parts.push(Read::Other(Part::Closed { from, trailers }));
    }
    if let Some(aborted) = &record.aborted {
        let (from, why) = (role(aborted)?, record.why.clone().unwrap_or_default());
        parts.push(Read::Other(Part::Aborted { from, why }));
    }
    Ok(parts)
}
