//! Reports on a probe.

mod by_hand;
mod html;
mod json;
mod junit;
pub mod shown;
mod table;
mod text;

use std::ffi::OsString;
use std::io::{self, Write};
use std::time::Duration;

use tautline_audit::printable;
use tautline_conformance::{Corpus, Role, Session};

use crate::output::Style;

use super::args::ProbeFormat;
use super::era::About;
#[cfg(feature = "http")]
use super::http::url::Url;
use super::interrupt::Cut;
use super::known::Held;
use super::row::Row;

/// The peer under test.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// This command starts it.
    Command(&'a [OsString]),
    /// It is a server over HTTP with this address.
    #[cfg(feature = "http")]
    Url(&'a Url),
}

impl Target<'_> {
    /// Returns the name of what identifies the peer.
    const fn name(self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            #[cfg(feature = "http")]
            Self::Url(_) => "url",
        }
    }
}

/// Everything that reports are written from.
pub struct Report<'a> {
    pub role: Role,
    /// The options that the peer needs, for the command that probes a case alone.
    pub options: &'static str,
    pub target: Target<'a>,
    /// The introduction of a server, or the revisions that a client speaks.
    pub about: About,
    pub corpus: &'a Corpus,
    pub rows: Vec<Row<'a>>,
    /// The reason why some cases were skipped, if the probe did not run to its end.
    pub cut: Option<Cut>,
    pub took: Duration,
    /// The entries of the baseline that did not occur.
    pub held: Held,
}

/// Which rows are shown to people one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Wrong,
    All,
}

/// The appearance of a report for people.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub style: Style,
    /// The width at which lines are wrapped, in columns, or `None` for no wrapping.
    pub width: Option<usize>,
    pub detail: Detail,
}

impl Report<'_> {
    pub fn write(&self, format: ProbeFormat, look: Look, out: &mut dyn Write) -> io::Result<()> {
        match format {
            ProbeFormat::Text => text::write(self, look, out),
            ProbeFormat::Junit => junit::write(self, out),
            ProbeFormat::Json => json::write(self, out),
            ProbeFormat::Html => html::write(self, out),
        }
    }

    /// Returns sentences about the entries of the baseline that did not occur.
    fn held_words(&self) -> Vec<String> {
        let stale = self.held.stale.iter().map(|stale| {
            let (case, what) = (&stale.rule, stale.message.as_deref().unwrap_or_default());
            let what = if what.is_empty() { "" } else { &format!(" ({what})") };
            let words = format!("the baseline accepts {case}{what}, which no longer occurs");
            printable(words.as_bytes())
        });
        let unchecked = match self.held.unchecked.len() {
            0 => None,
            1 => Some(
                "1 entry of the baseline was not checked, because its case did not run".to_owned(),
            ),
            count => Some(format!(
                "{count} entries of the baseline were not checked, because their cases did not run"
            )),
        };
        stale
            .map(|words| format!("error: {words}"))
            .chain(unchecked.map(|words| format!("note: {words}")))
            .collect()
    }

    /// Returns the command as a shell reads it, or the address.
    fn target_line(&self) -> String {
        match self.target {
            Target::Command(words) => {
                let words = words.iter().map(|word| by_hand::quoted(&word.to_string_lossy()));
                words.collect::<Vec<_>>().join(" ")
            }
            #[cfg(feature = "http")]
            Target::Url(url) => url.to_string(),
        }
    }

    /// Returns the command that probes this case alone.
    fn alone(&self, row: &Row<'_>) -> String {
        let options = self.options;
        let (id, revision) = (&row.case.id, row.revision);
        let target = match self.target {
            Target::Command(_) => format!("-- {}", self.target_line()),
            #[cfg(feature = "http")]
            Target::Url(url) => format!("--url {}", by_hand::quoted(&url.to_string())),
        };
        format!("tautline probe{options} --rules {revision} --case {id} {target}")
    }

    /// Returns the session that a row happened in.
    fn script(&self, row: &Row<'_>) -> Option<&Session> {
        self.corpus.sessions.get(row.revision)
    }
}
