//! The walk over a payload and the types of its values.

use core::cmp::Ordering;

use tautline::internal::cast::{index, u32_from};
use tautline::internal::json::{Name, Walk};
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
    let is_tried = cfg!(not(target_os = "none")) && of.parts().has_choice;
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
    let mut check = Check { walk, level: Level::NONE, levels, depth: 0, mode, outcome, report };
    let mut next = Next::Value(Some(of));
    loop {
        match next {
            Next::Value(Some(of)) => check.value(of),
            Next::Value(None) => check.walk.skip(),
            Next::End => check.close(),
        }
        let is_over = mode == Mode::Trial && check.outcome == Outcome::Faults;
        if is_over || check.depth == 0 {
            return check.outcome;
        }
        next = check.next();
    }
}

/// The next part of a container.
enum Next {
    /// A value, which may have a type.
    Value(Option<&'static Type>),
    End,
}

/// A container that is open.
#[derive(Clone, Copy)]
struct Level {
    /// The object with the members that are known. There are none in an array.
    object: &'static Object,
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
        object: Object::OPEN,
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
    /// The innermost of the open containers, if there is one.
    level: Level,
    /// The containers around it, the outermost first. No table needs more than these. Most payloads need few, and an
    /// empty `Option` is written faster. The first is never an open container.
    levels: [Option<Level>; DEPTH],
    depth: usize,
    mode: Mode,
    outcome: Outcome,
    report: &'a mut dyn FnMut(Finding),
}

impl<'buf> Check<'buf, '_> {
    #[cold]
    #[inline(never)]
    fn report(&mut self, rule: Rule, at: usize, missed: Option<Missed>) {
        self.outcome = Outcome::Faults;
        (self.report)(Finding::expecting(rule, u32_from(at), missed.map(Expected)));
    }

    /// Returns what comes next in the innermost container.
    fn next(&mut self) -> Next {
        if self.level.is_object {
            let Some(name) = self.walk.next_name() else { return Next::End };
            return Next::Value(self.member(&name));
        }
        let Some(start) = self.walk.next_start() else { return Next::End };
        let Level { count, most, .. } = self.level;
        self.level.count = count.wrapping_add(1);
        if count == most {
            self.report(rule::MEMBER_RANGE, start, Some(Missed::Length(most)));
        }
        Next::Value(self.level.others)
    }

    /// Continues after the innermost container.
    fn close(&mut self) {
        let Level { object, seen, start, .. } = self.level;
        self.depth = self.depth.saturating_sub(1);
        if let Some(Some(level)) = self.levels.get(self.depth) {
            self.level = *level;
        }
        self.walk.go_on(self.walk.end());
        let mut missing = object.required() & !seen;
        while missing != 0 {
            if let Some(member) = object.members.get(index(missing.trailing_zeros())) {
                let missed = Some(Missed::Member(member.name));
                self.report(rule::MISSING_MEMBER, index(start), missed);
            }
            missing &= missing.wrapping_sub(1);
        }
    }

