//! Numbers as they are written, and equality of values.

use std::cmp::Ordering;
use std::fmt::Write as _;

use serde_json::{Number, Value};

/// The highest number of digits that a floating-point number keeps, whatever they are.
const DIGITS_KEPT: usize = 15;
/// 2^53: a floating-point number represents every integer up to this one exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number in the decimal system: `sign * digits * 10^exponent`, with the fewest digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// Returns the number in its shortest form that is read as the same value.
    fn of(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let (is_negative, text) =
            text.strip_prefix('-').map_or((false, text.as_str()), |rest| (true, rest));
        let (significand, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
        let mut digits = format!("{whole}{fraction}").parse::<u64>().ok()?;
        let mut exponent =
            exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        while digits != 0 && digits % 10 == 0 {
            digits /= 10;
            exponent += 1;
        }
        let zero = Self { is_negative: false, digits: 0, exponent: 0 };
        Some(if digits == 0 { zero } else { Self { is_negative, digits, exponent } })
    }
}

fn is_integer(number: &Number) -> bool {
    number.is_i64() || number.is_u64()
}

/// Returns whether the value of the number is the one that was written: an integer, or a number with few digits.
fn is_exact(number: &Number) -> bool {
    let is_kept = |decimal: Decimal| decimal.digits.to_string().len() <= DIGITS_KEPT;
    let is_small = number.as_f64().is_some_and(|number| number.abs() < EXACT);
    is_integer(number) || is_small && Decimal::of(number).is_some_and(is_kept)
}

/// Compares two numbers. Returns `None` if they are equal only after rounding.
pub(super) fn compare(one: &Number, other: &Number) -> Option<Ordering> {
    let by_value = one.as_f64()?.partial_cmp(&other.as_f64()?)?;
    if by_value.is_ne()
        || is_exact(one) && is_exact(other) && Decimal::of(one) == Decimal::of(other)
    {
        return Some(by_value);
    }
    let integer = |number: &Number| {
        number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
    };
    Some(integer(one)?.cmp(&integer(other)?))
}

/// Returns whether the number is a multiple of the other one. Returns `None` if their digits are not known.
pub(super) fn is_multiple(number: &Number, of: &Number) -> Option<bool> {
    if !is_exact(number) || !is_exact(of) {
        return None;
    }
    let (number, of) = (Decimal::of(number)?, Decimal::of(of)?);
    let (digits, divisor) = (u128::from(number.digits), u128::from(of.digits));
    if digits == 0 || divisor == 0 {
        return (divisor != 0).then_some(true);
    }
    let shift = number.exponent.checked_sub(of.exponent)?;
    if shift < 0 {
        // A divisor that is too large is larger than the number.
        let scaled = 10_u128.checked_pow(shift.unsigned_abs());
        let divisor = scaled.and_then(|scaled| scaled.checked_mul(divisor));
        return Some(divisor.is_some_and(|divisor| digits % divisor == 0));
    }
    // Each factor is below 2^64, so that the products fit.
    let remainder = (0..shift).fold(digits % divisor, |rest, _| rest * 10 % divisor);
    Some(remainder == 0)
}

/// Returns a text that is the same for equal values alone. 1 and 1.0 are equal.
pub(super) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    // Writing to a text cannot fail.
    let separate = |text: &mut String, at: usize| {
        if at > 0 {
            text.push(',');
        }
    };
    match value {
        Value::Number(number) => match Decimal::of(number) {
            Some(Decimal { is_negative, digits, exponent }) => {
                let sign = if is_negative { "-" } else { "" };
                _ = write!(text, "{sign}{digits}e{exponent}");
            }
            None => _ = write!(text, "{number}"),
        },
        Value::Array(elements) => {
            text.push('[');
            for (at, element) in elements.iter().enumerate() {
                separate(text, at);
                write(element, text);
            }
            text.push(']');
        }
        // The members are sorted.
        Value::Object(members) => {
            text.push('{');
            for (at, (name, member)) in members.iter().enumerate() {
                separate(text, at);
                _ = write!(text, "{name:?}:");
                write(member, text);
            }
            text.push('}');
        }
        Value::String(string) => _ = write!(text, "{string:?}"),
        Value::Null | Value::Bool(_) => _ = write!(text, "{value}"),
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{Equal, Greater, Less};

    use serde_json::{Number, Value, from_str, json};

    use super::{canonical, compare, is_multiple};

    fn number(text: &str) -> Number {
        from_str(text).unwrap()
    }

    #[test]
    fn numbers_are_compared_exactly_or_not_at_all() {
        for (one, other, order) in [
            ("1", "1.0", Some(Equal)),
            ("-2", "0.5", Some(Less)),
            ("0.1", "1e-1", Some(Equal)),
            ("0", "-0.0", Some(Equal)),
            ("9007199254740993", "9007199254740992", Some(Greater)),
            ("18446744073709551615", "18446744073709551614", Some(Greater)),
            ("9007199254740993", "9007199254740992.0", None),
            ("1e300", "1e300", None),
            ("1e300", "1e299", Some(Greater)),
        ] {
            assert_eq!(compare(&number(one), &number(other)), order, "{one} {other}");
        }
    }

    #[test]
    fn multiples_are_those_of_the_decimal_digits() {
        for (one, of, expected) in [
            ("9", "3", Some(true)),
            ("8", "3", Some(false)),
            ("0", "0.7", Some(true)),
            ("0.3", "0.1", Some(true)),
            ("-4.35", "0.01", Some(true)),
            ("0.0075", "0.0001", Some(true)),
            ("0.00751", "0.0001", Some(false)),
            ("12391239123", "1e-8", Some(true)),
            ("1", "1e-300", Some(true)),
            ("1", "3e-300", Some(false)),
            ("1e-300", "5", Some(false)),
            ("18446744073709551615", "18446744073709551615", Some(true)),
            ("1e308", "0.5", None),
            ("0.12345678901234567", "0.1", None),
        ] {
            assert_eq!(is_multiple(&number(one), &number(of)), expected, "{one} {of}");
        }
    }

    #[test]
    fn equal_values_have_one_text() {
        for (one, other, is_equal) in [
            (json!(1), json!(1.0), true),
            (json!(100), json!(1e2), true),
            (
                json!({"a": [1, {"b": null}], "c": ""}),
                json!({"c": "", "a": [1.0, {"b": null}]}),
                true,
            ),
            (json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992.0), false),
            (json!("1"), json!(1), false),
            (json!(true), json!("true"), false),
            (json!(["a,b"]), json!(["a", "b"]), false),
            (json!(["a\",\"b"]), json!(["a", "b"]), false),
            (json!([[1], 2]), json!([1, [2]]), false),
            (json!({"a": 1}), json!({"a": 1, "b": 1}), false),
            (Value::Null, json!({}), false),
        ] {
            assert_eq!(canonical(&one) == canonical(&other), is_equal, "{one} {other}");
        }
    }
}
