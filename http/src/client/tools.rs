//! The parameters of tools that the client repeats in headers, as it has learned them (2026-07-28, server/tools,
//! `x-mcp-header`).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use http::{HeaderName, HeaderValue};
use tautline::json::Paths;
use tautline::{Message, RawJson, RawStr};
use tautline_mcp::http::{Name, Parameter, parameters_of};
use tautline_mcp::shape::Shapes;
use tautline_mcp::{KnownMethod, Revision, rule};

/// The number of bytes that the names of tools, headers and parameters may have together.
const MOST: usize = 1 << 20;

/// The number of bytes that each of them is counted as at least.
const LEAST: usize = 64;

/// The tools with parameters that headers repeat.
#[derive(Debug, Default)]
pub(super) struct Tools(Mutex<Learned>);

#[derive(Debug, Default)]
struct Learned {
    tools: HashMap<String, Tool>,
    size: usize,
}

#[derive(Debug)]
struct Tool {
    parameters: Vec<Repeated>,
    size: usize,
}

/// A parameter that a header repeats.
#[derive(Debug)]
struct Repeated {
    header: HeaderName,
    path: Vec<String>,
}

/// Something about a tool in a list.
#[derive(Clone, Copy, Debug)]
pub(super) enum Noted<'a> {
    /// It was left out because of the annotation at this path.
    Invalid(&'a str, &'a str),
    /// Its parameters are too many to be remembered.
    Unlearned(&'a str),
}

impl Tools {
    /// Returns the headers that repeat the arguments of a tool.
    pub(super) fn headers(
        &self,
        tool: RawStr<'_>,
        arguments: RawJson<'_>,
    ) -> Vec<(HeaderName, HeaderValue)> {
        let Ok(tool) = tool.decode() else { return Vec::new() };
        let learned = self.lock();
        let repeated = learned.tools.get(&*tool).map(|tool| &*tool.parameters);
        let headers = repeated.unwrap_or_default().iter().filter_map(|repeated| {
            let path: Vec<Name<'_>> = repeated.path.iter().map(|name| Name::new(name)).collect();
            let value = Parameter::new(Name::new(""), &path).mirrored(arguments)?;
            Some((repeated.header.clone(), HeaderValue::try_from(value.to_string()).ok()?))
        });
        headers.collect()
    }

    /// Learns the parameters of the tools in a result of `tools/list`, and returns the response without the tools whose
    /// annotations are invalid. Returns `None` if all are valid.
    pub(super) fn sort(
        &self,
        answer: &[u8],
        revision: Revision,
        note: &mut dyn FnMut(Noted<'_>),
    ) -> Option<Vec<u8>> {
        let message = Message::parse(answer, &revision.profile().http_response_body()).ok()?;
        let Message::Response(response) = &message else { return None };
        let tools = response.result()?.member("tools")?;
        let mut invalid: Vec<u32> = Vec::new();
        Shapes::of(revision).check(&message, Some(KnownMethod::ToolsList), |finding| {
            if finding.rule() == rule::HEADER_ANNOTATION {
                invalid.extend(finding.offset());
            }
        });
        let place = |part: RawJson<'_>| {
            let start = usize::try_from(message.offset_of(part.as_bytes())?).ok()?;
            Some(start..start.saturating_add(part.as_bytes().len()))
        };
        invalid.sort_unstable();
        // The offsets and the tools are in the same order, so both are read once.
        let (mut offsets, mut paths) = (invalid.iter().copied().peekable(), Paths::new(answer));
        let mut kept: Vec<&[u8]> = Vec::new();
        for tool in tools.elements()? {
            let end = place(tool)?.end;
            let mut in_tool =
                || offsets.next_if(|at| usize::try_from(*at).is_ok_and(|at| at < end));
            let name = tool.member("name").and_then(|name| name.string());
            let name = name.and_then(|name| name.decode().ok()).unwrap_or_default();
            if let Some(at) = in_tool() {
                while in_tool().is_some() {}
                self.lock().forget(&name);
                note(Noted::Invalid(&name, &paths.seek(at).to_string()));
            } else {
                kept.push(tool.as_bytes());
                if !self.learn(&name, tool) {
                    note(Noted::Unlearned(&name));
                }
            }
        }
        if invalid.is_empty() {
            return None;
        }
        let place = place(tools)?;
        let (before, after) = (answer.get(..place.start)?, answer.get(place.end..)?);
        Some([before, b"[", &kept.join(&b','), b"]", after].concat())
    }

    /// Learns the parameters of a tool. Returns whether there is room for them.
    fn learn(&self, name: &str, tool: RawJson<'_>) -> bool {
        let mut parameters = Vec::new();
        let mut size = name.len().max(LEAST);
        if let Some(schema) = tool.member("inputSchema") {
            parameters_of(schema, &mut |parameter| {
                let name = format!("mcp-param-{}", parameter.header());
                let Ok(header) = HeaderName::try_from(name) else { return };
                let path: Vec<String> = parameter.path().iter().map(ToString::to_string).collect();
                let lengths = path.iter().map(String::len).chain([header.as_str().len()]);
                size = lengths.map(|length| length.max(LEAST)).fold(size, usize::saturating_add);
                if size <= MOST {
                    parameters.push(Repeated { header, path });
                }
            });
        }
        let mut learned = self.lock();
        learned.forget(name);
        if parameters.is_empty() {
            return size <= MOST;
        }
        let total = learned.size.saturating_add(size);
        if total > MOST {
            return false;
        }
        learned.size = total;
        learned.tools.insert(name.to_owned(), Tool { parameters, size });
        true
    }

