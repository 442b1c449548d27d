//! A naive walker over `serde_json::Value`: JSON Schema as it is defined, alternative by alternative.

use serde_json::Value;

use super::document::{Bounds, Document, Type};

/// Returns whether the value is one of this type, as a validator of JSON Schema does: formats are not asserted.
pub fn admits(document: &Document, of: &Type, value: &Value) -> bool {
    match of {
        Type::Any => true,
        Type::Null => value.is_null(),
        Type::Boolean => value.is_boolean(),
        Type::Integer(bounds) => is_integer(value) && is_within(value, *bounds),
        Type::Number(bounds) => value.is_number() && is_within(value, *bounds),
        Type::String(_) => value.is_string(),
        Type::Constant(constant) => value.as_str() == Some(constant),
        Type::Array(of, (_, most)) => value.as_array().is_some_and(|elements| {
            most.is_none_or(|most| elements.len() <= most as usize)
                && elements.iter().all(|element| admits(document, of, element))
        }),
        Type::AnyArray => value.is_array(),
        Type::Map(of) => value
            .as_object()
            .is_some_and(|object| object.values().all(|value| admits(document, of, value))),
        Type::AnyObject => value.is_object(),
        Type::OneOf(all) => all.iter().any(|of| admits(document, of, value)),
        Type::Named(name) => match document.types.get(name) {
            Some(of) => admits(document, of, value),
            None => is_object(document, name, value),
        },
    }
}

fn is_object(document: &Document, name: &str, value: &Value) -> bool {
    let Some(object) = value.as_object() else { return false };
    let members = &document.objects[name];
    let rest = members.iter().find(|member| member.name == "*");
    let lacks = |name: &str| !object.contains_key(name);
    if members.iter().any(|member| member.is_required && lacks(&member.name)) {
        return false;
    }
    object.iter().all(|(name, value)| {
        let member = members.iter().find(|member| member.name == *name).or(rest);
        member.is_none_or(|member| admits(document, &member.of, value))
    })
}

/// An integer is a number without a fraction, in any notation (JSON Schema, validation, section 6.1.1).
fn is_integer(value: &Value) -> bool {
    value.as_f64().is_some_and(|value| value.fract() == 0.0)
}

fn is_within(value: &Value, (least, most): Bounds) -> bool {
    let value = value.as_f64().unwrap();
    least.is_none_or(|least| value >= least.into()) && most.is_none_or(|most| value <= most.into())
}
