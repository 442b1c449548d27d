//! Checks of arrays and objects, whose parts have schemas of their own.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::super::compiled::{Check, Counted, Need};
use super::super::equal::canonical;
use super::super::marks::{Mark, Marks};
use super::super::place::Step;
use super::{BYTES_PER_STEP, Walk};

impl<'s> Walk<'s> {
    pub(super) fn array(
        &mut self,
        check: &'s Check,
        elements: &[Value],
        marks: &mut Marks,
    ) -> Option<bool> {
        match check {
            Check::Size(Counted::Array, range) => Some(range.contains(elements.len())),
            Check::UniqueItems => {
                let mut known = HashSet::with_capacity(elements.len());
                let is_new = |walk: &mut Self, element: &Value| {
                    let text = canonical(element);
                    walk.spend(1 + text.len() / BYTES_PER_STEP)?;
                    Some(known.insert(text))
                };
                self.all(elements, is_new)
            }
            Check::Elements { first, rest } => {
                let mut parts = elements.iter().enumerate();
                self.all(parts.by_ref(), |walk, (at, element)| {
                    let Some(id) = first.get(at).or(rest.as_ref()) else { return Some(true) };
                    marks.set(at, Mark::Yes);
                    walk.part(Step::Index(at), *id, element)
                })
            }
            Check::Contains { schema, range, evaluates } => {
                let mut verdicts = Vec::with_capacity(elements.len());
                for (at, element) in elements.iter().enumerate() {
                    let verdict = self.tries(*schema, element, &mut Marks::unwanted());
                    if *evaluates && verdict != Some(false) {
                        let mark = if verdict.is_some() { Mark::Yes } else { Mark::Maybe };
                        marks.set(at, mark);
                    }
                    verdicts.push(verdict);
                }
                range.contains_good(&verdicts)
            }
            Check::UnevaluatedItems(id) => {
                self.all(elements.iter().enumerate(), |walk, (at, element)| {
                    let mark = marks.get(at);
                    marks.set(at, Mark::Yes);
                    walk.unevaluated(mark, Step::Index(at), *id, element)
                })
            }
            _ => Some(true),
        }
    }

    pub(super) fn object(
        &mut self,
        check: &'s Check,
        members: &Map<String, Value>,
        marks: &mut Marks,
    ) -> Option<bool> {
        match check {
            Check::Size(Counted::Object, range) => Some(range.contains(members.len())),
            Check::Required(names) => self.has_all(names, members),
            Check::Members { named, matching, rest } => {
                self.all(members.iter().enumerate(), |walk, (at, (name, part))| {
                    let step = || Step::Name(name.clone());
                    let named = named.get(name).map(|id| walk.part(step(), *id, part));
                    let mut mark = if named.is_some() { Mark::Yes } else { Mark::No };
                    let verdict = walk.all(matching, |walk, (pattern, id)| {
                        let matches = walk.matches(pattern.as_ref(), name);
                        let met = match matches {
                            Some(false) => return Some(true),
                            Some(true) => Mark::Yes,
                            None => Mark::Maybe,
                        };
                        mark = mark.max(met);
                        let mark = if met == Mark::Yes { Mark::No } else { Mark::Maybe };
                        walk.unevaluated(mark, step(), *id, part)
                    });
                    let others = rest.map(|id| walk.unevaluated(mark, step(), id, part));
                    marks.set(at, if rest.is_some() { Mark::Yes } else { mark });
                    walk.all(
                        [named.unwrap_or(Some(true)), verdict, others.unwrap_or(Some(true))],
                        |_, verdict| verdict,
                    )
                })
            }
            Check::PropertyNames(id) => self.all(members.keys(), |walk, name| {
                walk.spend_bytes(name.len())?;
                walk.fits(*id, &Value::String(name.clone()), &mut Marks::unwanted())
            }),
            Check::UnevaluatedProperties(id) => {
                self.all(members.iter().enumerate(), |walk, (at, (name, part))| {
                    let mark = marks.get(at);
                    marks.set(at, Mark::Yes);
                    walk.unevaluated(mark, Step::Name(name.clone()), *id, part)
                })
            }
            _ => Some(true),
        }
    }

    pub(super) fn dependent(
        &mut self,
        needs: &'s [(String, Need)],
        value: &Value,
        marks: &mut Marks,
    ) -> Option<bool> {
        let Value::Object(members) = value else { return Some(true) };
        self.spend_bytes(needs.len())?;
        let present = needs.iter().filter(|(name, _)| members.contains_key(name));
        self.all(present, |walk, (_, need)| match need {
            Need::Names(names) => walk.has_all(names, members),
            Need::Schema(id) => walk.fits(*id, value, marks),
        })
    }

    fn has_all(&mut self, names: &[String], members: &Map<String, Value>) -> Option<bool> {
        self.spend_bytes(names.len())?;
        Some(names.iter().all(|name| members.contains_key(name)))
    }
}
