//! The standard traits that users expect of the public types.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use tautline::RawJson;
use tautline::json::Expected;
use tautline_mcp::session::{Capabilities, Capability, Phase};
use tautline_mcp::{Era, KnownMethod, LogLevel, Revision, Role};

/// Checks that names lead back to their values, in every form.
fn named<T>(all: &[T])
where
    T: Copy + Debug + Display + Eq + Hash + AsRef<str> + FromStr<Err: Error> + 'static,
    T: for<'a> TryFrom<&'a str, Error = <T as FromStr>::Err>,
{
    let names: HashSet<String> = all.iter().map(T::to_string).collect();
    assert_eq!(names.len(), all.len());
    for &value in all {
        let name = value.to_string();
        assert_eq!(name.parse::<T>().ok(), Some(value));
        assert_eq!(T::try_from(name.as_str()).ok(), Some(value));
        assert_eq!(value.as_ref(), name);
        for other in [name.to_uppercase(), format!("{name} "), String::new()] {
            let found = other.parse::<T>();
            assert!(found.is_err() || other == name, "{other}");
        }
    }
}

#[test]
fn names_lead_back_to_their_values() {
    named(KnownMethod::ALL);
    named(Revision::ALL);
    named(Era::ALL);
    named(Role::ALL);
    named(LogLevel::ALL);
    named(Capability::ALL);
    named(Phase::ALL);
    assert_eq!(Revision::default(), Revision::LATEST);
}

/// RFC 5424, section 6.2.1, in the order of MCP.
#[test]
fn levels_are_ordered_and_read_from_json() {
    let names = "debug info notice warning error critical alert emergency";
    assert!(LogLevel::ALL.is_sorted());
    assert_eq!(LogLevel::ALL.iter().map(LogLevel::to_string).collect::<Vec<_>>().join(" "), names);
    let read = |text: &'static str| RawJson::parse(text.as_bytes()).unwrap().read::<LogLevel>();
    assert_eq!(read(r#""w\u0061rning""#), Ok(LogLevel::Warning));
    assert_eq!(read("4").unwrap_err().expected(), Expected::STRING);
    assert_eq!(read(r#""Warning""#).unwrap_err().expected(), Expected::OTHER);
    assert!(read("null").is_err());
}

/// The name of a capability is the path of the member that declares it.
#[test]
fn names_of_capabilities_are_paths() {
    for &capability in Capability::ALL {
        for leaf in ["{}", "true"] {
            let mut declared = leaf.to_string();
            for name in capability.name().rsplit('.') {
                declared = format!("{{\"{name}\":{declared}}}");
            }
            let declared = Capabilities::of(RawJson::parse(declared.as_bytes()).unwrap());
            let is_flag =
                matches!(capability.name().rsplit('.').next(), Some("listChanged" | "subscribe"));
            assert_eq!(declared.has(capability), is_flag == (leaf == "true"), "{capability}");
        }
    }
}

#[cfg(feature = "serde_json")]
#[test]
fn names_are_strings() {
    fn round_trip<T>(all: &[T])
    where
        T: Copy + Debug + Display + PartialEq + serde::Serialize + serde::de::DeserializeOwned,
    {
        for &value in all {
            let text = serde_json::to_value(value).unwrap();
            assert_eq!(text, serde_json::Value::String(value.to_string()));
            assert_eq!(serde_json::from_value::<T>(text).unwrap(), value);
        }
        assert!(serde_json::from_value::<T>(serde_json::json!("?")).is_err());
        assert!(serde_json::from_value::<T>(serde_json::json!(1)).is_err());
    }
    round_trip(KnownMethod::ALL);
    round_trip(Revision::ALL);
    round_trip(Era::ALL);
    round_trip(Role::ALL);
    round_trip(Capability::ALL);
    round_trip(Phase::ALL);
}
