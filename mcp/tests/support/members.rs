//! The members of an object as `serde_json` sees them, duplicates included, each with its position.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members in their original order.
pub struct Members<'de>(pub Vec<Member<'de>>);

/// The name, quotes included, and the value, both as written.
#[derive(Clone, Copy)]
pub struct Member<'de> {
    pub name: &'de RawValue,
    pub value: &'de RawValue,
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry()? {
                    members.push(Member { name, value });
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(All)
    }
}
