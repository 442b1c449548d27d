//! The parts that the exchanges of a configuration share: the settings and the counters.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use proxy_wasm::hostcalls;
use proxy_wasm::types::{LogLevel, MetricType};
use tautline::Rule;

use crate::report::{self, Line, Outcome, STATES, Side, rule};
use crate::settings::Settings;

pub(super) struct Shared {
    pub(super) settings: Settings,
    /// The ids of the counters of outcomes.
    outcomes: Vec<((Side, Outcome), Option<u32>)>,
    /// The ids of the counters of rules that were broken, by the numbers of the rules.
    rules: RefCell<BTreeMap<u16, Option<u32>>>,
    held: Held,
    /// The number of bytes of bodies that all exchanges keep.
    kept: Cell<usize>,
}

/// The requests that the proxy holds.
#[derive(Default)]
struct Held {
    /// The number of requests that are held at their heads.
    count: Cell<u32>,
    /// True if a body has arrived after its head was held, or if the log says that none does.
    has_body: Cell<bool>,
}

impl Shared {
    pub(super) fn new(settings: Settings) -> Self {
        let all = Side::ALL
            .iter()
            .flat_map(|side| Outcome::ALL.iter().map(move |outcome| (*side, *outcome)));
        let outcomes =
            all.map(|(side, outcome)| ((side, outcome), define(&side.counter(outcome, &settings))));
        let outcomes = outcomes.collect();
        for name in STATES {
            declare(name.state);
        }
        Self {
            settings,
            outcomes,
            rules: RefCell::default(),
            held: Held::default(),
            kept: Cell::new(0),
        }
    }

    /// Counts a rule that is broken.
    pub(super) fn count_rule(&self, rule: Rule) {
        let mut rules = self.rules.borrow_mut();
        let counter = rules
            .entry(rule.number())
            .or_insert_with(|| define(&report::rule_counter(rule, &self.settings)));
        increment(*counter);
    }

    /// Counts an outcome, and its cause if that is a rule of the filter, and writes the line of one that is not good.
    pub(super) fn conclude(&self, line: &Line<'_>) {
        let of = (line.side, line.outcome);
        let counter = self.outcomes.iter().find(|(each, _)| *each == of);
        increment(counter.and_then(|(_, counter)| *counter));
        // All others are found, and so were counted.
        if let Some(cause) = line.cause
            && rule::is_own(cause.rule)
        {
            self.count_rule(cause.rule);
        }
        match line.outcome {
            Outcome::Refused => super::log(LogLevel::Warn, &line.to_string()),
            Outcome::WouldRefuse | Outcome::Unjudged => {
                super::log(LogLevel::Info, &line.to_string())
            }
            _ => {}
        }
    }

    /// Records that a request is held at its head.
    pub(super) fn hold(&self) {
        self.held.count.set(self.held.count.get().saturating_add(1));
    }

    /// Records that a request is not held at its head any more.
    pub(super) fn release(&self, has_body: bool) {
        self.held.count.set(self.held.count.get().saturating_sub(1));
        if has_body {
            self.held.has_body.set(true);
        }
    }

    /// Returns whether requests are held, and no body has ever arrived. Returns it only once.
    pub(super) fn are_bodies_missing(&self) -> bool {
        self.held.count.get() > 0 && !self.held.has_body.replace(true)
    }
}

/// The memory of an exchange for a body in a report. It is released when this is dropped.
pub(super) struct Share {
    shared: Rc<Shared>,
    bytes: usize,
}

impl Share {
    pub(super) fn none(shared: &Rc<Shared>) -> Self {
        Self { shared: Rc::clone(shared), bytes: 0 }
    }

    /// Changes the number of bytes. Returns `false` if all exchanges together would take more than the limit. Then this one
    /// takes nothing.
    pub(super) fn set(&mut self, bytes: usize) -> bool {
        let others = self.shared.kept.get().saturating_sub(self.bytes);
        let all = others.saturating_add(bytes);
        let is_allowed = all <= self.shared.settings.limits.kept;
        self.bytes = if is_allowed { bytes } else { 0 };
        self.shared.kept.set(others.saturating_add(self.bytes));
        is_allowed
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// Defines a counter. `None` if the proxy has none.
fn define(name: &str) -> Option<u32> {
    hostcalls::define_metric(MetricType::Counter, name).ok()
}

fn increment(counter: Option<u32>) {
    if let Some(counter) = counter {
        let _ = hostcalls::increment_metric(counter, 1);
    }
}

/// Declares a state as text. Expressions can then compare it. The argument is Envoy's `DeclarePropertyArguments`: field 1
/// is the name, and field 2 the type, where 1 is a string. Other proxies do not have the function, and need none.
fn declare(name: &str) {
    let Ok(length) = u8::try_from(name.len()) else { return };
    let mut arguments = vec![0x0A, length];
    arguments.extend_from_slice(name.as_bytes());
    arguments.extend_from_slice(&[0x10, 1]);
    let _ = hostcalls::call_foreign_function("declare_property", Some(&arguments));
}
