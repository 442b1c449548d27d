//! A naive judge of HTTP requests, written from the text of the specification, with plain strings on the heap. It knows
//! only bodies that are messages and repeat no member.

use std::collections::BTreeMap;

use serde_json::Value;

/// What the naive judge is told about an endpoint.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The versions that are served, from the oldest to the latest.
    pub versions: Vec<&'static str>,
    pub origins: Vec<&'static str>,
    pub hosts: Vec<&'static str>,
    pub requires_sessions: bool,
    pub has_streams: bool,
    /// The open sessions, with their versions.
    pub sessions: BTreeMap<&'static str, &'static str>,
    /// The tools, each with the headers and the paths of its parameters.
    pub tools: BTreeMap<&'static str, Vec<(&'static str, Vec<&'static str>)>>,
}

/// A request: its method, its headers, and its body.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Value,
}

const LATEST: &str = "2026-07-28";

impl Request {
    /// Returns the values of a header, without the whitespace around them.
    fn values(&self, name: &str) -> Vec<Vec<u8>> {
        let own = self.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        own.map(|(_, value)| {
            let is_space = |byte: &u8| *byte == b' ' || *byte == b'\t';
            let start = value.iter().position(|byte| !is_space(byte)).unwrap_or(value.len());
            let end = value.iter().rposition(|byte| !is_space(byte)).map_or(start, |end| end + 1);
            value[start..end].to_vec()
        })
        .collect()
    }

    fn is_request(&self) -> bool {
        self.body.get("id").is_some() && self.body.get("method").is_some()
    }

    fn meta(&self) -> Option<&Value> {
        self.body.get("params")?.get("_meta")
    }

    fn claims_version(&self) -> bool {
        let names = ["protocolVersion", "clientCapabilities", "clientInfo", "logLevel"];
        let method = self.body.get("method").and_then(Value::as_str);
        let of_modern = matches!(method, Some("server/discover" | "subscriptions/listen"));
        let has = |name: &&str| {
            self.meta()
                .is_some_and(|meta| meta.get(format!("io.modelcontextprotocol/{name}")).is_some())
        };
        self.is_request() && (of_modern || names.iter().any(has))
    }
}

/// The status and the code of a refusal by the head and the mirrored headers, or `None` if these refuse nothing.
pub fn judge(endpoint: &Endpoint, request: &Request) -> Option<(u16, Option<i64>)> {
    let code = |code: i64| request.is_request().then_some(code);
    let serves_modern = endpoint.versions.contains(&LATEST);
    let serves_legacy = endpoint.versions.iter().any(|version| *version < LATEST);
    let versions = request.values("mcp-protocol-version");
    let named = match &versions[..] {
        [one] => {
            endpoint.versions.iter().find(|version| version.as_bytes() == one.as_slice()).copied()
        }
        _ => None,
    };
    let is_get = request.method == "GET";
    let may_get = is_get && endpoint.has_streams && serves_legacy && named != Some(LATEST);
    if request.method != "POST" && !may_get {
        return Some((405, None));
    }
    match &request.values("host")[..] {
        [host] => {
            let Some((name, _)) = host_and_port(host) else { return Some((400, None)) };
            if !endpoint.hosts.iter().any(|own| own.to_ascii_lowercase() == name) {
                return Some((403, None));
            }
        }
        _ => return Some((400, None)),
    }
    match &request.values("origin")[..] {
        [] => {}
        [origin] if is_origin_of(origin, &endpoint.origins) => {}
        _ => return Some((403, None)),
    }
    if !is_get {
        match &request.values("content-type")[..] {
            [one]
                if media_type(one).is_some_and(|(essence, _)| essence == "application/json")
                    && !names_other_charset(one) => {}
            _ => return Some((415, None)),
        }
    }
    let accept = request.values("accept");
    if !accepts(&accept, "text/event-stream") || !is_get && !accepts(&accept, "application/json") {
        return Some((406, None));
    }
    let is_modern = serves_modern
        && !is_get
        && (!serves_legacy || named == Some(LATEST) || request.claims_version());
    if is_modern {
        modern(endpoint, request, &versions)
    } else {
        legacy(endpoint, request, &versions, named, is_get)
    }
    .map(|(status, number)| (status, number.and_then(code)))
}

