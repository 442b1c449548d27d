//! Conversions between the values of an enum and their names.

use core::fmt;

/// The error for a text that is not the name of a value of the enum.
///
/// ```
/// use tautline::Severity;
///
/// assert_eq!("note".parse(), Ok(Severity::Note));
/// let unknown = "notes".parse::<Severity>().unwrap_err();
/// assert_eq!(unknown.to_string(), "not the name of a severity");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct UnknownName(&'static str);

impl UnknownName {
    /// Creates the error for an enum whose values have this description.
    #[doc(hidden)]
    #[must_use]
    pub const fn of(values: &'static str) -> Self {
        Self(values)
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the name of ")?;
        f.write_str(self.0)
    }
}

impl core::error::Error for UnknownName {}

/// Implements `Display` for a type with a name.
#[doc(hidden)]
#[macro_export]
macro_rules! __display_name {
    ($Type:ty) => {
        impl core::fmt::Display for $Type {
            /// Writes the name.
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub use __display_name as display_name;

/// Implements the conversions from and to names for an enum with `ALL` and `name`.
#[doc(hidden)]
#[macro_export]
macro_rules! __named {
    ($Type:ty, $values:literal) => {
        $crate::__named!($Type, $values, $crate::UnknownName, $crate::UnknownName::of($values));
    };
    ($Type:ty, $values:literal, $Unknown:ty, $unknown:expr) => {
        impl core::str::FromStr for $Type {
            type Err = $Unknown;

            /// Finds the value with this name. Names are case-sensitive.
            fn from_str(name: &str) -> Result<Self, $Unknown> {
                let found = Self::ALL.iter().find(|value| value.name() == name);
                found.copied().ok_or($unknown)
            }
        }

        impl TryFrom<&str> for $Type {
            type Error = $Unknown;

            /// Finds the value with this name, as `from_str`.
            fn try_from(name: &str) -> Result<Self, $Unknown> {
                name.parse()
            }
        }

        impl AsRef<str> for $Type {
            /// Returns the name.
            fn as_ref(&self) -> &str {
                self.name()
            }
        }

        /// Serializes the name.
        #[cfg(feature = "serde")]
        #[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
        impl serde::Serialize for $Type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        /// Deserializes a value from its name.
        #[cfg(feature = "serde")]
        #[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
        impl<'de> serde::Deserialize<'de> for $Type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::internal::name::Named::expecting($values))
            }
        }
    };
}
pub use __named as named;

/// Reads a name as the value that it stands for.
#[cfg(feature = "serde")]
#[derive(Debug)]
pub struct Named<T> {
    values: &'static str,
    value: core::marker::PhantomData<T>,
}

#[cfg(feature = "serde")]
impl<T> Named<T> {
    /// Creates a visitor for the names of these values.
    #[must_use]
    pub const fn expecting(values: &'static str) -> Self {
        Self { values, value: core::marker::PhantomData }
    }
}

#[cfg(feature = "serde")]
impl<T: core::str::FromStr> serde::de::Visitor<'_> for Named<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of ")?;
        f.write_str(self.values)
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<T, E> {
        name.parse().map_err(|_| E::invalid_value(serde::de::Unexpected::Str(name), &self))
    }
}
