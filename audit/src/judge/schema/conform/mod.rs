//! Verdicts on values: whether a value conforms to a schema, as far as that is certain.
//!
//! Verdicts have three values, so that one keyword without a verdict hides no difference that is certain without it. A
//! schema without a verdict leaves open which parts of the value it evaluates.

mod parts;

use std::sync::atomic::Ordering;

use serde_json::Value;

use super::compiled::{Check, Compiled, Counted, Id, Node, Range, Type};
use super::equal::{canonical, compare, is_multiple};
use super::marks::{Mark, Marks};
use super::pattern::Pattern;
use super::place::Step;
use super::valid::is_schema;

/// The number of steps that a check of any value may take.
const STEPS: usize = 1 << 10;
/// The number of steps that a check may take for each byte of the value.
const STEPS_PER_BYTE: usize = 16;
/// The number of steps that a check may take because earlier checks against the same schema did not need theirs. So the
/// work on a session is linear, however a schema is built.
pub(super) const MOST_SPARE: usize = 1 << 16;
/// The number of bytes, or of states of a pattern, that are visited in a step.
const BYTES_PER_STEP: usize = 16;
/// The maximum nesting depth of schemas, including references.
const DEEPEST: u32 = 256;

/// The place of a difference in a value, and the keyword that the value breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub path: Vec<Step>,
    pub keyword: &'static str,
}

/// The verdict on a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fits,
    Differs(Difference),
    Open,
}

/// Checks a value, whose text has this number of bytes, against a schema.
pub(super) fn judge(schema: &Compiled, value: &Value, bytes: usize) -> Verdict {
    let spare = schema.spare.load(Ordering::Relaxed);
    let mut walk = Walk {
        schema,
        steps: bytes.saturating_mul(STEPS_PER_BYTE).saturating_add(STEPS + spare),
        depth: 0,
        scope: Vec::new(),
        alternatives: 0,
        path: Vec::new(),
        first: None,
    };
    let verdict = walk.fits(0, value, &mut Marks::unwanted());
    schema.spare.store(walk.steps.min(MOST_SPARE), Ordering::Relaxed);
    match verdict {
        Some(true) => Verdict::Fits,
        Some(false) => walk.first.map_or(Verdict::Open, Verdict::Differs),
        None => Verdict::Open,
    }
}

struct Walk<'s> {
    schema: &'s Compiled,
    /// The number of steps that are left.
    steps: usize,
    depth: u32,
    /// The resources that references have entered, from the outermost.
    scope: Vec<usize>,
    /// The number of enclosing keywords that may accept a value even if one of their schemas does not.
    alternatives: u32,
    path: Vec<Step>,
    first: Option<Difference>,
}

impl<'s> Walk<'s> {
    /// Takes steps. Returns `None` if too few are left.
    fn spend(&mut self, steps: usize) -> Option<()> {
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or(0);
        left.map(drop)
    }

    fn spend_bytes(&mut self, bytes: usize) -> Option<()> {
        self.spend(bytes / BYTES_PER_STEP)
    }

    /// Joins verdicts that must all be good: one bad verdict makes the result bad, otherwise one open verdict makes it
    /// open. Without steps, it looks no further.
    fn all<T>(
        &mut self,
        things: impl IntoIterator<Item = T>,
        mut verdict: impl FnMut(&mut Self, T) -> Option<bool>,
    ) -> Option<bool> {
        let mut joined = Some(true);
        for thing in things {
            match verdict(self, thing) {
                Some(false) => return Some(false),
                None if self.steps == 0 => return None,
                None => joined = None,
                Some(true) => {}
            }
        }
        joined
    }

    /// Applies a schema, and marks the parts of the value that it evaluates if it accepts the value.
    fn fits(&mut self, id: Id, value: &Value, marks: &mut Marks) -> Option<bool> {
        self.spend(1)?;
        let schema = self.schema;
        let Some(node) = schema.nodes.get(id).filter(|_| self.depth < DEEPEST) else {
            return self.open(marks);
        };
        let is_entered = self.scope.last() != Some(&node.resource);
        if is_entered {
            self.scope.push(node.resource);
        }
        self.depth += 1;
        let verdict = if node.has_unevaluated {
            let mut own = Marks::of(value);
            let verdict = self.spend(own.len()).and_then(|()| self.keywords(node, value, &mut own));
            marks.merge(&own, Some(true));
            verdict
        } else {
            self.keywords(node, value, marks)
        };
        self.depth -= 1;
        if is_entered {
            self.scope.pop();
        }
        verdict
    }

    /// Leaves the verdict open, and whether parts of the value have been evaluated.
    fn open(&mut self, marks: &mut Marks) -> Option<bool> {
        self.spend(marks.len())?;
        marks.doubt();
        None
    }

    fn keywords(&mut self, node: &'s Node, value: &Value, marks: &mut Marks) -> Option<bool> {
        self.all(&node.checks, |walk, (keyword, check)| {
            let verdict = walk.check(check, value, marks);
            if verdict == Some(false) {
                walk.note(keyword);
            }
            verdict
        })
    }

    /// Remembers the keyword that the value breaks, if it is the innermost, and nothing else could accept the value.
    fn note(&mut self, keyword: &'static str) {
        if self.alternatives == 0 && self.first.is_none() {
            self.first = Some(Difference { path: self.path.clone(), keyword });
        }
    }

    /// Applies a schema whose rejection alone does not decide the verdict.
    fn tries(&mut self, id: Id, value: &Value, marks: &mut Marks) -> Option<bool> {
        self.alternatives += 1;
        let verdict = self.fits(id, value, marks);
        self.alternatives -= 1;
        verdict
    }

