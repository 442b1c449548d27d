//! A JSON writer that imitates the styles of common encoders.

use std::fmt::Write;

/// A value to write.
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number without a fraction.
    Int(i64),
    /// A number with a fraction, in the fewest digits that identify it.
    Float(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object, in this order.
    Object(Vec<(String, Json)>),
}

/// The style of an encoder.
#[derive(Clone, Copy)]
pub enum Manner {
    /// No whitespace, and UTF-8 unescaped: most encoders.
    Compact,
    /// A space after every comma and colon: Python's, set to leave UTF-8 unescaped.
    Spaced,
    /// The same, with `\u` escapes for all non-ASCII characters: Python's default.
    Escaped,
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Json {
    fn from(bool: bool) -> Self {
        Self::Bool(bool)
    }
}

impl From<i64> for Json {
    fn from(int: i64) -> Self {
        Self::Int(int)
    }
}

impl From<f64> for Json {
    fn from(float: f64) -> Self {
        Self::Float(float)
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Self {
        Self::List(items)
    }
}

/// Creates an object of these members.
pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

impl Json {
    /// Sets a member of an object, replacing one of the same name.
    pub fn put(&mut self, name: impl Into<String>, value: impl Into<Self>) {
        let Self::Object(members) = self else { panic!("only an object has members") };
        let (name, value) = (name.into(), value.into());
        match members.iter_mut().find(|member| member.0 == name) {
            Some(member) => member.1 = value,
            None => members.push((name, value)),
        }
    }

    /// Returns the text of the value.
    pub fn text(&self, manner: Manner) -> String {
        let mut text = String::new();
        self.write(manner, &mut text);
        text
    }

    fn write(&self, manner: Manner, out: &mut String) {
        let (comma, colon) = match manner {
            Manner::Compact => (",", ":"),
            Manner::Spaced | Manner::Escaped => (", ", ": "),
        };
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
            Self::Int(int) => write!(out, "{int}").expect("a String takes everything"),
            Self::Float(float) => write!(out, "{float:?}").expect("a String takes everything"),
            Self::Text(text) => write_string(text, manner, out),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { comma });
                    item.write(manner, out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { comma });
                    write_string(name, manner, out);
                    out.push_str(colon);
                    value.write(manner, out);
                }
                out.push('}');
            }
        }
    }
}

fn write_string(text: &str, manner: Manner, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match (char, manner) {
            ('"', _) => out.push_str("\\\""),
            ('\\', _) => out.push_str("\\\\"),
            ('\n', _) => out.push_str("\\n"),
            ('\r', _) => out.push_str("\\r"),
            ('\t', _) => out.push_str("\\t"),
            ('\0'..' ', _) => write_unit(char as u16, out),
            ('\u{7F}'.., Manner::Escaped) => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    write_unit(*unit, out);
                }
            }
            _ => out.push(char),
        }
    }
    out.push('"');
}

/// Writes the escape of one UTF-16 code unit.
fn write_unit(unit: u16, out: &mut String) {
    write!(out, "\\u{unit:04x}").expect("a String takes everything");
}