    /// Looks up the name of a member, and returns the type of its value, if it has one.
    #[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline(always))]
    fn member(&mut self, name: &Name<'buf>) -> Option<&'static Type> {
        let Some((index, member)) = named(self.level.object, name) else {
            return self.other_member(name);
        };
        let is_repeated = self.level.seen & bit(index) != 0;
        self.level.seen |= bit(index);
        if is_repeated {
            self.report(Rule::DUPLICATE_NESTED_MEMBER, name.at, None);
        }
        Some(member.of)
    }

    /// Returns the type of the value of a member whose name is not known.
    fn other_member(&mut self, name: &Name<'buf>) -> Option<&'static Type> {
        let Level { object, others, meta, .. } = self.level;
        let similar = object.members.iter().find(|member| resembles(name.text, member.name));
        if let Some(member) = similar {
            let missed = Some(Missed::Name(member.name));
            self.report(Rule::NESTED_MEMBER_LOOKALIKE, name.at, missed);
        }
        if let Some(rule) = meta.and_then(|reserved| syntax::broken_by(name.text, reserved)) {
            self.report(rule, name.at, None);
        }
        others
    }

    /// Validates the value that comes next. A container with a type of its own becomes the innermost.
    #[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline(always))]
    fn value(&mut self, of: &'static Type) {
        let Some(start) = self.walk.next_start() else { return };
        match self.walk.kind() {
            Kind::Object if of.allows(Kind::Object, || false) => self.object(of, start),
            Kind::Array if of.allows(Kind::Array, || false) => {
                let parts = of.parts();
                match parts.items {
                    Some(_) => self.open(Level {
                        others: parts.items,
                        most: parts.most,
                        start: u32_from(start),
                        ..Level::NONE
                    }),
                    None => self.walk.skip_from(start),
                }
            }
            // Most strings may be any string.
            kind @ (Kind::String | Kind::Bool)
                if of.allows(kind, || false) && !of.parts().has_scalars =>
            {
                self.walk.skip_from(start);
            }
            kind => self.scalar(start, kind, of),
        }
    }

    /// Validates the value at this index, which is not a container that is allowed.
    #[inline(never)]
    fn scalar(&mut self, start: usize, kind: Kind, of: &'static Type) {
        if let Some(value) = self.walk.value_from(start)
            && let Some((rule, missed)) = wrong_scalar(value, kind, of)
        {
            self.report(rule, start, missed);
        }
    }

    /// Enters the object at this index, or skips it.
    #[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline(always))]
    fn object(&mut self, of: &'static Type, start: usize) {
        let parts = of.parts();
        let object = match self.choice(of) {
            Choice::Object(object) => object,
            Choice::Any if parts.others.is_some() || parts.meta.is_some() => Object::OPEN,
            // So are most of the members that follow in this map, such as the properties in the schema of a tool.
            Choice::Any if self.is_map() => return self.walk.skip_objects_from(start),
            Choice::Any => return self.walk.skip_from(start),
            Choice::None { name, offset } => {
                let missed = Some(Missed::Alternatives(name, of));
                self.report(rule::MEMBER_VALUE, offset, missed);
                return self.walk.skip_from(start);
            }
        };
        let (others, meta, start) = (parts.others, parts.meta, u32_from(start));
        self.open(Level { object, others, meta, start, is_object: true, ..Level::NONE });
    }

    /// Returns whether the innermost container is an object whose members all have the same type and any names.
    const fn is_map(&self) -> bool {
        let Level { object, is_object, meta, .. } = self.level;
        cfg!(not(any(target_os = "none", target_os = "unknown")))
            && is_object
            && object.members.is_empty()
            && meta.is_none()
    }

    /// Enters the container at the current position.
    #[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline(always))]
    fn open(&mut self, level: Level) {
        match self.levels.get_mut(self.depth) {
            Some(place) => {
                *place = Some(self.level);
                self.level = level;
                self.depth = self.depth.wrapping_add(1);
                self.walk.enter();
            }
            // The tables are nested no deeper, so this does not happen.
            None => self.walk.skip(),
        }
    }

    /// Returns which object of the type comes next.
    fn choice(&self, of: &'static Type) -> Choice {
        let parts = of.parts();
        match parts.object {
            None => Choice::Any,
            Some(first) if parts.has_choice && (self.mode == Mode::Verdict || self.depth > 0) => {
                choose(self.walk.clone(), of, first)
            }
            Some(object) => Choice::Object(object),
        }
    }
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
        offset: usize,
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
        let Some(name) = walk.next_name() else { break };
        let mut members = [None; MOST_OBJECTS];
        for ((_, object), member) in objects().zip(&mut members) {
            *member = named(object, &name);
        }
        let Some(start) = walk.next_start() else { break };
        let kind = walk.kind();
        let value = match kind {
            Kind::Number | Kind::String => walk.value_from(start),
            _ => {
                walk.skip_from(start);
                None
            }
        };
        let is_integer = || value.and_then(|value| value.number()).is_some_and(|n| n.is_integer());
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
                odd = odd.or(Some((member.name, start)));
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
        let members = (0..).zip(object.members);
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
    let name = walk.next_name()?;
    // A value that can't rule out objects may be long, and is left to the walk that passes over it anyway.
    let (_, member) = named(first, &name)?;
    member.of.constants()?;
    let start = walk.next_start()?;
    if walk.kind() != Kind::String {
        return None;
    }
    let text = walk.value_from(start)?.string()?;
    let (mut only, mut having_it) = (None, 0_u32);
    for object in of.objects().take(MOST_OBJECTS) {
        if let Some((_, member)) = named(object, &name) {
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
#[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline(always))]
fn named(object: &'static Object, name: &Name<'_>) -> Option<(u32, &'static Member)> {
    #[cfg(not(any(target_os = "none", target_os = "unknown")))]
    if name.key != 0 {
        let mut members = (0..).zip(object.members);
        let found = members.find(|(_, member)| member.key == name.key);
        // No name in a table has a backslash, so only a name with escapes is compared with them decoded.
        let may_be = || name.text.escaped_bytes().contains(&b'\\');
        if found.is_some() || object.members.is_empty() || !may_be() {
            return found;
        }
    }
    decoded(object, name.text)
}

/// Returns the member with this name, which may have escapes, and its index.
#[inline(never)]
fn decoded(object: &'static Object, name: RawStr<'_>) -> Option<(u32, &'static Member)> {
    (0..).zip(object.members).find(|(_, member)| name == *member.name)
}

/// Returns the bit for an index.
const fn bit(index: u32) -> u32 {
    1_u32.wrapping_shl(index)
}
