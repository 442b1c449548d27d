//! Resources: schemas with URIs of their own, and what references between them mean (JSON Schema core, sections 8 and 9).

use std::collections::HashMap;
use std::ptr::from_ref;

use serde_json::{Map, Value};

use super::compiled::Id;
use super::dialect::{Dialect, Shape};

/// A schema that has not been compiled yet.
#[derive(Clone, Copy)]
pub(super) struct Place<'s> {
    pub schema: &'s Value,
    pub resource: usize,
    /// `None` if the dialect is not known.
    pub dialect: Option<Dialect>,
}

/// A schema with a URI, and the schemas inside it that belong to it.
struct Resource<'s> {
    root: &'s Value,
    /// Without a fragment; empty if the schema has no URI.
    uri: String,
    /// `None` if two schemas have the same anchor.
    anchors: HashMap<&'s str, Option<Id>>,
    dynamic_anchors: HashMap<String, Id>,
}

/// All schemas that are inside a schema, or that it refers to.
pub(super) struct Resources<'s> {
    pub places: Vec<Place<'s>>,
    by_address: HashMap<*const Value, Id>,
    resources: Vec<Resource<'s>>,
    /// `None` if two resources have the same URI.
    by_uri: HashMap<String, Option<usize>>,
}

impl<'s> Resources<'s> {
    pub fn of(root: &'s Value, dialect: Dialect) -> Self {
        let mut all = Self {
            places: Vec::new(),
            by_address: HashMap::new(),
            resources: Vec::new(),
            by_uri: HashMap::new(),
        };
        let resource = all.add_resource(root, String::new());
        all.add(root, resource, Some(dialect));
        all
    }

    pub fn into_dynamic_anchors(self) -> Vec<HashMap<String, Id>> {
        self.resources.into_iter().map(|resource| resource.dynamic_anchors).collect()
    }

    pub fn id_of(&self, schema: &Value) -> Option<Id> {
        self.by_address.get(&from_ref(schema)).copied()
    }

    /// Adds a schema and the schemas inside it. The recursion is as deep as the value is nested.
    fn add(&mut self, schema: &'s Value, resource: usize, dialect: Option<Dialect>) -> Id {
        if let Some(id) = self.id_of(schema) {
            return id;
        }
        let id = self.places.len();
        self.by_address.insert(from_ref(schema), id);
        self.places.push(Place { schema, resource, dialect });
        let (Value::Object(members), Some(dialect)) = (schema, dialect) else { return id };
        let Place { resource, dialect, .. } = self.identify(id, schema, members, dialect);
        let Some(dialect) = dialect else { return id };
        for (keyword, value) in members {
            match (dialect.shape_of(keyword), value) {
                (Some(Shape::Schema), value) => _ = self.add(value, resource, Some(dialect)),
                (Some(Shape::Schemas | Shape::SchemaOrSchemas), Value::Array(all)) => {
                    for schema in all {
                        self.add(schema, resource, Some(dialect));
                    }
                }
                (Some(Shape::SchemaOrSchemas), value) => {
                    self.add(value, resource, Some(dialect));
                }
                (Some(Shape::NamedSchemas | Shape::NamedSchemasOrNames), Value::Object(all)) => {
                    for schema in all.values().filter(|schema| !schema.is_array()) {
                        self.add(schema, resource, Some(dialect));
                    }
                }
                _ => {}
            }
        }
        id
    }

    /// Gives a schema its own resource and its anchors.
    fn identify(
        &mut self,
        id: Id,
        schema: &'s Value,
        members: &'s Map<String, Value>,
        dialect: Dialect,
    ) -> Place<'s> {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let mut place = Place { schema, resource: 0, dialect: Some(dialect) };
        place.resource = self.places.get(id).map_or(0, |place| place.resource);
        // In draft 7, a reference replaces the keywords beside it.
        let own =
            text("$id").filter(|_| dialect == Dialect::V2020 || !members.contains_key("$ref"));
        if let Some(own) = own {
            let (uri, fragment) = own.split_once('#').unwrap_or((own, ""));
            if !uri.is_empty() {
                let base = self.resources.get(place.resource).map_or("", |base| base.uri.as_str());
                let uri = resolve(base, uri);
                place.resource = self.add_resource(schema, uri);
                if members.contains_key("$schema") {
                    place.dialect = Dialect::of(schema);
                }
            }
            if dialect == Dialect::Draft7 && !fragment.is_empty() {
                self.add_anchor(place.resource, fragment, id);
            }
        }
        if place.dialect == Some(Dialect::V2020) {
            for anchor in ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text) {
                self.add_anchor(place.resource, anchor, id);
            }
            let resource = self.resources.get_mut(place.resource);
            if let (Some(anchor), Some(resource)) = (text("$dynamicAnchor"), resource) {
                resource.dynamic_anchors.entry(anchor.to_owned()).or_insert(id);
            }
        }
        if let Some(known) = self.places.get_mut(id) {
            *known = place;
        }
        place
    }

    fn add_resource(&mut self, root: &'s Value, uri: String) -> usize {
        let number = self.resources.len();
        let known = self.by_uri.entry(uri.clone());
        known.and_modify(|known| *known = None).or_insert(Some(number));
        let (anchors, dynamic_anchors) = (HashMap::new(), HashMap::new());
        self.resources.push(Resource { root, uri, anchors, dynamic_anchors });
        number
    }

    fn add_anchor(&mut self, resource: usize, anchor: &'s str, id: Id) {
        if let Some(resource) = self.resources.get_mut(resource) {
            let known = resource.anchors.entry(anchor);
            known
                .and_modify(|known| *known = known.filter(|known| *known == id))
                .or_insert(Some(id));
        }
    }

    /// Finds the schema that a reference in a resource means, and adds it if it is not known yet. Returns `None` if it
    /// is not inside the whole schema.
    pub fn find(&mut self, reference: &str, from: usize) -> Option<Id> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let number = if uri.is_empty() {
            from
        } else {
            let uri = resolve(&self.resources.get(from)?.uri, uri);
            (*self.by_uri.get(&uri)?)?
        };
        let resource = self.resources.get(number)?;
        let fragment = decode(fragment)?;
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return *resource.anchors.get(fragment.as_str())?;
        }
        let mut place = *self.places.get(self.id_of(resource.root)?)?;
        for token in fragment.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            place.schema = match place.schema {
                Value::Object(members) => members.get(&token)?,
                Value::Array(elements) => elements.get(token.parse::<usize>().ok()?)?,
                _ => return None,
            };
            if let Some(known) = self.id_of(place.schema) {
                place = *self.places.get(known)?;
            }
        }
        Some(self.add(place.schema, place.resource, place.dialect))
    }

    /// Returns the name of the dynamic anchor that a dynamic reference to a schema uses, if it uses one.
    pub fn dynamic_anchor(&self, reference: &str, target: Id) -> Option<String> {
        let (_, anchor) = reference.split_once('#')?;
        let resource = self.resources.get(self.places.get(target)?.resource)?;
        let is_dynamic = resource.dynamic_anchors.get(anchor) == Some(&target);
        is_dynamic.then(|| anchor.to_owned())
    }
}

