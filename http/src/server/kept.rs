//! The part of the first request of a session that is kept.

use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, Uri};

/// The number of bytes of header values, and of the URI, that a session keeps.
const MOST: usize = 16 << 10;

/// Copies a request, so that it keeps no buffer of the connection. Leaves out header values for which there is
/// no room.
pub(super) fn copy(parts: &Parts) -> Parts {
    let (mut copy, ()) = Request::new(()).into_parts();
    copy.method = parts.method.clone();
    copy.version = parts.version;
    copy.extensions = parts.extensions.clone();
    copy.uri = copy_uri(&parts.uri);
    copy.headers = copy_headers(&parts.headers);
    copy
}

fn copy_uri(uri: &Uri) -> Uri {
    let text = uri.to_string();
    let is_short = text.len() <= MOST;
    is_short.then(|| text.parse().ok()).flatten().unwrap_or_default()
}

fn copy_headers(headers: &HeaderMap) -> HeaderMap {
    let mut copy = HeaderMap::new();
    let mut bytes = 0_usize;
    for (name, value) in headers {
        let length = bytes.saturating_add(name.as_str().len()).saturating_add(value.len());
        if length > MOST {
            continue;
        }
        bytes = length;
        if let Ok(mut owned) = HeaderValue::from_bytes(value.as_bytes()) {
            owned.set_sensitive(value.is_sensitive());
            copy.append(name.clone(), owned);
        }
    }
    copy
}
