//! The value that a schema demands where a payload has another.

use core::fmt;

use super::table::{Object, Type};
use crate::CallKind;
#[cfg(feature = "alloc")]
use crate::{KnownMethod, Role};

/// The value, the name or the message that is expected at the place of a [`Finding`](crate::Finding). It is written as a
/// phrase, such as `expected a string`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Expected(pub(crate) Missed);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missed {
    /// A value of this type.
    Type(&'static Type),
    /// A number that is not below this.
    Least(i32),
    /// A number that is not above this.
    Most(i32),
    /// An array with no more elements.
    Length(u32),
    /// A constant for the member with this name, in one of these objects.
    Alternatives(&'static str, &'static Type),
    /// A member with this name, in this object.
    Member(&'static str),
    /// This name, exactly.
    Name(&'static str),
    /// A call of this kind.
    Kind(CallKind),
    /// The data of an error, which is like this.
    Data(&'static Type),
    /// An element of the list with this name in the data of an error.
    #[cfg(feature = "alloc")]
    Element(&'static str),
    /// A message from this side, about this method, before the session ends.
    #[cfg(feature = "alloc")]
    Message(Role, KnownMethod),
}

impl Expected {
    /// Returns the name of the member that is missing, or that the name at the place resembles.
    #[must_use]
    pub const fn member(&self) -> Option<&'static str> {
        match self.0 {
            Missed::Member(name) | Missed::Name(name) => Some(name),
            Missed::Data(_) => Some("data"),
            _ => None,
        }
    }

    /// Returns the side that did not send a message that was due, and the method that it is about: `tools/list` if a
    /// change of the list was not announced. Only [`Conversation::finish`](crate::conversation::Conversation::finish)
    /// reports missing messages.
    #[must_use]
    #[cfg(feature = "alloc")]
    pub const fn message(&self) -> Option<(Role, KnownMethod)> {
        match self.0 {
            Missed::Message(from, method) => Some((from, method)),
            _ => None,
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Missed::Type(of) => match of.constants() {
                Some(constants) => {
                    f.write_str("expected ")?;
                    list(f, constants.iter().copied())
                }
                None => write!(f, "expected {of}"),
            },
            Missed::Least(least) => write!(f, "expected a number from {least}"),
            Missed::Most(most) => write!(f, "expected a number up to {most}"),
            Missed::Length(most) => write!(f, "expected at most {most} elements"),
            Missed::Alternatives(name, of) => {
                f.write_str("expected ")?;
                let constants = |object: &'static Object| {
                    let member = object.members.iter().find(move |member| member.name == name);
                    member.and_then(|member| member.of.constants()).unwrap_or_default()
                };
                let all = move || of.objects().flat_map(constants).copied();
                let is_first =
                    |(at, constant): &(usize, _)| all().take(*at).all(|other| other != *constant);
                list(f, all().enumerate().filter(is_first).map(|(_, constant)| constant))
            }
            Missed::Member(name) => write!(f, "the required member \"{name}\" is missing"),
            Missed::Kind(CallKind::Request) => f.write_str(
                "the method is that of a request, and it was sent without an id, as a notification",
            ),
            Missed::Kind(CallKind::Notification) => f.write_str(
                "the method is that of a notification, and it was sent with an id, as a request",
            ),
            Missed::Data(of) => {
                f.write_str("the error lacks \"data\"")?;
                let required = of.objects().flat_map(|object| object.members.iter());
                let required = required.filter(|member| member.is_required);
                for (at, member) in required.enumerate() {
                    write!(f, "{} \"{}\"", if at == 0 { ", with" } else { " and" }, member.name)?;
                }
                Ok(())
            }
            #[cfg(feature = "alloc")]
            Missed::Element(name) => {
                write!(f, "the list \"{name}\" in the data of the error is empty")
            }
            Missed::Name(name) => write!(f, "the name resembles \"{name}\""),
            #[cfg(feature = "alloc")]
            Missed::Message(from, method) => {
                write!(f, "the {} still owes a message about {}", from.name(), method.name())
            }
        }
    }
}

impl fmt::Debug for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expected({self})")
    }
}

/// Writes constants as JSON, as in `"user" or "assistant"`. None of them needs an escape.
fn list(f: &mut fmt::Formatter<'_>, constants: impl Iterator<Item = &'static str>) -> fmt::Result {
    let mut constants = constants.peekable();
    let mut is_first = true;
    while let Some(constant) = constants.next() {
        f.write_str(match constants.peek() {
            _ if is_first => "",
            Some(_) => ", ",
            None => " or ",
        })?;
        write!(f, "\"{constant}\"")?;
        is_first = false;
    }
    Ok(())
}
