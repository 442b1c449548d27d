//! `defmt` formats of names, which the derived formats would not show.

use defmt::{Format, Formatter, write};

use super::{Finding, KnownMethod, Revision, UnknownRevision, rule};

impl Format for Finding {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{}: {}", self.severity(), Named(self.rule()));
        if let Some(offset) = self.offset() {
            write!(f, " at byte {=u32}", offset);
        }
    }
}

/// A rule of either table, by its name.
struct Named(tautline::Rule);

impl Format for Named {
    fn format(&self, f: Formatter<'_>) {
        rule::log(self.0, f);
    }
}

impl Format for KnownMethod {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{=str}", self.name());
    }
}

impl Format for Revision {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{=str}", self.name());
    }
}

impl Format for UnknownRevision {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{=str}", "not the name of a revision");
    }
}
