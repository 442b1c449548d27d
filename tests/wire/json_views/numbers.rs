//! Numbers: their values as integers.

use std::collections::HashSet;

use super::number;
use crate::support::reference::json::Decimal;

const I64_MAX: i64 = i64::MAX;
const U64_MAX: u64 = u64::MAX;

/// A number, its value as `i64` and as `u64` if it has one, and whether it is an integer at all.
#[rustfmt::skip]
const TABLE: &[(&str, Option<i64>, Option<u64>, bool)] = &[
    ("0", Some(0), Some(0), true),
    ("-0", Some(0), Some(0), true),
    ("0.0", Some(0), Some(0), true),
    ("-0.0", Some(0), Some(0), true),
    ("0e0", Some(0), Some(0), true),
    ("-0e5", Some(0), Some(0), true),
    ("0.000e-7", Some(0), Some(0), true),
    ("0e999999999999", Some(0), Some(0), true),
    ("0e-999999999999", Some(0), Some(0), true),
    ("0e99999999999999999999999999999999999999999", Some(0), Some(0), true),
    ("1", Some(1), Some(1), true),
    ("-1", Some(-1), None, true),
    ("1.0", Some(1), Some(1), true),
    ("1.000000000000000000000000000", Some(1), Some(1), true),
    ("1e0", Some(1), Some(1), true),
    ("1e2", Some(100), Some(100), true),
    ("1E2", Some(100), Some(100), true),
    ("1e+2", Some(100), Some(100), true),
    ("1e002", Some(100), Some(100), true),
    ("100.0", Some(100), Some(100), true),
    ("100e-2", Some(1), Some(1), true),
    ("1000e-2", Some(10), Some(10), true),
    ("10e-2", None, None, false),
    ("0.1e1", Some(1), Some(1), true),
    ("0.01e1", None, None, false),
    ("0.00001e5", Some(1), Some(1), true),
    ("12.50e1", Some(125), Some(125), true),
    ("12.50e0", None, None, false),
    ("-12.5e1", Some(-125), None, true),
    ("0.5", None, None, false),
    ("1.5", None, None, false),
    ("-1.5", None, None, false),
    ("1e-1", None, None, false),
    ("1e-400", None, None, false),
    ("1e-999999999999999999999", None, None, false),
    // 2^53, and the first integer that a double can't represent.
    ("9007199254740992", Some(1 << 53), Some(1 << 53), true),
    ("9007199254740993", Some((1 << 53) + 1), Some((1 << 53) + 1), true),
    ("9007199254740993.0", Some((1 << 53) + 1), Some((1 << 53) + 1), true),
    ("9007199254740993.5", None, None, false),
    // The ends of i64.
    ("9223372036854775807", Some(I64_MAX), Some(1 << 63 ^ U64_MAX), true),
    ("9223372036854775808", None, Some(1 << 63), true),
    ("-9223372036854775808", Some(i64::MIN), None, true),
    ("-9223372036854775809", None, None, true),
    ("-9223372036854775808.0", Some(i64::MIN), None, true),
    ("-922337203685477580.8e1", Some(i64::MIN), None, true),
    ("-92233720368547758080e-1", Some(i64::MIN), None, true),
    // The ends of u64.
    ("18446744073709551615", None, Some(U64_MAX), true),
    ("18446744073709551616", None, None, true),
    ("18446744073709551615.0", None, Some(U64_MAX), true),
    ("184467440737095516150e-1", None, Some(U64_MAX), true),
    ("1844674407370955161.5e1", None, Some(U64_MAX), true),
    ("1844674407370955161.6e1", None, None, true),
    ("-18446744073709551615", None, None, true),
    ("10000000000000000000", None, Some(10_000_000_000_000_000_000), true),
    ("1e18", Some(1_000_000_000_000_000_000), Some(1_000_000_000_000_000_000), true),
    ("1e19", None, Some(10_000_000_000_000_000_000), true),
    ("1e20", None, None, true),
    // Far beyond.
    ("1e400", None, None, true),
    ("-1e400", None, None, true),
    ("1.5e400", None, None, true),
    ("1e999999999999999999999", None, None, true),
    ("123456789012345678901234567890", None, None, true),
    ("123456789012345678901234567890.5", None, None, false),
];

