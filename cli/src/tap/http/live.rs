//! The display: a thread that audits the log, session by session, and shows each message on standard error.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use tautline_audit::source::http::Exchanges;
use tautline_audit::source::{Ending, Event, Place};
use tautline_audit::{Audit, Options};
use tautline_mcp::Role;

use super::head::Upstream;
use super::log::{Entry, Note, Reader};
use crate::tap::args::TapArgs;
use crate::tap::live::line::{self, Page};
use crate::tap::live::{Show, options, style};
use crate::tap::screen::Screen;

/// The most sessions that are judged at the same time. The one that began first is ended for another one.
const MOST: usize = 64;

/// The display of the exchanges.
pub struct Live {
    exchanges: Exchanges,
    audits: BTreeMap<usize, Audit>,
    /// The exchanges whose response has begun.
    answered: BTreeSet<u64>,
    upstream: Upstream,
    /// The open exchanges with other paths than that of the endpoint, whose bodies are not examined.
    others: BTreeSet<u64>,
    options: Options,
    /// The numbers of frames, errors and warnings in sessions that have ended.
    totals: [u64; 3],
    page: Page,
    screen: Screen,
}

impl Live {
    pub fn new(args: &TapArgs, upstream: &Upstream, screen: Screen) -> Self {
        let options = options(args);
        Self {
            exchanges: Exchanges::new(Some(&upstream.url()), options.max_frame),
            audits: BTreeMap::new(),
            answered: BTreeSet::new(),
            upstream: upstream.clone(),
            others: BTreeSet::new(),
            options,
            totals: [0; 3],
            page: Page::new(style()),
            screen,
        }
    }

    /// Shows the log until the proxy stops.
    pub fn show(&mut self, reader: &Reader) {
        let mut latest = 0;
        while let Some(first) = reader.next() {
            self.page.measure();
            let mut next = Some(first);
            while let Some(entry) = next {
                latest = entry.us;
                self.entry(&entry);
                self.flush(line::ENOUGH);
                next = reader.try_next();
            }
            self.flush(0);
        }
        let missed = reader.missed().load(Ordering::Relaxed);
        if missed > 0 {
            let words = format!("… {missed} exchanges were not examined");
            self.page.remark(latest, Role::Client, &words);
        }
        let place = Place { time: Some(latest), ..Place::default() };
        let audits = &mut self.audits;
        // The audits drop what is reported here.
        let _ = self.exchanges.finish(place, &mut |session, event, place| match audits
            .get_mut(&session)
        {
            Some(audit) => audit.event(event, place, &mut ()),
            None => Ok(()),
        });
        while let Some((_, audit)) = self.audits.pop_first() {
            self.end(latest, audit);
        }
        self.page.totals(latest, "the proxy has stopped", self.totals);
        self.flush(0);
    }

    fn entry(&mut self, entry: &Entry) {
        let Entry { us, exchange, note } = entry;
        let place = Place { time: Some(*us), ..Place::default() };
        let Self { exchanges, audits, options, page, .. } = self;
        // The page has no errors to return.
        let _ = exchanges.part(*exchange, &note.part(), place, &mut |session, event, place| {
            // The display tells below what the exchange has lost.
            if matches!(event, Event::Loss(_)) {
                return Ok(());
            }
            let audit = audits.entry(session).or_insert_with(|| Audit::new(options.clone()));
            audit.event(event, place, &mut Show { us: *us, page })
        });
        match note {
            Note::Request(head) if !self.upstream.is_endpoint(&head.target) => {
                self.others.insert(*exchange);
            }
            Note::Closed(Role::Server, _) | Note::Aborted(..) => drop(self.others.remove(exchange)),
            _ => {}
        }
        match note {
            // Clients often leave a stream once they have what they asked for.
            Note::Aborted(Role::Client, _) if self.answered.remove(exchange) => {}
            Note::Aborted(from, why) => {
                self.answered.remove(exchange);
                self.page.remark(*us, *from, why);
            }
            Note::Closed(Role::Server, _) => drop(self.answered.remove(exchange)),
            Note::Omitted(..) if self.others.contains(exchange) => {}
            Note::Omitted(from, count) => {
                let words = format!("… {count} bytes of the {} were not examined", from.name());
                self.page.remark(*us, *from, &words);
            }
            Note::Response(head) => {
                self.answered.insert(*exchange);
                if head.status >= 400 {
                    let words = format!("HTTP status {}", head.status);
                    self.page.remark(*us, Role::Server, &words);
                }
            }
            _ => {}
        }
        while self.audits.len() > MOST {
            let Some((_, audit)) = self.audits.pop_first() else { break };
            self.end(*us, audit);
        }
    }

    /// Ends a session, and counts what was found in it.
    fn end(&mut self, us: i64, mut audit: Audit) {
        let mut show = Show { us, page: &mut self.page };
        let place = Place { time: Some(us), ..Place::default() };
        let event = Event::End { how: "the proxy has stopped".to_owned(), ending: Ending::Normal };
        let _ = audit.event(event, place, &mut show);
        let Ok(document) = audit.finish(Vec::new(), &mut show) else { return };
        let totals = document.totals;
        let counts = [totals.frames, totals.errors, totals.warnings];
        for (sum, count) in self.totals.iter_mut().zip(counts) {
            *sum += count;
        }
    }

    /// Writes the page, if it has more than this many bytes.
    fn flush(&mut self, enough: usize) {
        let lines = self.page.take(enough);
        if !lines.is_empty() {
            self.screen.lines(&lines, self.page.style());
        }
    }
}
