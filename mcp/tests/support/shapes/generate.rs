//! Payloads made from the table, and mutations of them.

use serde_json::{Map, Number, Value, json};

use super::document::{Document, Format, Type};
use crate::support::dice::Dice;

/// Values of which a mutation puts one in place of another.
fn odd(dice: &mut Dice) -> Value {
    match dice.roll(12) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(1),
        3 => json!(-1),
        4 => json!(0.5),
        5 => json!(2),
        6 => json!(3.0),
        7 => json!("x"),
        8 => json!(["x", 1]),
        9 => json!({}),
        10 => json!([]),
        _ => json!({"type": "text", "text": "x"}),
    }
}

/// Returns a payload of this type.
pub fn value(document: &Document, of: &Type, dice: &mut Dice, depth: usize) -> Value {
    match of {
        Type::Any => odd(dice),
        Type::Null => Value::Null,
        Type::Boolean => json!(dice.roll(2) == 0),
        Type::Integer((least, _)) => json!(least.unwrap_or(-3) + dice.roll(9) as i32),
        Type::Number((Some(_), Some(_))) => {
            number(["0", "1", "0.5", "1.0", "1e0", "10e-1"][dice.roll(6)])
        }
        Type::Number(_) => number(["0", "-1.5", "3", "1e3", "0.1e1"][dice.roll(5)]),
        Type::String(Format::None) => json!(["", "a", "ü\n\"", "tools"][dice.roll(4)]),
        Type::String(Format::Uri) => json!("file:///a"),
        Type::String(Format::RootUri) => json!("file:///a"),
        Type::String(Format::IconUri) => json!("data:image/png;base64,aGk="),
        Type::String(Format::MediaType) => json!("text/plain"),
        Type::String(Format::ToolName) => json!("fly_to"),
        Type::String(Format::Timestamp | Format::LastModified) => json!("2025-11-25T10:30:00Z"),
        Type::String(Format::UriTemplate) => json!("file:///{a}"),
        Type::String(Format::Base64) => json!(["", "aGk="][dice.roll(2)]),
        Type::Constant(constant) => json!(constant),
        Type::Array(of, _) => {
            let length = dice.roll(if depth > 4 { 2 } else { 4 });
            (0..length).map(|_| value(document, of, dice, depth + 1)).collect()
        }
        Type::AnyArray => json!([1, "a"]),
        Type::Map(of) => {
            let names = ["a", "b c", ""].iter().take(dice.roll(4));
            names.map(|name| (name.to_string(), value(document, of, dice, depth + 1))).collect()
        }
        Type::AnyObject => [json!({}), json!({"a": {"type": 1}})][dice.roll(2)].clone(),
        Type::OneOf(all) => value(document, &all[dice.roll(all.len())], dice, depth),
        Type::Named(name) => match document.types.get(name) {
            Some(of) => value(document, of, dice, depth),
            None => object(document, name, dice, depth),
        },
    }
}

fn number(text: &str) -> Value {
    Value::Number(text.parse::<Number>().unwrap())
}

fn object(document: &Document, name: &str, dice: &mut Dice, depth: usize) -> Value {
    let mut object = Map::new();
    for member in &document.objects[name] {
        let is_there = member.is_required || dice.roll(3 + depth) == 0;
        if member.name == "*" {
            for name in ["a", "b"].iter().take(dice.roll(3)) {
                object.insert(name.to_string(), value(document, &member.of, dice, depth + 1));
            }
        } else if is_there {
            let value = match (member.name.as_str(), &member.of) {
                ("resultType", Type::String(_)) => json!("complete"),
                _ => value(document, &member.of, dice, depth + 1),
            };
            object.insert(member.name.clone(), value);
        }
    }
    let is_open = document.objects[name].iter().all(|member| member.name != "*");
    if is_open && dice.roll(8) == 0 {
        object.insert("x-other".to_owned(), odd(dice));
    }
    Value::Object(object)
}

/// Changes a value somewhere.
pub fn mutate(value: &mut Value, dice: &mut Dice) {
    let mut place = value;
    loop {
        let length = match place {
            Value::Object(object) => object.len(),
            Value::Array(array) => array.len(),
            _ => 0,
        };
        // Goes one level deeper three times out of four.
        if length == 0 || dice.roll(4) == 0 {
            break;
        }
        let at = dice.roll(length);
        place = match place {
            Value::Object(object) => object.values_mut().nth(at).unwrap(),
            Value::Array(array) => &mut array[at],
            _ => return,
        };
    }
    match place {
        Value::Object(object) if !object.is_empty() && dice.roll(2) == 0 => {
            let name = object.keys().nth(dice.roll(object.len())).unwrap().clone();
            object.remove(&name);
        }
        Value::Array(array) if dice.roll(2) == 0 => array.push(odd(dice)),
        Value::String(text) if dice.roll(3) == 0 => text.push('x'),
        place => *place = odd(dice),
    }
}

/// Writes a value with the members of each object in any order, and some characters escaped.
pub fn write(value: &Value, dice: &mut Dice, out: &mut String) {
    match value {
        Value::Object(object) => {
            out.push('{');
            let mut members: Vec<_> = object.iter().collect();
            for at in 0..members.len() {
                let other = at + dice.roll(members.len() - at);
                members.swap(at, other);
            }
            for (at, (name, value)) in members.into_iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                string(name, dice, out);
                out.push_str([":", " : "][dice.roll(2)]);
                write(value, dice, out);
            }
            out.push('}');
        }
        Value::Array(array) => {
            out.push('[');
            for (at, value) in array.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write(value, dice, out);
            }
            out.push(']');
        }
        Value::String(text) => string(text, dice, out),
        other => out.push_str(&other.to_string()),
    }
}

fn string(text: &str, dice: &mut Dice, out: &mut String) {
    let quoted = serde_json::to_string(text).unwrap();
    let escaped =
        text.chars().next().filter(|first| first.is_ascii_lowercase() && dice.roll(20) == 0);
    match escaped {
        Some(first) => {
            out.push_str(&format!("\"\\u{:04x}", u32::from(first)));
            out.push_str(&quoted[2..]);
        }
        None => out.push_str(&quoted),
    }
}
