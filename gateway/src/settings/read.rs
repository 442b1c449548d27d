//! Reading JSON member by member. Each error has the path of the member and the expected value.
//!
//! The filter links the scanner of `tautline` in any case. serde and serde_json would add 78 KB to the module.

use std::ops::RangeInclusive;

use tautline::RawJson;
use tautline::json::{FromJson, Kind, Member};

use super::SettingsError;

type Result<T> = std::result::Result<T, SettingsError>;

/// A value, and its path.
pub(super) struct Value<'j> {
    path: String,
    json: RawJson<'j>,
}

/// The members of an object that have not been read yet, and its path.
pub(super) struct Object<'j> {
    path: String,
    members: Vec<Member<'j>>,
    /// The names that were asked for.
    known: Vec<&'static str>,
}

/// Reads the object that is the whole text. An empty text stands for an empty object.
pub(super) fn object<'j, T>(
    json: &'j [u8],
    read: impl FnOnce(&mut Object<'j>) -> Result<T>,
) -> Result<T> {
    let json = if json.trim_ascii().is_empty() { b"{}" } else { json };
    let json = RawJson::parse(json)
        .map_err(|error| SettingsError::new("", format!("must be JSON: {error}")))?;
    Value { path: String::new(), json }.object(read)
}

impl<'j> Value<'j> {
    /// Returns the error for this value.
    pub(super) fn must<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(SettingsError::new(self.path.clone(), what))
    }

    fn read<T: FromJson<'j>>(&self, what: &str) -> Result<T> {
        self.json.read().or_else(|_| self.must(what))
    }

    pub(super) fn bool(&self) -> Result<bool> {
        self.read("must be true or false")
    }

    pub(super) fn string(&self) -> Result<String> {
        self.read("must be a string")
    }

    /// Reads an integer within a range.
    pub(super) fn integer<T: TryFrom<i64>>(&self, range: RangeInclusive<i64>) -> Result<T> {
        let value = self.json.read().ok().filter(|value| range.contains(value));
        value.and_then(|value| T::try_from(value).ok()).map_or_else(
            || self.must(format!("must be an integer from {} to {}", range.start(), range.end())),
            Ok,
        )
    }

    /// Reads one of these names.
    pub(super) fn one_of<T: Copy>(&self, names: &[(&str, T)]) -> Result<T> {
        let name = self.json.string();
        let found = names.iter().find(|(known, _)| name.is_some_and(|name| name == *known));
        found.map_or_else(
            || {
                let names: Vec<_> = names.iter().map(|(name, _)| format!("\"{name}\"")).collect();
                self.must(format!("must be one of {}", names.join(", ")))
            },
            |(_, value)| Ok(*value),
        )
    }

    /// Returns whether the value is this string.
    pub(super) fn is(&self, name: &str) -> bool {
        self.json.string().is_some_and(|string| string == name)
    }

    pub(super) fn is_array(&self) -> bool {
        self.json.kind() == Kind::Array
    }

    /// Reads the elements of an array.
    pub(super) fn array<T>(&self, mut read: impl FnMut(Value<'j>) -> Result<T>) -> Result<Vec<T>> {
        let Some(elements) = self.json.elements() else { return self.must("must be an array") };
        let element = |(i, json)| read(Value { path: format!("{}[{i}]", self.path), json });
        elements.enumerate().map(element).collect()
    }

    /// Reads the members of an object. A member that was not read is an error.
    pub(super) fn object<T>(&self, read: impl FnOnce(&mut Object<'j>) -> Result<T>) -> Result<T> {
        let Some(members) = self.json.members() else { return self.must("must be an object") };
        let (path, members) = (self.path.clone(), members.collect());
        let mut object = Object { path, members, known: Vec::new() };
        let value = read(&mut object)?;
        let Some(unknown) = object.members.first() else { return Ok(value) };
        let name = unknown.name.decode().unwrap_or_default();
        let known = object.known.join(", ");
        object.value_of(&name, unknown.value).must(format!("unknown; expected one of {known}"))
    }
}

impl<'j> Object<'j> {
    fn value_of(&self, name: &str, json: RawJson<'j>) -> Value<'j> {
        let dot = if self.path.is_empty() { "" } else { "." };
        Value { path: format!("{}{dot}{name}", self.path), json }
    }

    /// Takes the value of a member, if it is there.
    pub(super) fn take(&mut self, name: &'static str) -> Result<Option<Value<'j>>> {
        self.known.push(name);
        let is_it = |member: &mut Member<'_>| member.name == name;
        let mut found = self.members.extract_if(.., is_it).map(|member| member.value);
        let (first, second) = (found.next(), found.next());
        drop(found);
        let value = first.map(|json| self.value_of(name, json));
        match (&value, second) {
            (Some(value), Some(_)) => value.must("is repeated"),
            _ => Ok(value),
        }
    }

    /// Reads a member that may be absent.
    pub(super) fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(Value<'j>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.take(name)?.map(read).transpose()
    }

    /// Reads a member that has a default.
    pub(super) fn get<T>(
        &mut self,
        name: &'static str,
        default: T,
        read: impl FnOnce(Value<'j>) -> Result<T>,
    ) -> Result<T> {
        Ok(self.optional(name, read)?.unwrap_or(default))
    }
}