#[test]
fn values() {
    for &(text, as_i64, as_u64, is_integer) in TABLE {
        let number = number(text);
        assert_eq!(number.as_i64(), as_i64, "{text}");
        assert_eq!(number.as_u64(), as_u64, "{text}");
        assert_eq!(number.is_integer(), is_integer, "{text}");
        let plain = text.bytes().all(|byte| b"-0123456789".contains(&byte));
        assert_eq!(number.is_plain_integer(), plain, "{text}");
        assert_eq!(number.as_bytes(), text.as_bytes());
        assert_eq!(number.as_str(), Some(text));
        assert_eq!(number.to_string(), text);
        let exact = Decimal::of(text.as_bytes());
        assert_eq!(exact.is_integer(), is_integer, "{text}");
    }
}

#[test]
fn four_hundred_digits() {
    let zeros = "0".repeat(400);
    let nines = "9".repeat(400);
    for (text, as_u64, is_integer) in [
        (nines.clone(), None, true),
        (format!("{nines}.5"), None, false),
        (format!("{nines}.{zeros}"), None, true),
        (format!("1{zeros}"), None, true),
        (format!("1{zeros}e-400"), Some(1), true),
        (format!("1{zeros}e-401"), None, false),
        (format!("0.{zeros}"), Some(0), true),
        (format!("0.{zeros}1"), None, false),
        (format!("0.{zeros}1e400"), None, false),
        (format!("0.{zeros}1e401"), Some(1), true),
        (format!("0.{zeros}12e402"), Some(12), true),
        (format!("12.{zeros}"), Some(12), true),
        (format!("7e{zeros}1"), Some(70), true),
        (format!("7e-{zeros}1"), None, false),
        (format!("7e{nines}"), None, true),
        (format!("7e-{nines}"), None, false),
        (format!("0e{nines}"), Some(0), true),
    ] {
        let number = number(&text);
        assert_eq!(number.as_u64(), as_u64, "{text}");
        let as_i64 = as_u64.map(|value| i64::try_from(value).unwrap());
        assert_eq!(number.as_i64(), as_i64, "{text}");
        assert_eq!(number.is_integer(), is_integer, "{text}");
    }
}

/// Every mantissa of a list with every exponent of another, against exact arithmetic.
#[test]
fn against_exact_arithmetic() {
    let whole = [
        "0",
        "1",
        "5",
        "9",
        "10",
        "100",
        "120",
        "184467440737095516",
        "922337203685477580",
        "1844674407370955161",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
    ];
    let fraction = ["", ".0", ".5", ".50", ".00", ".05", ".7", ".8", ".15", ".16", ".000000001"];
    let far = [19, 20, 21, 38, 308, 400, 100_000, i128::from(i64::MAX), i128::from(u64::MAX)];
    let near = -18..=18;
    let mut checked = 0;
    for sign in ["", "-"] {
        for (whole, fraction) in whole.iter().flat_map(|w| fraction.map(|f| (w, f))) {
            let exponents = near.clone().chain(far).chain(far.map(|far| -far));
            for exponent in exponents {
                let text = match exponent {
                    0 => format!("{sign}{whole}{fraction}"),
                    _ => format!("{sign}{whole}{fraction}e{exponent}"),
                };
                let exact = Decimal::of(text.as_bytes());
                let number = number(&text);
                assert_eq!(number.is_integer(), exact.is_integer(), "{text}");
                let value = exact.integer();
                let as_i64 = value.and_then(|value| value.try_into().ok());
                assert_eq!(number.as_i64(), as_i64, "{text}");
                let as_u64 = value.and_then(|value| value.try_into().ok());
                assert_eq!(number.as_u64(), as_u64, "{text}");
                checked += 1;
            }
        }
    }
    println!("{checked} numbers");
    assert_eq!(checked, 2 * 15 * 11 * (37 + 18));
}

#[test]
fn equality_is_that_of_the_spelling() {
    let spellings = ["1", "1.0", "1e0", "1E0", "10e-1", "-0", "0", "1.00"];
    for a in spellings {
        for b in spellings {
            assert_eq!(number(a) == number(b), a == b);
        }
    }
    let all: HashSet<_> = spellings.into_iter().map(number).collect();
    assert_eq!(all.len(), spellings.len());
    assert_eq!(format!("{:?}", number("1.0")), "RawNumber(1.0)");
}
