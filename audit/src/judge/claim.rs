//! The version and capabilities that a request claims, which the codes of MCP's own errors may contradict (2026-07-28,
//! basic, error codes).

use std::sync::Arc;

use serde_json::Value;
use tautline::{ErrorCode, ErrorObject};
use tautline_mcp::{KnownMethod, ParamsView};

/// The requirement that a code stands for what it is defined for.
pub(super) const REQUIREMENT: &str = "error-code-mcp-meaning";

/// The length of capabilities that are kept, in bytes.
const LONGEST: usize = 1 << 12;

const MISSING_CAPABILITY: ErrorCode = ErrorCode::new(-32021);
const UNSUPPORTED_VERSION: ErrorCode = ErrorCode::new(-32022);

/// The version and the capabilities that a request names.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    version: String,
    /// True if the server has listed the version as supported.
    is_listed: bool,
    /// The object of capabilities. Most requests of a session share it.
    capabilities: Option<Arc<str>>,
}

/// The capabilities of the last request that had some.
#[derive(Debug, Default)]
pub(super) struct Last(Option<Arc<str>>);

impl Last {
    /// Returns what a request with these params claims: in its metadata, or with the version of `initialize`.
    pub fn claim_of(
        &mut self,
        params: &ParamsView<'_>,
        method: Option<KnownMethod>,
        is_listed: impl FnOnce(&str) -> bool,
    ) -> Option<Claim> {
        let meta = params.meta();
        let version = match method {
            Some(KnownMethod::Initialize) => params.protocol_version(),
            _ => meta.as_ref().and_then(|meta| meta.protocol_version()),
        };
        let version = version?.decode().ok()?.into_owned();
        let is_listed = is_listed(&version);
        let text = meta.and_then(|meta| meta.client_capabilities()?.as_str());
        let capabilities = text.filter(|text| text.len() <= LONGEST).map(|text| self.share(text));
        Some(Claim { version, is_listed, capabilities })
    }

    fn share(&mut self, text: &str) -> Arc<str> {
        match &self.0 {
            Some(last) if **last == *text => Arc::clone(last),
            _ => Arc::clone(self.0.insert(text.into())),
        }
    }
}

impl Claim {
    /// Returns whether the code of an error may mean here what it is defined for, or else what shows that it does not.
    /// Returns `None` if neither can be told.
    pub fn judge(&self, error: &ErrorObject<'_>) -> Option<Result<(), String>> {
        let data = || serde_json::from_slice::<Value>(error.data()?.as_bytes()).ok();
        let (is_contradicted, words) = match error.code()? {
            MISSING_CAPABILITY => {
                let declared = serde_json::from_str(self.capabilities.as_ref()?).ok()?;
                let data = data()?;
                let required = data.get("requiredCapabilities").filter(|one| one.is_object())?;
                let words =
                    "the request declares all capabilities that the error asks for".to_owned();
                (has(&declared, required), words)
            }
            UNSUPPORTED_VERSION => {
                let data = data()?;
                let mut supported = data.get("supported")?.as_array()?.iter();
                let is_named = supported.any(|one| one.as_str() == Some(&self.version));
                let version = &self.version;
                let words = format!("the server supports the version {version:?} of the request");
                (is_named || self.is_listed, words)
            }
            _ => return None,
        };
        Some(if is_contradicted { Err(words) } else { Ok(()) })
    }
}

/// Returns whether capabilities have all that is required. `elicitation` without modes stands for forms.
fn has(declared: &Value, required: &Value) -> bool {
    let mut open = vec![("", declared, required)];
    while let Some((within, declared, required)) = open.pop() {
        let (Some(declared), Some(required)) = (declared.as_object(), required.as_object()) else {
            if declared == required {
                continue;
            }
            return false;
        };
        for (name, required) in required {
            match declared.get(name) {
                Some(declared) => open.push((name, declared, required)),
                None if within == "elicitation" && name == "form" && declared.is_empty() => {}
                None => return false,
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::has;

    #[test]
    fn capabilities_include_what_they_contain() {
        let declared = json!({
            "sampling": {"tools": {}},
            "elicitation": {},
            "extensions": {"com.example/map": {"zoom": 3}},
        });
        for (required, expected) in [
            (json!({}), true),
            (json!({"sampling": {}}), true),
            (json!({"sampling": {"tools": {}}}), true),
            (json!({"sampling": {"context": {}}}), false),
            (json!({"elicitation": {"form": {}}}), true),
            (json!({"elicitation": {"url": {}}}), false),
            (json!({"roots": {}}), false),
            (json!({"extensions": {"com.example/map": {}}}), true),
            (json!({"extensions": {"com.example/map": {"zoom": 4}}}), false),
            (json!({"extensions": {"com.example/list": {}}}), false),
        ] {
            assert_eq!(has(&declared, &required), expected, "{required}");
        }
        let url = json!({"elicitation": {"url": {}}});
        assert!(!has(&url, &json!({"elicitation": {"form": {}}})), "a mode excludes the default");
    }
}
