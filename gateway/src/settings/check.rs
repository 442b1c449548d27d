//! The members of the configuration, their defaults, and the rules for their values.

use tautline::ErrorCode;
use tautline::rule::CodeClass;
use tautline_mcp::http::{Allowed, Policy, Sessions};
use tautline_mcp::{Revision, rule};

use super::paths::Paths;
use super::read::{Object, Value};
use super::{Denial, IdInLog, Key, Limits, Mode, Names, Settings, SettingsError, Unjudged};

type Result<T> = std::result::Result<T, SettingsError>;

const MODES: &[(&str, Mode)] =
    &[("enforce", Mode::Enforce), ("report", Mode::Report), ("off", Mode::Off)];

const UNJUDGED: &[(&str, Unjudged)] = &[("refuse", Unjudged::Refuse), ("pass", Unjudged::Pass)];

const SESSIONS: &[(&str, Sessions)] =
    &[("none", Sessions::None), ("optional", Sessions::Optional), ("required", Sessions::Required)];

const IDS: &[(&str, IdInLog)] =
    &[("hash", IdInLog::Hash), ("plain", IdInLog::Plain), ("none", IdInLog::None)];

/// The limit of the proxy's buffer, unless the configuration says another.
const BUFFER: usize = 1 << 20;

/// The number of bytes of bodies that are kept at a time, unless the configuration says another.
const KEPT: usize = 64 << 20;

/// The number of limits up to which a longer body is read for its id, unless the configuration says another.
const SKIMMED: usize = 4;

/// Reads the whole configuration.
pub(super) fn settings(root: &mut Object<'_>) -> Result<Settings> {
    let requests = root.get("requests", Mode::Enforce, |value| value.one_of(MODES))?;
    let revisions = revisions(root)?;
    let (log, key) = root.get("log", (IdInLog::Hash, Key::default()), |value| value.object(log))?;
    let rules = |value: Value<'_>| {
        if requests == Mode::Off {
            return value.must("has no effect while requests is \"off\"");
        }
        names(&value)
    };
    let (methods, tools) =
        (root.get("methods", Names::Any, rules)?, root.get("tools", Names::Any, rules)?);
    let has_lists = methods != Names::Any || tools != Names::Any;
    let strict = root.get("strict", has_lists, |value| match value.bool()? {
        // Otherwise a name that is there twice says one thing here and another to the server.
        false if has_lists => value.must("must be true beside methods or tools"),
        strict => Ok(strict),
    })?;
    let unjudged = |value: Value<'_>| match value.one_of(UNJUDGED)? {
        // The lists would be void.
        Unjudged::Pass if has_lists => value.must("must be \"refuse\" beside methods or tools"),
        choice => Ok(choice),
    };
    Ok(Settings {
        requests,
        responses: responses(root, requests)?,
        policy: policy(root, revisions, strict)?,
        strict,
        paths: root.get("paths", Paths::default(), |value| paths(&value))?,
        limits: limits(root)?,
        compressed: root.get("compressed", Unjudged::Refuse, unjudged)?,
        unjudged: root.get("unjudged", Unjudged::Refuse, unjudged)?,
        methods,
        tools,
        denial: denial(root, revisions)?,
        log,
        key,
        counters: root.get("counters", "tautline".to_owned(), |value| counters(&value))?,
        request_headers: root.get("request_headers", false, |value| match value.bool()? {
            // The filter learns what to write from the body. It holds the headers until then only if it enforces.
            true if requests != Mode::Enforce => value.must("needs requests to be \"enforce\""),
            writes => Ok(writes),
        })?,
    })
}

/// Reads what is done about responses. A response is judged with its request.
fn responses(root: &mut Object<'_>, requests: Mode) -> Result<Mode> {
    let default = if requests == Mode::Off { Mode::Off } else { Mode::Report };
    root.get("responses", default, |value| match value.one_of(MODES)? {
        Mode::Enforce | Mode::Report if requests == Mode::Off => {
            value.must("must be \"off\" if requests is \"off\"")
        }
        mode => Ok(mode),
    })
}

