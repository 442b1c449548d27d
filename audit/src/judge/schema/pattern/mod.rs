//! Patterns: regular expressions of ECMA-262, matched in time that is linear in the text.
//!
//! `parse` reads a pattern, and the crate `regex-automata` matches it. Lookarounds and back references have no linear
//! matcher, so a pattern that contains them has no [`Pattern`].

mod parse;

use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::nfa::thompson::{Compiler, Config, NFA, WhichCaptures};

/// A regular expression that can be matched anywhere in a text.
#[derive(Debug)]
pub(super) struct Pattern {
    machine: PikeVM,
}

impl Pattern {
    /// Compiles a pattern, and takes the bytes that it needs from `room`. Returns `None` if its meaning is uncertain, if
    /// it has no linear matcher, or if it needs more than `room`.
    pub fn new(pattern: &str, room: &mut usize) -> Option<Self> {
        let expression = parse::parse(pattern)?;
        let config = Config::new().which_captures(WhichCaptures::None).nfa_size_limit(Some(*room));
        let automaton = Compiler::new().configure(config).build_from_hir(&expression).ok();
        let size = automaton.as_ref().map(NFA::memory_usage).filter(|size| size <= room);
        // An attempt takes as long as the room that it fills, so the next one gets less.
        *room -= size.unwrap_or(*room / 2);
        let automaton = automaton.filter(|_| size.is_some())?;
        Some(Self { machine: PikeVM::new_from_nfa(automaton).ok()? })
    }

    /// Returns an upper bound of the number of states that a search of a text visits.
    pub fn cost(&self, text: &str) -> usize {
        self.machine.get_nfa().states().len().saturating_mul(text.len().saturating_add(1))
    }

    /// Returns whether the pattern matches a part of the text.
    pub fn matches(&self, text: &str) -> bool {
        self.machine.is_match(&mut self.machine.create_cache(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    const MOST: usize = 1 << 16;

    #[test]
    fn patterns_match_as_in_ecma_262() {
        for (pattern, matching, others) in [
            ("", &["", "a"][..], &[][..]),
            ("b+", &["abba"], &["a", ""]),
            ("^(?:ab|c){2}$", &["abc", "cc"], &["ab", "abcc", "abc\n"]),
            ("^(?<year>[0-9]{4})-x??$", &["2024-"], &["2024", "224-"]),
            ("a|^$", &["", "ba"], &["b"]),
            ("^.$", &["a", "é", "🐲"], &["\n", "\r", "\u{2028}", "ab"]),
            (r"^\d\D\w\W\s\S$", &["1aa- x", "9-_é\u{feff}é"], &["١aa- x", "1aé- x"]),
            (r"\bb\B", &["a bc"], &["ab", "b"]),
            (r"^\cA\x41\u0042\u{1F409}\ud83d\udc32\0\t\/\-\.$", &["\u{1}AB🐉🐲\0\t/-."], &["AB"]),
            ("^[^a-c\\]-]$", &["d", "é"], &["a", "]", "-", "dd"]),
            (r"^[\w.\-+]+@[\b\d-]$", &["a.b-c+@-", "a@\u{8}"], &["@1", "a@b"]),
            ("^[a-]$", &["a", "-"], &["b"]),
            (r"^[\w-.]$", &["a", "-", "."], &["/"]),
            ("[]", &[], &["", "a"]),
            ("^[^]$", &["\n", "🐲"], &["", "ab"]),
            ("[[&&b]", &["[", "&", "b"], &["c", "]"]),
            (r"((?:\b){1000}){1000}", &["a"], &[""]),
            ("^((((){1000}){1000}){1000}){1000}a", &["a"], &["b"]),
            ("^(a+)+$", &["aaaa"], &["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"]),
        ] {
            let compiled = Pattern::new(pattern, &mut MOST.clone()).expect(pattern);
            for text in matching {
                assert!(compiled.matches(text), "{pattern} {text:?}");
            }
            for text in others {
                assert!(!compiled.matches(text), "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn uncertain_patterns_are_refused() {
        for pattern in [
            // No linear matcher, or no table of properties.
            "(?=a)",
            "(?!a)",
            "(?<=a)",
            "(?<!a)",
            r"(a)\1",
            r"(?<n>a)\k<n>",
            r"\p{L}",
            r"[\P{L}]",
            // Flags, and constructs of other dialects.
            "(?i)a",
            "(?i:a)",
            "(?P<n>a)",
            r"\Aa",
            r"a\Z",
            r"a\z",
            r"\Q",
            r"\a",
            r"[\e]",
            "(?#a)",
            "(?>a)",
            // Not a pattern, or one without the flag `u` alone.
            "(",
            ")",
            "(a",
            "a)",
            "[",
            "[a",
            "[b-a]",
            "*",
            "a**",
            "^*",
            r"\b+",
            "a{2,1}",
            "{",
            "a{",
            "a{,2}",
            "a{1",
            "}",
            "]",
            r"\",
            r"\c",
            r"\c1",
            r"\x1",
            r"\u12",
            r"\u{110000}",
            r"\u{}",
            r"\ud800",
            r"\01",
            r"[\1]",
            r"[\B]",
            "(?<>a)",
            "(?<1>a)",
            "(?<n>a)(?<n>b)",
            "a+++",
            // Too large.
            "(a{1000}){1000}",
            "a{4294967296}",
        ] {
            assert!(Pattern::new(pattern, &mut MOST.clone()).is_none(), "{pattern}");
        }
        assert!(Pattern::new(&"(".repeat(100_000), &mut MOST.clone()).is_none());
        assert!(
            Pattern::new(&format!("{}{}", "(".repeat(1000), ")".repeat(1000)), &mut MOST.clone())
                .is_none()
        );
        assert!(Pattern::new(&"a?".repeat(100_000), &mut MOST.clone()).is_none());
    }
}