    /// Applies alternatives, of which a number in the range must accept the value.
    fn some(&mut self, ids: &[Id], range: Range, value: &Value, marks: &mut Marks) -> Option<bool> {
        let mut verdicts = Vec::with_capacity(ids.len());
        for id in ids {
            self.spend(marks.len())?;
            let mut own = marks.alike();
            let verdict = self.tries(*id, value, &mut own);
            marks.merge(&own, verdict);
            verdicts.push(verdict);
            let is_decided = range.most.is_infinite() && !marks.are_wanted();
            if is_decided && verdict == Some(true) {
                return verdict;
            }
        }
        range.contains_good(&verdicts)
    }

    /// Applies a schema to a part of the value.
    fn part(&mut self, step: Step, id: Id, part: &Value) -> Option<bool> {
        self.path.push(step);
        let verdict = self.fits(id, part, &mut Marks::unwanted());
        self.path.pop();
        verdict
    }

    /// Applies a schema to a part of the value, unless it is evaluated. If that is uncertain, the verdict is good or open.
    fn unevaluated(&mut self, mark: Mark, step: Step, id: Id, part: &Value) -> Option<bool> {
        match mark {
            Mark::Yes => Some(true),
            Mark::No => self.part(step, id, part),
            Mark::Maybe => self.tries(id, part, &mut Marks::unwanted()).filter(|verdict| *verdict),
        }
    }

    fn matches(&mut self, pattern: Option<&Pattern>, text: &str) -> Option<bool> {
        let pattern = pattern?;
        self.spend_bytes(pattern.cost(text))?;
        Some(pattern.matches(text))
    }

    fn check(&mut self, check: &'s Check, value: &Value, marks: &mut Marks) -> Option<bool> {
        match check {
            Check::Never => Some(false),
            Check::Open => self.open(marks),
            Check::Reference(id) => self.fits(*id, value, marks),
            Check::Schema(dialect) => {
                self.spend(size(value))?;
                marks.doubt();
                is_schema(value, *dialect)
            }
            Check::DynamicReference { initial, anchor } => {
                let target = self.dynamic_target(*initial, anchor.as_deref());
                self.fits(target, value, marks)
            }
            Check::Types(types) => {
                self.spend_bytes(types.len())?;
                Some(types.iter().any(|one| is_of_type(*one, value)))
            }
            Check::Values(values) => {
                let text = canonical(value);
                self.spend_bytes(text.len())?;
                Some(values.contains(&text))
            }
            Check::AllOf(ids) => self.all(ids, |walk, id| walk.fits(*id, value, marks)),
            Check::AnyOf(ids) => self.some(ids, Range::at_least(1.0), value, marks),
            Check::OneOf(ids) => self.some(ids, Range { least: 1.0, most: 1.0 }, value, marks),
            Check::Not(id) => self.tries(*id, value, &mut Marks::unwanted()).map(|fits| !fits),
            Check::If { condition, then, otherwise } => {
                self.spend(marks.len())?;
                let mut own = marks.alike();
                let holds = self.tries(*condition, value, &mut own);
                marks.merge(&own, holds);
                let mut branch =
                    |id: Option<Id>| id.map_or(Some(true), |id| self.fits(id, value, marks));
                match holds {
                    Some(true) => branch(*then),
                    Some(false) => branch(*otherwise),
                    None => self.either(*then, *otherwise, value, marks),
                }
            }
            Check::Dependent { needs, is_certain: true } => self.dependent(needs, value, marks),
            Check::Dependent { needs, is_certain: false } => {
                self.alternatives += 1;
                let mut own = marks.alike();
                let verdict = self.dependent(needs, value, &mut own).filter(|verdict| *verdict);
                self.alternatives -= 1;
                marks.merge(&own, None);
                verdict
            }
            _ => match value {
                Value::Number(number) => match check {
                    Check::Limit { limit, accepts } => compare(number, limit).map(accepts),
                    Check::MultipleOf(of) => is_multiple(number, of),
                    _ => Some(true),
                },
                Value::String(text) => match check {
                    Check::Size(Counted::Text, range) => {
                        self.spend_bytes(text.len())?;
                        Some(range.contains(text.chars().count()))
                    }
                    Check::Pattern(pattern) => self.matches(pattern.as_ref(), text),
                    _ => Some(true),
                },
                Value::Array(elements) => self.array(check, elements, marks),
                Value::Object(members) => self.object(check, members, marks),
                Value::Null | Value::Bool(_) => Some(true),
            },
        }
    }

    fn dynamic_target(&self, initial: Id, anchor: Option<&str>) -> Id {
        let anchors = self.scope.iter().filter_map(|at| self.schema.dynamic_anchors.get(*at));
        let found = anchor.and_then(|anchor| anchors.into_iter().find_map(|all| all.get(anchor)));
        found.copied().unwrap_or(initial)
    }

    /// Applies the branches of a condition that may hold or not.
    fn either(
        &mut self,
        then: Option<Id>,
        otherwise: Option<Id>,
        value: &Value,
        marks: &mut Marks,
    ) -> Option<bool> {
        let mut verdicts = [Some(true); 2];
        for (id, verdict) in [then, otherwise].into_iter().zip(&mut verdicts) {
            if let Some(id) = id {
                self.spend(marks.len())?;
                let mut own = marks.alike();
                *verdict = self.tries(id, value, &mut own);
                marks.merge(&own, None);
            }
        }
        let [then, otherwise] = verdicts;
        then.filter(|_| then == otherwise)
    }
}

/// Returns the number of values in a value.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

fn is_of_type(one: Type, value: &Value) -> bool {
    match one {
        Type::Array => value.is_array(),
        Type::Boolean => value.is_boolean(),
        Type::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Type::Null => value.is_null(),
        Type::Number => value.is_number(),
        Type::Object => value.is_object(),
        Type::String => value.is_string(),
    }
}