/// "Server validation" of 2026-07-28.
fn modern(
    endpoint: &Endpoint,
    request: &Request,
    versions: &[Vec<u8>],
) -> Option<(u16, Option<i64>)> {
    const MISMATCH: Option<(u16, Option<i64>)> = Some((400, Some(-32020)));
    let [version] = versions else { return MISMATCH };
    let Some(version) = visible(version) else { return MISMATCH };
    let claimed =
        request.meta().and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
    if claimed.and_then(Value::as_str).is_some_and(|claimed| claimed != version) {
        return MISMATCH;
    }
    if !endpoint.versions.contains(&version.as_str()) {
        return Some((400, Some(-32022)));
    }
    if version != LATEST {
        return MISMATCH;
    }
    let method = request.body.get("method").and_then(Value::as_str);
    // A response.
    let Some(method) = method else { return Some((400, None)) };
    let headers = request.values("mcp-method");
    if request.is_request() || !headers.is_empty() {
        match &headers[..] {
            [one] if visible(one).as_deref() == Some(method) => {}
            _ => return MISMATCH,
        }
    }
    if !request.is_request() {
        return None;
    }
    let source = match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    };
    let params = request.body.get("params");
    let name = source.and_then(|source| params?.get(source)?.as_str());
    if let Some(name) = name {
        match &request.values("mcp-name")[..] {
            [one] if decoded(one).as_deref() == Some(name.as_bytes()) => {}
            _ => return MISMATCH,
        }
    }
    None
}

/// The headers of parameters of a call that nothing else refuses.
pub fn judge_parameters<'a>(
    endpoint: &Endpoint,
    request: &'a Request,
) -> Option<(u16, Option<i64>)> {
    let params = request.body.get("params")?;
    let tool = params.get("name")?.as_str()?;
    for (header, path) in endpoint.tools.get(tool)? {
        let values = request.values(&format!("mcp-param-{header}"));
        let follow = |value: &'a Value, name: &&str| value.as_object()?.get(*name);
        let value = params.get("arguments").and_then(|value| path.iter().try_fold(value, follow));
        let is_right = match (value, &values[..]) {
            (None | Some(Value::Null), []) => true,
            (Some(Value::String(text)), [one]) => decoded(one).as_deref() == Some(text.as_bytes()),
            (Some(Value::Bool(is)), [one]) => {
                decoded(one).as_deref() == Some(is.to_string().as_bytes())
            }
            (Some(Value::Number(number)), [one]) => {
                let other = decoded(one).and_then(|text| String::from_utf8(text).ok());
                // Only for numbers that doubles tell apart.
                let is_tight = other.as_deref().is_some_and(|text| text.trim() == text);
                let other = other.and_then(|text| serde_json::from_str::<Value>(&text).ok());
                is_tight
                    && other
                        .is_some_and(|other| other.as_f64() == number.as_f64() && other.is_number())
            }
            _ => false,
        };
        if !is_right {
            return Some((400, Some(-32020)));
        }
    }
    None
}

/// Sessions and versions up to 2025-11-25.
fn legacy(
    endpoint: &Endpoint,
    request: &Request,
    versions: &[Vec<u8>],
    named: Option<&str>,
    is_get: bool,
) -> Option<(u16, Option<i64>)> {
    let serves_modern = endpoint.versions.contains(&LATEST);
    let is_initialize = !is_get
        && request.is_request()
        && request.body.get("method").and_then(Value::as_str) == Some("initialize");
    let ids = request.values("mcp-session-id");
    let id = match &ids[..] {
        [one] if !one.is_empty() && one.iter().all(|byte| (0x21..=0x7E).contains(byte)) => {
            Some(String::from_utf8(one.clone()).unwrap())
        }
        _ => None,
    };
    // A server without sessions ignores the header.
    let asked = id.as_deref().filter(|_| endpoint.requires_sessions);
    let session = asked.map(|id| endpoint.sessions.get(id));
    // "If the server receives an invalid or unsupported MCP-Protocol-Version, it MUST respond with 400."
    match versions {
        [] => {
            let is_known =
                is_initialize || session.is_some() || endpoint.versions.contains(&"2025-03-26");
            if !is_known {
                return Some((400, Some(if serves_modern { -32020 } else { -32600 })));
            }
        }
        [_] if named.is_none() => {
            return Some((400, Some(if serves_modern { -32022 } else { -32600 })));
        }
        [_] => {}
        _ => return Some((400, Some(if serves_modern { -32020 } else { -32600 }))),
    }
    if endpoint.requires_sessions {
        if ids.len() > 1 || ids.len() == 1 && id.is_none() || ids.is_empty() && !is_initialize {
            return Some((400, Some(-32600)));
        }
        if session == Some(None) {
            return Some((404, Some(-32600)));
        }
    }
    if is_get && request.values("last-event-id").len() > 1 {
        return Some((400, Some(-32600)));
    }
    None
}

