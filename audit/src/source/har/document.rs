//! The members of an archive that matter.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::source::text::Lenient;

#[derive(Deserialize)]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    pub log: Log<'a>,
}

#[derive(Deserialize)]
pub(super) struct Log<'a> {
    #[serde(default)]
    creator: Creator,
    #[serde(borrow)]
    pub entries: Vec<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Creator {
    #[serde(default)]
    name: Lenient,
}

impl Document<'_> {
    pub fn is_of_mcpsnoop(&self) -> bool {
        self.log.creator.name.0 == "mcpsnoop"
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry<'a> {
    #[serde(default)]
    pub started_date_time: Lenient,
    /// In milliseconds.
    #[serde(default)]
    pub time: Option<f64>,
    #[serde(borrow)]
    pub request: Request<'a>,
    #[serde(borrow)]
    pub response: Response<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request<'a> {
    #[serde(default)]
    pub method: Lenient,
    #[serde(default)]
    pub url: Lenient,
    #[serde(default)]
    pub headers: Vec<Header>,
    #[serde(borrow, default)]
    pub post_data: Option<PostData<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Response<'a> {
    #[serde(default)]
    pub status: i64,
    #[serde(default)]
    pub headers: Vec<Header>,
    #[serde(borrow, default)]
    pub content: Option<Content<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Header {
    #[serde(default)]
    pub name: Lenient,
    #[serde(default)]
    pub value: Lenient,
}

#[derive(Deserialize)]
pub(super) struct PostData<'a> {
    #[serde(borrow, default)]
    pub text: Option<&'a RawValue>,
    #[serde(default)]
    pub encoding: Option<Lenient>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content<'a> {
    #[serde(default)]
    pub size: Option<i64>,
    #[serde(default)]
    pub mime_type: Lenient,
    #[serde(borrow, default)]
    pub text: Option<&'a RawValue>,
    #[serde(default)]
    pub encoding: Option<Lenient>,
}

/// Returns the value of a header. Its name is compared without regard to case.
pub(super) fn value_of<'a>(headers: &'a [Header], name: &str) -> Option<&'a str> {
    let header = headers.iter().find(|header| header.name.0.eq_ignore_ascii_case(name))?;
    Some(header.value.0.as_str())
}
