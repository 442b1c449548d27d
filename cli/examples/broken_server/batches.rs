//! Batches, and defects of servers in how they handle them.

use tautline::RawJson;

use crate::defect::{Act, Memory, defects, go};
use crate::members::{Members, error};

defects! { Line {
    "ignores-batches" => |line, _| Act::Lose.if_so(is_batch(line), line),
    "refuses-batches" => |line, _| Act::Say(error("null", -32600)).if_so(is_batch(line), line),
    "dies-on-batches" => |line, _| Act::Die.if_so(is_batch(line), line),
    "serves-batches-everywhere" => |line, _| array(elements(line), "").if_so(is_batch(line), line),
    // The answer is an array, even if no element has an answer.
    "answers-empty-batch-with-array" => |line, _| array(elements(line), "[]\n").if_so(is_batch(line), line),
    "serves-first-of-batch" => first,
    "stops-batch-at-invalid-element" => up_to_invalid,
    "serves-nested-batches" => nested,
} }

pub fn is_batch(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"[") && RawJson::parse(line).is_ok()
}

pub fn elements(line: &[u8]) -> Vec<Vec<u8>> {
    let array = RawJson::parse(line).ok();
    let elements = array.as_ref().and_then(RawJson::elements);
    elements.into_iter().flatten().map(|element| element.as_bytes().to_vec()).collect()
}

fn array(elements: Vec<Vec<u8>>, if_empty: &str) -> Act {
    Act::Array { elements, if_empty: if_empty.into() }
}

fn first(line: &[u8], _: &mut Memory) -> Act {
    match elements(line).into_iter().next() {
        Some(element) if is_batch(line) => Act::Go(element),
        _ => go(line),
    }
}

fn up_to_invalid(line: &[u8], _: &mut Memory) -> Act {
    if !is_batch(line) {
        return go(line);
    }
    let is_valid = |element: &Vec<u8>| {
        Members::of(element).is_some_and(|members| members.get("method").is_some())
    };
    array(elements(line).into_iter().take_while(is_valid).collect(), "")
}

fn nested(line: &[u8], _: &mut Memory) -> Act {
    match elements(line).into_iter().next() {
        Some(element) if is_batch(&element) => Act::Go(element),
        _ => go(line),
    }
}