/// Returns the text if it is visible ASCII, spaces and tabs.
fn visible(value: &[u8]) -> Option<String> {
    let is_visible = |byte: &u8| (0x20..=0x7E).contains(byte) || *byte == 0x09;
    value.iter().all(is_visible).then(|| String::from_utf8(value.to_vec()).unwrap())
}

/// "Value encoding": the bytes that a value stands for.
pub fn decoded(value: &[u8]) -> Option<Vec<u8>> {
    let text = visible(value)?;
    if !text.starts_with("=?base64?") || !text.ends_with("?=") {
        return Some(text.into_bytes());
    }
    let payload = text.get("=?base64?".len()..text.len() - "?=".len())?;
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = payload.trim_end_matches('=');
    let padding = payload.len() - digits.len();
    if payload.len() % 4 != 0 || padding > 2 {
        return None;
    }
    let mut bits = String::new();
    for digit in digits.chars() {
        bits += &format!("{:06b}", ALPHABET.find(digit)?);
    }
    let whole = bits.len() / 8 * 8;
    if bits[whole..].contains('1') {
        return None;
    }
    Some((0..whole / 8).map(|n| u8::from_str_radix(&bits[n * 8..n * 8 + 8], 2).unwrap()).collect())
}

/// Reads a host without brackets in lower case, and its port, which may be empty.
fn host_and_port(value: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(value).ok()?;
    let (host, port) = match text.rfind(':') {
        Some(at) if !text.ends_with(']') => (&text[..at], &text[at + 1..]),
        _ => (text, ""),
    };
    let is_port = port.chars().all(|c| c.is_ascii_digit())
        && port.len() <= 5
        && (port.is_empty() || port.parse::<u16>().is_ok());
    let is_host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            let mut rest = host.to_owned();
            // Percent-encoded bytes stand for themselves.
            while let Some(at) = rest.find('%') {
                let code = rest.get(at + 1..at + 3)?;
                if !code.chars().all(|c| c.is_ascii_hexdigit()) {
                    return None;
                }
                rest.replace_range(at..at + 3, "x");
            }
            !rest.is_empty()
                && rest.chars().all(|c| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=".contains(c))
        }
    };
    (is_port && is_host).then(|| (host.to_ascii_lowercase(), port.to_owned()))
}

fn origin(value: &[u8]) -> Option<(String, String, String)> {
    let text = std::str::from_utf8(value).ok()?;
    let (scheme, rest) = text.split_once("://")?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let (host, port) = host_and_port(rest.as_bytes())?;
    let scheme = scheme.to_ascii_lowercase();
    let port = match (scheme.as_str(), port.as_str()) {
        ("http", "") => "80".to_owned(),
        ("https", "") => "443".to_owned(),
        (_, port) => port.trim_start_matches('0').to_owned(),
    };
    is_scheme.then_some((scheme, host, port))
}

fn is_origin_of(value: &[u8], allowed: &[&str]) -> bool {
    origin(value)
        .is_some_and(|own| allowed.iter().any(|one| origin(one.as_bytes()) == Some(own.clone())))
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
}

