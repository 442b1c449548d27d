//! One direction: a stream of bytes, and where its pieces were recorded.

use std::collections::VecDeque;
use std::io;

use tautline::frame::FramingKind;
use tautline::{Message, Profile};
use tautline_mcp::Role;

use super::Sink;
use super::core::Core;
use crate::frame::Reporter;
use crate::judge::{Judge, TwoSides};
use crate::options::Options;
use crate::source::Place;
use crate::wire::Wire;

/// The number of places that are remembered. If one frame takes more pieces, some in its middle are forgotten, and an
/// event in them gets the place of the frame's start.
const PLACES: usize = 4096;

/// One direction.
#[derive(Debug)]
pub(super) struct Side {
    wire: Wire,
    pub reporter: Reporter,
    /// The offsets in the stream at which the pieces of the source begin, and their places. The place of a frame is the
    /// last one that begins before it.
    places: VecDeque<(u64, Place)>,
    received: u64,
    /// True if a line has begun and has not ended.
    pub is_in_line: bool,
    /// The messages in that line, if each write was a whole message.
    open: Open,
}

/// The most requests of a line that are remembered before it ends.
const OPEN: usize = 64;

/// A line that has not ended, and that each write has given a whole message without a newline.
#[derive(Debug, Default)]
struct Open {
    has_other: bool,
    /// The requests in it that were not taken, each as it was written.
    requests: Vec<Vec<u8>>,
}

impl Open {
    fn push(&mut self, bytes: &[u8]) {
        let line = match bytes.iter().rposition(|&byte| byte == b'\n') {
            Some(newline) => {
                *self = Self::default();
                bytes.get(newline + 1..).unwrap_or_default()
            }
            None => bytes,
        };
        if line.is_empty() || self.has_other {
            return;
        }
        let may_be = line.starts_with(b"{") && line.ends_with(b"}");
        match may_be.then(|| Message::parse(line, &Profile::JSON_RPC)) {
            Some(Ok(Message::Request(_))) if self.requests.len() < OPEN => {
                self.requests.push(line.to_vec());
            }
            Some(Ok(_)) => {}
            _ => *self = Self { has_other: true, requests: Vec::new() },
        }
    }
}

impl Side {
    pub fn new(options: &Options, judge: &TwoSides) -> Self {
        let wire = Wire::new(options.framing, options.max_frame, &judge.profile());
        let reporter = Reporter::new(options.framing, options.max_findings);
        Self {
            wire,
            reporter,
            places: VecDeque::new(),
            received: 0,
            is_in_line: false,
            open: Open::default(),
        }
    }

    pub fn push(
        &mut self,
        from: Role,
        bytes: &[u8],
        place: Place,
        core: &mut Core,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        // Without lines, the first place is as good as any other.
        if self.places.is_empty() || place.line.is_some() {
            if self.places.len() >= PLACES {
                // The first is the place of the frame that has begun.
                self.places.drain(1..PLACES / 2);
            }
            self.places.push_back((self.received, place));
        }
        self.received += bytes.len() as u64;
        if let Some(last) = bytes.last() {
            self.is_in_line = *last != b'\n';
        }
        if core.options.framing == FramingKind::Ndjson {
            self.open.push(bytes);
        }
        let Self { wire, reporter, places, .. } = self;
        wire.push(bytes, &mut |event, around| {
            core.cut(from, (&event, around), reporter, places, place.time, sink)
        })?;
        Ok(())
    }

    /// Returns the requests in the line that has begun, each of them once: the other side may answer them before the line
    /// ends.
    pub fn take_open(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.open.requests)
    }

    pub fn close(&mut self, from: Role, core: &mut Core, sink: &mut dyn Sink) -> io::Result<()> {
        let Self { wire, reporter, places, .. } = self;
        wire.finish(&mut |event, around| {
            let time = places.back().and_then(|(_, place)| place.time);
            core.cut(from, (&event, around), reporter, places, time, sink)
        })?;
        if let Some(report) = reporter.end(wire.other_fields()) {
            let place = places.back().map(|&(_, place)| place).unwrap_or_default();
            core.broken(from, place, report, sink)?;
        }
        *self = Self::new(&core.options, &core.judge);
        Ok(())
    }
}
