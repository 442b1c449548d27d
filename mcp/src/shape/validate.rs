//! The walk over a payload and the types of its values.

use core::cmp::Ordering;

use tautline::internal::cast::{index, u32_from};
use tautline::internal::json::Walk;
use tautline::internal::resemblance::resembles;
use tautline::json::Kind;
use tautline::scan::Span;
use tautline::{RawJson, RawStr, Rule};

use super::expected::{Expected, Missed};
use super::syntax;
use super::table::{Detail, Member, Object, Reserved, Type};
use super::tables::DEPTH;
use crate::{Finding, rule};

/// Validates the value in this span of a frame, and reports what is wrong with it.
pub(super) fn check(frame: &[u8], span: Span, of: &'static Type, report: &mut dyn FnMut(Finding)) {
    // Most values are the first object of their type, and faultless. `choose` would find the same object, so it need
    // not run. On a microcontroller, the code for this is too large.
    let is_tried = cfg!(not(target_os = "none")) && of.objects().nth(1).is_some();
    if !is_tried || walk_over(frame, span, of, Mode::Trial, &mut |_| ()) == Outcome::Faults {
        walk_over(frame, span, of, Mode::Verdict, report);
    }
}

/// The mode of a walk over a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Treats the value as the first object of its type, and ends at the first fault.
    Trial,
    /// Reports all faults.
    Verdict,
}

/// The findings of a walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Faultless,
    Faults,
}

#[inline(never)]
fn walk_over(
    frame: &[u8],
    span: Span,
    of: &'static Type,
    mode: Mode,
    report: &mut dyn FnMut(Finding),
) -> Outcome {
    let mut walk = Walk::within(frame, 0);
    walk.go_on(index(span.start()));
    let (levels, outcome) = ([None; DEPTH], Outcome::Faultless);
    let mut check = Check { walk, levels, depth: 0, mode, outcome, report };
    check.value(of);
    while check.depth > 0 {
        if mode == Mode::Trial && check.outcome == Outcome::Faults {
            break;
        }
        check.next();
    }
    check.outcome
}

/// A container that is open.
#[derive(Clone, Copy)]
struct Level {
    /// The members that are known. There are none in an array.
    members: &'static [Member],
    /// The type of the elements, or of the other members.
    others: Option<&'static Type>,
    /// Set for `_meta`.
    meta: Option<Reserved>,
    /// The members that were present, one bit each.
    seen: u32,
    /// The offset of the opening bracket.
    start: u32,
    is_object: bool,
    /// The number of elements so far.
    count: u32,
    /// The maximum number of elements.
    most: u32,
}

impl Level {
    const NONE: Self = Self {
        members: &[],
        others: None,
        meta: None,
        seen: 0,
        start: 0,
        is_object: false,
        count: 0,
        most: u32::MAX,
    };
}

struct Check<'buf, 'a> {
    walk: Walk<'buf>,
    /// The open containers, the outermost first. No table needs more than these. Most payloads need few, and an empty
    /// `Option` is written faster.
    levels: [Option<Level>; DEPTH],
    depth: usize,
    mode: Mode,
    outcome: Outcome,
    report: &'a mut dyn FnMut(Finding),
}