/// Resolves a reference, without a fragment, against a base (RFC 3986, 5.2).
fn resolve(base: &str, reference: &str) -> String {
    if scheme(reference).is_some() {
        return reference.to_owned();
    }
    let start = scheme(base).map_or(0, |scheme| scheme.len() + 1);
    let (scheme, rest) = base.split_at_checked(start).unwrap_or(("", base));
    if reference.starts_with("//") {
        return format!("{scheme}{reference}");
    }
    let authority =
        rest.strip_prefix("//").map_or(0, |rest| rest.find(['/', '?']).unwrap_or(rest.len()) + 2);
    let (authority, path) = rest.split_at_checked(authority).unwrap_or(("", rest));
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    if reference.starts_with('?') {
        return format!("{scheme}{authority}{path}{reference}");
    }
    let (target, query) = reference.split_at(reference.find('?').unwrap_or(reference.len()));
    let folder = match path.rfind('/') {
        _ if target.starts_with('/') => "",
        Some(at) => path.split_at_checked(at + 1).map_or("", |(folder, _)| folder),
        None if authority.is_empty() => "",
        None => "/",
    };
    format!("{scheme}{authority}{}{query}", without_dots(&format!("{folder}{target}")))
}

fn scheme(uri: &str) -> Option<&str> {
    let (scheme, _) = uri.split_once(':')?;
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "+-.".contains(sign);
    (scheme.starts_with(|sign: char| sign.is_ascii_alphabetic()) && scheme.chars().all(is_sign))
        .then_some(scheme)
}

fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let last = path.split('/').count().saturating_sub(1);
    for (at, segment) in path.split('/').enumerate() {
        if segment == ".." && kept.len() > 1 {
            kept.pop();
        }
        match segment {
            "." | ".." if at == last => kept.push(""),
            "." | ".." => {}
            segment => kept.push(segment),
        }
    }
    kept.join("/")
}

/// Decodes the percent encoding of a fragment.
fn decode(fragment: &str) -> Option<String> {
    let mut parts = fragment.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        let is_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal)?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{decode, resolve};

    #[test]
    fn references_are_resolved_as_in_rfc_3986() {
        for (base, reference, uri) in [
            ("http://a/b/c/d;p?q", "g", "http://a/b/c/g"),
            ("http://a/b/c/d;p?q", "./g", "http://a/b/c/g"),
            ("http://a/b/c/d;p?q", "g/", "http://a/b/c/g/"),
            ("http://a/b/c/d;p?q", "/g", "http://a/g"),
            ("http://a/b/c/d;p?q", "//g", "http://g"),
            ("http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"),
            ("http://a/b/c/d;p?q", "g?y/../z", "http://a/b/c/g?y/../z"),
            ("http://a/b/c/d;p?q", ".", "http://a/b/c/"),
            ("http://a/b/c/d;p?q", "../..", "http://a/"),
            ("http://a/b/c/d;p?q", "../../../g", "http://a/g"),
            ("http://a/b/c/d;p?q", "g:h", "g:h"),
            ("http://a", "g", "http://a/g"),
            ("", "g.json", "g.json"),
            ("f/g.json", "h.json", "f/h.json"),
            ("urn:a:b", "urn:c", "urn:c"),
        ] {
            assert_eq!(resolve(base, reference), uri, "{base} {reference}");
        }
    }

    #[test]
    fn fragments_are_decoded() {
        assert_eq!(decode("/a%25b%C3%A4").as_deref(), Some("/a%bä"));
        for wrong in ["%", "%1", "%+1", "%zz", "%ff", "%ä"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