/// Splits at a separator outside of quoted strings.
fn split_outside(text: &[u8], separator: u8) -> Vec<Vec<u8>> {
    let (mut parts, mut is_quoted, mut is_escaped) = (vec![Vec::new()], false, false);
    for &byte in text {
        if byte == separator && !is_quoted {
            parts.push(Vec::new());
            continue;
        }
        if is_quoted && byte == b'\\' && !is_escaped {
            is_escaped = true;
        } else {
            if byte == b'"' && !is_escaped {
                is_quoted = !is_quoted;
            }
            is_escaped = false;
        }
        parts.last_mut().unwrap().push(byte);
    }
    parts
}

pub fn trimmed(text: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| *byte == b' ' || *byte == b'\t';
    let start = text.iter().position(|byte| !is_space(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_space(byte)).map_or(start, |end| end + 1);
    &text[start..end]
}

/// Reads a media type or a range: its essence in lower case, and the value of its first parameter `q`.
fn media_type(value: &[u8]) -> Option<(String, Option<String>)> {
    let parts = split_outside(value, b';');
    let (first, parameters) = parts.split_first()?;
    // No whitespace belongs before the type.
    let essence = std::str::from_utf8(first).ok()?.trim_end_matches([' ', '\t']);
    let (kind, subtype) = essence.split_once('/')?;
    if !is_token(kind) || !is_token(subtype) {
        return None;
    }
    let mut quality = None;
    for parameter in parameters {
        let parameter = trimmed(parameter);
        if parameter.is_empty() {
            continue;
        }
        let at = parameter.iter().position(|byte| *byte == b'=')?;
        let name = std::str::from_utf8(&parameter[..at]).ok()?;
        let value = &parameter[at + 1..];
        let is_value = match value {
            [b'"', inside @ .., b'"'] => is_quotable(inside),
            value => std::str::from_utf8(value).is_ok_and(is_token),
        };
        if !is_token(name) || !is_value {
            return None;
        }
        if name.eq_ignore_ascii_case("q") && quality.is_none() {
            quality = Some(String::from_utf8_lossy(value).into_owned());
        }
    }
    Some((essence.to_ascii_lowercase(), quality))
}

/// Returns whether a well-formed value has a parameter `charset` that is not UTF-8.
fn names_other_charset(value: &[u8]) -> bool {
    split_outside(value, b';').into_iter().skip(1).any(|parameter| {
        let parameter = String::from_utf8_lossy(trimmed(&parameter)).to_ascii_lowercase();
        parameter
            .strip_prefix("charset=")
            .is_some_and(|charset| !["utf-8", "utf8", "\"utf-8\"", "\"utf8\""].contains(&charset))
    })
}

/// Returns whether this may be between the quotes of a quoted string.
fn is_quotable(inside: &[u8]) -> bool {
    let mut rest = inside.iter();
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'"' => return false,
            b'\\' => match rest.next() {
                Some(byte) => byte,
                None => return false,
            },
            byte => byte,
        };
        if *byte != b'\t' && (*byte < 0x20 || *byte == 0x7F) {
            return false;
        }
    }
    true
}

fn accepts(lines: &[Vec<u8>], wanted: &str) -> bool {
    let (kind, _) = wanted.split_once('/').unwrap();
    let mut best: BTreeMap<u8, u32> = BTreeMap::new();
    for element in lines.iter().flat_map(|line| split_outside(line, b',')) {
        let Some((essence, quality)) = media_type(trimmed(&element)) else { continue };
        let quality = match quality.as_deref() {
            None => 1000,
            Some(text) => {
                let Some(quality) = thousandths(text) else { continue };
                quality
            }
        };
        let specificity = if essence == wanted {
            3
        } else if essence == format!("{kind}/*") {
            2
        } else if essence == "*/*" {
            1
        } else {
            continue;
        };
        let place = best.entry(specificity).or_default();
        *place = quality.max(*place);
    }
    best.last_key_value().is_some_and(|(_, quality)| *quality > 0)
}

fn thousandths(text: &str) -> Option<u32> {
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
    if !matches!(whole, "0" | "1")
        || digits.len() > 3
        || !digits.chars().all(|c| c.is_ascii_digit())
    {
        return None;
    }
    let quality = format!("{whole}{digits:0<3}").parse().ok()?;
    (quality <= 1000).then_some(quality)
}