fn policy(
    root: &mut Object<'_>,
    revisions: &'static [Revision],
    strict: bool,
) -> Result<Policy<'static>> {
    let hosts = root.get("hosts", Allowed::Any, |value| sites(&value, Kind::Host))?;
    let origins = root.get("origins", Allowed::Any, |value| sites(&value, Kind::Origin))?;
    let sessions = root.get("sessions", Sessions::Optional, |value| value.one_of(SESSIONS))?;
    let mut policy = Policy::new(revisions, origins, hosts).with_sessions(sessions);
    if root.get("streams", true, |value| value.bool())? {
        policy = policy.with_streams();
    }
    if root.get("session_end", true, |value| value.bool())? {
        policy = policy.with_session_end();
    }
    Ok(if strict { policy.strict() } else { policy })
}

fn revisions(root: &mut Object<'_>) -> Result<&'static [Revision]> {
    // The revisions that have Streamable HTTP.
    let known: Vec<_> = Revision::ALL
        .iter()
        .filter(|revision| **revision >= Revision::V2025_03_26)
        .map(|revision| (revision.name(), *revision))
        .collect();
    let listed = root.optional("revisions", |value| {
        let listed = value.array(|value| value.one_of(&known))?;
        if listed.is_empty() { value.must("must not be empty") } else { Ok(listed) }
    })?;
    let all = || known.iter().map(|(_, revision)| *revision).collect();
    Ok(listed.unwrap_or_else(all).leak())
}

fn paths(value: &Value<'_>) -> Result<Paths> {
    let is_path = |byte: u8| byte.is_ascii_graphic() && !b"?#*".contains(&byte);
    let paths = value.array(|value| match value.string()? {
        path if path.starts_with('/') && path.bytes().all(is_path) => Ok(path),
        _ => value.must("must be a path like \"/mcp\", in ASCII, without a query and a wildcard"),
    })?;
    if paths.is_empty() {
        return value.must("must not be empty; without the member, every path is judged");
    }
    Ok(Paths::new(&paths))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Host,
    Origin,
}

/// Reads which hosts or origins are allowed.
fn sites(value: &Value<'_>, kind: Kind) -> Result<Allowed<'static>> {
    match value {
        value if value.is("any") => return Ok(Allowed::Any),
        value if value.is("loopback") => return Ok(Allowed::Loopback),
        _ => {}
    }
    let what = match kind {
        Kind::Host => "must be a host like \"mcp.example.com\" or \"mcp.example.com:8443\"",
        Kind::Origin => "must be an origin like \"https://app.example.com\", or \"null\"",
    };
    if !value.is_array() {
        return value.must("must be \"any\", \"loopback\" or an array of strings");
    }
    let listed = value.array(|value| match value.string()? {
        site if is_site(&site, kind) => Ok(&*site.leak()),
        _ => value.must(what),
    })?;
    if kind == Kind::Host && listed.is_empty() {
        return value.must("must not be empty, for no request would be accepted");
    }
    Ok(Allowed::Listed(listed.leak()))
}

/// Returns whether a host or an origin is well-formed: if it is, a policy that lists it allows it. A wildcard is a legal
/// character of a name, but stands for nothing else.
fn is_site(site: &str, kind: Kind) -> bool {
    let listed = &[site];
    let (name, rule, hosts, origins) = match kind {
        Kind::Host => (&b"host"[..], rule::HTTP_HOST, Allowed::Listed(listed), Allowed::Any),
        Kind::Origin => (&b"origin"[..], rule::HTTP_ORIGIN, Allowed::Any, Allowed::Listed(listed)),
    };
    let policy = Policy::new(Revision::ALL, origins, hosts);
    let (headers, mut is_site) = ([(name, site.as_bytes())], !site.contains('*'));
    policy.head(b"POST", headers.iter().copied(), &(), |found| is_site &= found.rule() != rule);
    is_site
}

fn limits(root: &mut Object<'_>) -> Result<Limits> {
    let of = |buffer: usize| {
        let limit = (buffer / 4).saturating_mul(3).max(1);
        Limits { request: limit, response: limit, skim: limit.saturating_mul(SKIMMED), kept: KEPT }
    };
    root.get("limits", of(BUFFER), |value| {
        value.object(|limits| {
            let most = u32::MAX.into();
            let buffer = limits.get("buffer", BUFFER, |value| value.integer(2..=most))?;
            let limit = |value: Value<'_>| match value.integer(1..=most)? {
                limit if limit < buffer => Ok(limit),
                _ => value.must(format!("must be less than limits.buffer ({buffer})")),
            };
            let default = of(buffer);
            let request = limits.get("request", default.request, limit)?;
            let response = limits.get("response", default.response, limit)?;
            let skim = limits.get("skim", request.saturating_mul(SKIMMED), |value| match value
                .integer(1..=most)?
            {
                skim if skim >= request => Ok(skim),
                _ => value.must(format!("must be at least limits.request ({request})")),
            })?;
            let longest = request.max(response);
            let kept = limits.get("kept", KEPT.max(longest), |value| {
                match value.integer(1..=most)? {
                    kept if kept >= longest => Ok(kept),
                    _ => value.must(format!("must be at least the longest body ({longest})")),
                }
            })?;
            Ok(Limits { request, response, skim, kept })
        })
    })
}

/// Reads names that are allowed or denied.
fn names(value: &Value<'_>) -> Result<Names> {
    let name = |value: Value<'_>| match value.string()? {
        name if name.is_empty() => value.must("must not be empty"),
        name => Ok(name),
    };
    let lists = value.object(|lists| {
        let allow = lists.optional("allow", |value| value.array(name))?;
        Ok((allow, lists.optional("deny", |value| value.array(name))?))
    })?;
    match lists {
        (Some(allow), None) => Ok(Names::Allow(allow)),
        (None, Some(deny)) => Ok(Names::Deny(deny)),
        _ => value.must("must have either allow or deny"),
    }
}

