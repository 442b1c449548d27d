//! The members of an object, for defects that read or change them.

use tautline::RawJson;

/// The members of an object, in order.
#[derive(Clone)]
pub struct Members(pub Vec<Member>);

#[derive(Clone)]
pub struct Member {
    /// The name, without escapes.
    pub name: String,
    /// The name as it was written, with its quotes.
    pub raw_name: String,
    /// The text of the value.
    pub value: String,
}

impl Members {
    /// Returns the members of a text, if it is an object.
    pub fn of(text: &[u8]) -> Option<Self> {
        let members = RawJson::parse(text).ok()?.members()?.map(|member| {
            let raw_name = format!("\"{}\"", String::from_utf8_lossy(member.name.escaped_bytes()));
            let name = member.name.decode().map_or_else(|_| raw_name.clone(), Into::into);
            Member { name, raw_name, value: member.value.to_string() }
        });
        Some(Self(members.collect()))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        Some(&*self.0.iter().find(|member| member.name == name)?.value)
    }

    /// Returns the decoded value of a member, if it is a string.
    pub fn string(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.get(name)?).ok()
    }

    pub fn method(&self) -> String {
        self.string("method").unwrap_or_default()
    }

    pub fn is_request(&self) -> bool {
        self.string("method").is_some() && self.get("id").is_some()
    }

    pub fn is_response(&self) -> bool {
        self.get("result").is_some() || self.get("error").is_some()
    }

    pub fn inner(&self, name: &str) -> Option<Self> {
        Self::of(self.get(name)?.as_bytes())
    }

    /// Replaces the value of a member, or appends it.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.0.iter_mut().find(|member| member.name == name) {
            Some(member) => member.value = value,
            None => self.0.push(Member { name: name.into(), raw_name: quoted(name), value }),
        }
    }

    pub fn remove(&mut self, name: &str) {
        self.0.retain(|member| member.name != name);
    }

    /// Renames the members.
    pub fn rename(&mut self, new: impl Fn(&Member) -> String) {
        for member in &mut self.0 {
            member.name = new(member);
            member.raw_name = quoted(&member.name);
        }
    }

    /// Keeps the last of several members with the same name.
    pub fn keep_last(mut self) -> Self {
        self.0.reverse();
        let mut kept = self.keep_first();
        kept.0.reverse();
        kept
    }

    /// Keeps the first of several members with the same name.
    pub fn keep_first(self) -> Self {
        let mut kept = Self(Vec::new());
        for member in self.0 {
            if kept.get(&member.name).is_none() {
                kept.0.push(member);
            }
        }
        kept
    }

    pub fn text(&self) -> Vec<u8> {
        let members =
            self.0.iter().map(|Member { raw_name, value, .. }| format!("{raw_name}:{value}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(",")).into_bytes()
    }
}

pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the line of an error.
pub fn error(id: &str, code: i32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"refused"}}}}"#)
}

/// Returns the line of an empty result.
pub fn result(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete"}}}}"#)
}
