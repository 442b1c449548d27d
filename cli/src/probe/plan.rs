//! The selection of the cases to run, and of their revisions.

use tautline_conformance::{Case, Corpus, Level, Opening, Role};

use super::args::ProbeArgs;

/// The cases and revisions that the user has chosen.
pub struct Plan<'a> {
    /// The revisions, the oldest first.
    pub revisions: Vec<&'a str>,
    /// The cases, in the order of the corpus.
    pub cases: Vec<&'a Case>,
    /// True if each case runs in all its revisions, and not only in the latest that the peer speaks.
    in_all: bool,
}

impl<'a> Plan<'a> {
    /// Selects revisions and cases.
    ///
    /// # Errors
    ///
    /// Returns the reason in words if a name selects nothing.
    pub fn new(args: &ProbeArgs, corpus: &'a Corpus) -> Result<Self, String> {
        let role = if args.client { Role::Client } else { Role::Server };
        let is_chosen = |revision: &str| {
            args.rules.is_empty() || args.rules.iter().any(|chosen| chosen == revision)
        };
        let revisions: Vec<&str> =
            corpus.sessions.keys().map(String::as_str).filter(|name| is_chosen(name)).collect();
        let is_quick = |case: &Case| case.level == Level::Must && case.opening == Opening::Ready;
        let of_role: Vec<&Case> = corpus
            .cases
            .iter()
            .filter(|case| case.role == role && (!args.quick || is_quick(case)))
            .collect();
        for pattern in &args.case {
            if !of_role.iter().any(|case| matches(pattern, &case.id)) {
                let peer = if args.client { "clients" } else { "servers" };
                let quick = if args.quick { " --quick" } else { "" };
                let url = match (args.is_over_http(), args.client) {
                    (true, false) => " --url URL",
                    (true, true) => " --client --http",
                    (false, _) => "",
                };
                return Err(format!(
                    "there is no case `{pattern}` for {peer}; `tautline probe{quick} --dry-run{url}` lists all"
                ));
            }
        }
        let cases: Vec<&Case> = of_role
            .into_iter()
            .filter(|case| {
                args.case.is_empty() || args.case.iter().any(|pattern| matches(pattern, &case.id))
            })
            .filter(|case| case.revisions.iter().any(|revision| is_chosen(revision)))
            .collect();
        if cases.is_empty() {
            return Err("no case is about these revisions".to_owned());
        }
        let in_all = args.all_revisions || !args.rules.is_empty();
        Ok(Self { revisions, cases, in_all })
    }

    /// Returns each case with each of its revisions, the oldest revision first.
    pub fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a Case)> {
        self.revisions
            .iter()
            .flat_map(|&revision| self.of(revision).map(move |case| (revision, case)))
    }

    /// Returns the later revision in which a case runs instead of this one, if there is one among those that the peer
    /// speaks, the oldest first.
    pub fn later<'c>(&self, case: &Case, revision: &str, spoken: &'c [String]) -> Option<&'c str> {
        if self.in_all {
            return None;
        }
        let latest = spoken.iter().rev().find(|spoken| case.revisions.contains(spoken))?;
        (latest != revision).then_some(latest)
    }

    /// Returns the cases about a revision.
    pub fn of(&self, revision: &str) -> impl Iterator<Item = &'a Case> {
        self.cases
            .iter()
            .copied()
            .filter(move |case| case.revisions.iter().any(|one| one == revision))
    }
}

/// Returns whether a pattern, in which `*` stands for any characters, matches a name.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match name.split_once(piece) {
            Some((_, after)) => name = after,
            None => return false,
        }
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, yes, no) in [
            ("id-null", "id-null", "request-id-null"),
            ("id-*", "id-null", "no-id-null"),
            ("*-null", "id-null", "id-null-2"),
            ("*id*", "request-id-null", "request"),
            ("a*b*c", "a-b-b-c", "a-c-b"),
            ("a*a", "aa", "a"),
        ] {
            assert!(matches(pattern, yes), "{pattern}");
            assert!(!matches(pattern, no), "{pattern}");
        }
    }
}
