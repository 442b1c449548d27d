//! Names that are allowed or denied.

use tautline::RawStr;

/// Which names are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// All of them.
    #[default]
    Any,
    /// Only these.
    Allow(Vec<String>),
    /// All but these.
    Deny(Vec<String>),
}

impl Names {
    /// Returns whether the name is denied. Names compare exactly, after their escapes are decoded.
    #[must_use]
    pub fn denies(&self, name: RawStr<'_>) -> bool {
        let has = |names: &[String]| names.iter().any(|known| name == known.as_str());
        match self {
            Self::Any => false,
            Self::Allow(names) => !has(names),
            Self::Deny(names) => has(names),
        }
    }
}

#[cfg(test)]
mod tests {
    use tautline::RawJson;

    use super::Names;

    #[test]
    fn names_compare_as_a_receiver_decodes_them() {
        let listed = || vec!["read".to_owned(), "café".to_owned()];
        for (text, is_listed) in [
            (r#""read""#, true),
            (r#""r\u0065ad""#, true),
            (r#""\u0072\u0065\u0061\u0064""#, true),
            (r#""caf\u00e9""#, true),
            (r#""Read""#, false),
            (r#""read ""#, false),
            (r#""""#, false),
            (r#""rea""#, false),
            // Half a character: no list can hold it.
            (r#""read\ud800""#, false),
        ] {
            let name = RawJson::parse(text.as_bytes()).unwrap().string().unwrap();
            assert_eq!(Names::Allow(listed()).denies(name), !is_listed, "{text}");
            assert_eq!(Names::Deny(listed()).denies(name), is_listed, "{text}");
            assert!(!Names::Any.denies(name), "{text}");
            assert!(Names::Allow(Vec::new()).denies(name), "{text}");
            assert!(!Names::Deny(Vec::new()).denies(name), "{text}");
        }
    }
}