impl<'buf> Check<'buf, '_> {
    fn report(&mut self, rule: Rule, offset: u32, missed: Option<Missed>) {
        self.outcome = Outcome::Faults;
        (self.report)(Finding::expecting(rule, offset, missed.map(Expected)));
    }

    /// Continues in the innermost container, with the next member or element, or after the container.
    fn next(&mut self) {
        let Some(level) = innermost(&mut self.levels, self.depth) else { return };
        let Some(start) = self.walk.next_start() else {
            let level = *level;
            self.depth = self.depth.saturating_sub(1);
            self.walk.go_on(self.walk.end());
            for (index, member) in (0..).zip(level.members) {
                if member.is_required && level.seen & bit(index) == 0 {
                    self.report(
                        rule::MISSING_MEMBER,
                        level.start,
                        Some(Missed::Member(member.name)),
                    );
                }
            }
            return;
        };
        let of = if level.is_object {
            let Some((_, name)) = self.walk.next_value() else { return };
            let Some(name) = name.string() else { return };
            self.member(name, u32_from(start))
        } else {
            let (items, is_full, most) = (level.others, level.count == level.most, level.most);
            level.count = level.count.wrapping_add(1);
            if is_full {
                self.report(rule::MEMBER_RANGE, u32_from(start), Some(Missed::Length(most)));
            }
            items
        };
        match of {
            Some(of) => self.value(of),
            None => self.walk.skip(),
        }
    }

    /// Looks up the name of a member at this offset, and returns the type of its value, if it has one.
    fn member(&mut self, name: RawStr<'buf>, offset: u32) -> Option<&'static Type> {
        let level = innermost(&mut self.levels, self.depth)?;
        if let Some((index, member)) = named(level.members, name) {
            let is_repeated = level.seen & bit(index) != 0;
            level.seen |= bit(index);
            if is_repeated {
                self.report(Rule::DUPLICATE_NESTED_MEMBER, offset, None);
            }
            return Some(member.of);
        }
        let (others, meta) = (level.others, level.meta);
        let similar = level.members.iter().find(|member| resembles(name, member.name));
        if let Some(member) = similar {
            self.report(Rule::NESTED_MEMBER_LOOKALIKE, offset, Some(Missed::Name(member.name)));
        }
        if let Some(rule) = meta.and_then(|reserved| syntax::broken_by(name, reserved)) {
            self.report(rule, offset, None);
        }
        others
    }

    /// Validates the value that comes next. A container with a type of its own becomes the innermost.
    fn value(&mut self, of: &'static Type) {
        let Some(start) = self.walk.next_start() else { return };
        let offset = u32_from(start);
        let kind = self.walk.kind();
        match kind {
            Kind::Object | Kind::Array if !of.allows(kind, || false) => {
                self.report(rule::MEMBER_TYPE, offset, Some(Missed::Type(of)));
                self.walk.skip();
            }
            Kind::Object => {
                let (mut others, mut meta) = (None, None);
                for detail in of.details() {
                    match detail {
                        Detail::Members(of) => others = Some(*of),
                        Detail::Meta(reserved) => meta = Some(*reserved),
                        _ => {}
                    }
                }
                let members = match self.object(of) {
                    Choice::Object(object) => object.0,
                    Choice::Any if others.is_some() || meta.is_some() => &[],
                    Choice::Any => return self.walk.skip(),
                    Choice::None { name, offset } => {
                        self.report(
                            rule::MEMBER_VALUE,
                            offset,
                            Some(Missed::Alternatives(name, of)),
                        );
                        return self.walk.skip();
                    }
                };
                let level = Level { members, others, meta, ..Level::NONE };
                self.open(Level { start: offset, is_object: true, ..level });
            }
            Kind::Array => {
                let mut level = Level::NONE;
                for detail in of.details() {
                    match detail {
                        Detail::Items(items) => level.others = Some(*items),
                        Detail::Length(most) => level.most = *most,
                        _ => {}
                    }
                }
                if level.others.is_some() {
                    self.open(Level { start: offset, ..level });
                } else {
                    self.walk.skip();
                }
            }
            _ => {
                if let Some((_, value)) = self.walk.next_value()
                    && let Some((rule, missed)) = wrong_scalar(value, kind, of)
                {
                    self.report(rule, offset, missed);
                }
            }
        }
    }

    /// Enters the container at the current position.
    fn open(&mut self, level: Level) {
        match self.levels.get_mut(self.depth) {
            Some(place) => {
                *place = Some(level);
                self.depth = self.depth.wrapping_add(1);
                self.walk.enter();
            }
            // The tables are nested no deeper, so this does not happen.
            None => self.walk.skip(),
        }
    }

    /// Returns which object of the type comes next.
    fn object(&self, of: &'static Type) -> Choice {
        let mut objects = of.objects();
        match (objects.next(), objects.next()) {
            (None, _) => Choice::Any,
            (Some(object), None) => Choice::Object(object),
            (Some(first), _) if self.mode == Mode::Trial && self.depth == 0 => {
                Choice::Object(first)
            }
            (Some(first), Some(_)) => choose(self.walk.clone(), of, first),
        }
    }
}