    fn lock(&self) -> MutexGuard<'_, Learned> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Learned {
    fn forget(&mut self, name: &str) {
        if let Some(tool) = self.tools.remove(name) {
            self.size = self.size.saturating_sub(tool.size);
        }
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests are expected to panic")]
mod tests {
    use std::time::Instant;

    use tautline::RawJson;
    use tautline_mcp::Revision;

    use super::{MOST, Noted, Tools};

    fn list(tools: &str) -> Vec<u8> {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{tools}]}}}}"#
        )
        .into_bytes()
    }

    fn tool(name: &str, header: &str) -> String {
        format!(
            r#"{{"name":"{name}","inputSchema":{{"type":"object","properties":{{"a":{{"type":"string","x-mcp-header":"{header}"}}}}}}}}"#
        )
    }

    /// Sorts a list. Returns the notes, and the response if it has changed.
    fn sort(tools: &Tools, list: &[u8]) -> (Vec<String>, Option<String>) {
        let mut notes = Vec::new();
        let sorted = tools.sort(list, Revision::V2026_07_28, &mut |note| {
            notes.push(format!("{note:?}"));
        });
        (notes, sorted.map(|sorted| String::from_utf8(sorted).unwrap()))
    }

    fn headers(tools: &Tools, name: &str, arguments: &str) -> Vec<(String, String)> {
        let name = format!("\"{name}\"");
        let name = RawJson::parse(name.as_bytes()).unwrap().string().unwrap();
        let arguments = RawJson::parse(arguments.as_bytes()).unwrap();
        let headers = tools.headers(name, arguments).into_iter();
        let text = |value: http::HeaderValue| value.to_str().unwrap().to_owned();
        headers.map(|(name, value)| (name.to_string(), text(value))).collect()
    }

    #[test]
    fn invalid_tools_are_left_out_wherever_they_are() {
        let (good, other, bad) = (tool("good", "A"), tool("other", "B"), tool("bad", "A B"));
        for (given, expected) in [
            (vec![&good, &other], None),
            (vec![], None),
            (vec![&bad], Some(vec![])),
            (vec![&bad, &good], Some(vec![&good])),
            (vec![&good, &bad], Some(vec![&good])),
            (vec![&good, &bad, &other], Some(vec![&good, &other])),
            (vec![&bad, &good, &bad], Some(vec![&good])),
        ] {
            let text = |tools: Vec<&String>| {
                list(&tools.into_iter().cloned().collect::<Vec<_>>().join(","))
            };
            let (notes, sorted) = sort(&Tools::default(), &text(given.clone()));
            let expected = expected.map(|tools| String::from_utf8(text(tools)).unwrap());
            assert_eq!(sorted, expected);
            assert_eq!(notes.len(), given.iter().filter(|tool| **tool == &bad).count());
        }
        let (notes, _) = sort(&Tools::default(), &list(&format!("{good}, {bad}")));
        let path = "result.tools[1].inputSchema.properties.a.x-mcp-header";
        assert_eq!(notes, [format!("{:?}", Noted::Invalid("bad", path))]);
    }

    #[test]
    fn the_time_grows_with_the_number_of_invalid_tools() {
        let time = |count: usize| {
            let list = list(&vec![tool("bad", "A B"); count].join(","));
            let start = Instant::now();
            assert_eq!(sort(&Tools::default(), &list).0.len(), count);
            start.elapsed()
        };
        // Quadratic work makes eight times as many tools take 64 times as long. A busy machine can disturb an attempt.
        let is_linear = |_| {
            let few = time(500);
            time(4000) < few * 24
        };
        assert!((0..5).any(is_linear));
    }

    #[test]
    fn what_was_learned_is_replaced_and_bounded() {
        let tools = Tools::default();
        sort(&tools, &list(&tool("t", "First")));
        assert_eq!(
            headers(&tools, "t", r#"{"a":"x"}"#),
            [("mcp-param-first".to_owned(), "x".to_owned())]
        );
        assert_eq!(headers(&tools, "t", r#"{"a":null}"#), []);
        assert_eq!(headers(&tools, "u", r#"{"a":"x"}"#), []);
        sort(&tools, &list(&tool("t", "Second")));
        assert_eq!(headers(&tools, "t", r#"{"a":"x"}"#)[0].0, "mcp-param-second");
        sort(&tools, &list(&tool("t", "not valid")));
        assert_eq!(headers(&tools, "t", r#"{"a":"x"}"#), []);
        assert_eq!(tools.0.lock().unwrap().size, 0);

        let many: Vec<String> = (0..9000).map(|n| tool(&format!("tool{n}"), "A")).collect();
        let (notes, sorted) = sort(&tools, &list(&many.join(",")));
        assert_eq!(sorted, None);
        let learned = tools.0.lock().unwrap();
        assert!(learned.size <= MOST && learned.tools.len() > 5000);
        assert_eq!(notes.len() + learned.tools.len(), many.len());
        assert!(notes.iter().all(|note| note.starts_with("Unlearned")));
    }
}