fn denial(root: &mut Object<'_>, revisions: &[Revision]) -> Result<Denial> {
    let default = Denial {
        status: 403,
        // New codes belong outside the range that JSON-RPC reserves (2026-07-28, basic, error codes).
        code: ErrorCode::new(-31_403),
        message: "the gateway does not allow this".to_owned(),
    };
    let Some(denied) = root.take("denied")? else { return Ok(default) };
    denied.object(|denied| {
        Ok(Denial {
            status: denied.get("status", default.status, |value| {
                match value.integer(200..=599) {
                    Ok(status @ (200 | 400..)) => Ok(status),
                    _ => value.must("must be 200, or an integer from 400 to 599"),
                }
            })?,
            code: denied.get("code", default.code, |value| code(&value, revisions))?,
            message: denied.get("message", default.message, |value| value.string())?,
        })
    })
}

/// Reads an error code that has no meaning of its own in these revisions, and that they do not forbid.
fn code(value: &Value<'_>, revisions: &[Revision]) -> Result<ErrorCode> {
    let code = ErrorCode::new(value.integer(i32::MIN.into()..=i32::MAX.into())?);
    let is_taken = |revision: &&Revision| {
        let class = revision.profile().code_class(code);
        matches!(class, CodeClass::Protocol | CodeClass::Reserved | CodeClass::Retired)
    };
    match revisions.iter().find(is_taken) {
        None => Ok(code),
        Some(revision) => value.must(format!(
            "must not be {code}, which {revision} defines, reserves or has retired; \
             codes outside -32768..-32000 are free"
        )),
    }
}

fn log(log: &mut Object<'_>) -> Result<(IdInLog, Key)> {
    let id = log.get("id", IdInLog::Hash, |value| value.one_of(IDS))?;
    let key = log.get("key", Key::default(), |value| {
        let digits = value.string()?;
        if digits.is_empty() {
            return Ok(Key::default());
        }
        if id != IdInLog::Hash {
            return value.must("has no effect unless log.id is \"hash\"");
        }
        // The conversion would also accept a sign.
        let is_key = digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u128::from_str_radix(&digits, 16) {
            Ok(key) if is_key => Ok(Key(key.to_be_bytes())),
            _ => value.must("must be 32 hexadecimal digits"),
        }
    })?;
    Ok((id, key))
}

fn counters(value: &Value<'_>) -> Result<String> {
    let is_name = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.');
    match value.string()? {
        prefix if !prefix.is_empty() && prefix.bytes().all(is_name) => Ok(prefix),
        _ => value.must("must be letters from a to z, digits, \"_\" and \".\""),
    }
}