/// Returns the innermost of the containers that are open.
fn innermost(levels: &mut [Option<Level>], depth: usize) -> Option<&mut Level> {
    levels.get_mut(depth.checked_sub(1)?)?.as_mut()
}

/// The choice of an object among the objects of a type.
enum Choice {
    /// Any object is allowed.
    Any,
    Object(&'static Object),
    /// No object matches: the member with this name tells the objects of the type apart, and none of them allows its
    /// value, which is at this offset.
    None {
        name: &'static str,
        offset: u32,
    },
}

/// The largest number of objects in a type.
const MOST_OBJECTS: usize = 8;

/// Chooses the object of a type that the value at this position matches. If several objects have a member with
/// constants, its value rules out the objects that do not allow it. The walk ends when one object is left. If several
/// are left, the object with the fewest faults is chosen. Faults are members with a wrong value, and missing members.
#[inline(never)]
fn choose(mut walk: Walk<'_>, of: &'static Type, first: &'static Object) -> Choice {
    if let Some(object) = told_by_first_member(walk.clone(), of, first) {
        return Choice::Object(object);
    }
    let objects = || (0..).zip(of.objects().take(MOST_OBJECTS));
    // A bit for each object that is not ruled out, and a bit for each object with a constant that occurs in the value.
    let (mut possible, mut named_by) = (objects().fold(0, |all, (index, _)| all | bit(index)), 0);
    let mut seen = [0_u32; MOST_OBJECTS];
    // The number of members with a value that the object does not allow.
    let mut wrong = [0_u32; MOST_OBJECTS];
    // The first constant that rules an object out.
    let mut odd = None;
    walk.enter();
    while possible.count_ones() > 1 {
        let Some((_, name)) = walk.next_value() else { break };
        let (Some(name), Some(start)) = (name.string(), walk.next_start()) else { break };
        let kind = walk.kind();
        let value = match kind {
            Kind::Number | Kind::String => walk.next_value().map(|(_, value)| value),
            _ => {
                walk.skip();
                None
            }
        };
        let is_integer = || value.and_then(|value| value.number()).is_some_and(|n| n.is_integer());
        let mut members = [None; MOST_OBJECTS];
        for ((_, object), member) in objects().zip(&mut members) {
            *member = named(object.0, name);
        }
        let tells = members.iter().flatten().nth(1).is_some();
        for ((((index, _), member), seen), wrong) in
            objects().zip(members).zip(&mut seen).zip(&mut wrong)
        {
            let Some((number, member)) = member else { continue };
            *seen |= bit(number);
            let text = value.and_then(|value| value.string());
            let constants = member.of.constants();
            let is_constant = constants.zip(text).is_some_and(|(constants, text)| {
                constants.iter().any(|constant| text == **constant)
            });
            if is_constant {
                named_by |= bit(index);
            } else if constants.is_some() && tells {
                odd = odd.or(Some((member.name, u32_from(start))));
                possible &= !bit(index);
            }
            if !member.of.allows(kind, is_integer) || constants.is_some() && !is_constant {
                *wrong = wrong.saturating_add(1);
            }
        }
    }
    let likely = match (possible, named_by, odd) {
        (0, 0, Some((name, offset))) => return Choice::None { name, offset },
        (0, 0, None) => return Choice::Object(first),
        (0, named_by, _) => named_by,
        (possible, ..) => possible,
    };
    let likely =
        objects().zip(seen).zip(wrong).filter(|(((index, _), _), _)| likely & bit(*index) != 0);
    let best = likely.min_by_key(|(((_, object), seen), wrong)| {
        let members = (0..).zip(object.0);
        let missing =
            members.filter(|(number, member)| member.is_required && seen & bit(*number) == 0);
        let missing = u32_from(missing.count());
        (wrong.saturating_add(missing), missing)
    });
    Choice::Object(best.map_or(first, |(((_, object), _), _)| object))
}

/// Returns the only object that the first member of the value at this position does not rule out. The member must have
/// constants, as `type` has in most messages.
fn told_by_first_member(
    mut walk: Walk<'_>,
    of: &'static Type,
    first: &'static Object,
) -> Option<&'static Object> {
    // This only saves time, and code is scarcer on a microcontroller.
    if cfg!(target_os = "none") {
        return None;
    }
    walk.enter();
    let (_, name) = walk.next_value()?;
    let name = name.string()?;
    // A value that can't rule out objects may be long, and is left to the walk that passes over it anyway.
    let (_, member) = named(first.0, name)?;
    member.of.constants()?;
    walk.next_start()?;
    if walk.kind() != Kind::String {
        return None;
    }
    let (_, value) = walk.next_value()?;
    let text = value.string()?;
    let (mut only, mut having_it) = (None, 0_u32);
    for object in of.objects().take(MOST_OBJECTS) {
        if let Some((_, member)) = named(object.0, name) {
            having_it = having_it.saturating_add(1);
            let constants = member.of.constants();
            if constants.is_some_and(|all| !all.iter().any(|constant| text == **constant)) {
                continue;
            }
        }
        if only.replace(object).is_some() {
            return None;
        }
    }
    only.filter(|_| having_it > 1)
}

