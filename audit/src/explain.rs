//! An example of each rule: `examples.txt`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::frame::Named;

/// A dialogue that breaks a rule, and no other by an error.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Example {
    /// The name of the rules that it is held to.
    pub rules: &'static str,
    text: &'static str,
}

static EXAMPLES: LazyLock<BTreeMap<&'static str, Example>> = LazyLock::new(|| {
    let mut examples = BTreeMap::new();
    for section in include_str!("examples.txt").split("\n# ").skip(1) {
        let (head, text) = section.split_once('\n').unwrap_or((section, ""));
        if let Some((rule, rules)) = head.split_once(' ') {
            examples.insert(rule, Example { rules, text });
        }
    }
    examples
});

impl Example {
    /// Returns the lines: `>` and a message of the client, `<` and one of the server, or a remark in brackets.
    pub fn lines(&self) -> impl Iterator<Item = &'static str> {
        self.text.lines().filter(|line| !line.is_empty())
    }
}

/// Returns the example of a rule, if there is one that can be shown as text.
#[must_use]
pub fn example_of(rule: Named) -> Option<Example> {
    EXAMPLES.get(rule.name()).copied()
}