/// Returns the rule that a value breaks, and what is expected. The value is neither an object nor an array.
fn wrong_scalar(
    value: RawJson<'_>,
    kind: Kind,
    of: &'static Type,
) -> Option<(Rule, Option<Missed>)> {
    let number = value.number();
    if !of.allows(kind, || number.is_some_and(|number| number.is_integer())) {
        return Some((rule::MEMBER_TYPE, Some(Missed::Type(of))));
    }
    let string = value.string();
    of.details().iter().find_map(|detail| match (detail, string, number) {
        (Detail::Constants(constants), Some(text), _) => {
            let is_one = constants.iter().any(|constant| text == **constant);
            (!is_one).then_some((rule::MEMBER_VALUE, Some(Missed::Type(of))))
        }
        (Detail::Format(format), Some(text), _) => format.broken_by(text).map(|rule| (rule, None)),
        (Detail::Least(least), _, Some(number)) => {
            let is_less = number.compared_to(*least) == Ordering::Less;
            is_less.then_some((rule::MEMBER_RANGE, Some(Missed::Least(*least))))
        }
        (Detail::Most(most), _, Some(number)) => {
            let is_more = number.compared_to(*most) == Ordering::Greater;
            is_more.then_some((rule::MEMBER_RANGE, Some(Missed::Most(*most))))
        }
        _ => None,
    })
}

/// Returns the member with this name, and its index.
fn named(members: &'static [Member], name: RawStr<'_>) -> Option<(u32, &'static Member)> {
    let members = || (0..).zip(members);
    if cfg!(target_os = "none") {
        return members().find(|(_, member)| name == *member.name);
    }
    // No name in a table has a backslash, so only a name with escapes is compared with them decoded.
    let written = name.escaped_bytes();
    members().find(|(_, member)| written == member.name.as_bytes()).or_else(|| {
        let may_be = written.contains(&b'\\');
        members().find(|(_, member)| may_be && name == *member.name)
    })
}

/// Returns the bit for an index.
const fn bit(index: u32) -> u32 {
    1_u32.wrapping_shl(index)
}
