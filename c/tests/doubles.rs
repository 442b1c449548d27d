//! Doubles, read and written by the functions of the header, against those of the standard library.
#![allow(unsafe_code, reason = "it calls the functions of the header")]

#[path = "../../tests/support/dice.rs"]
#[allow(dead_code, reason = "it is shared")]
mod dice;
#[path = "../../tests/support/volume.rs"]
mod volume;

use std::mem::MaybeUninit;

use dice::Dice;
use tautline_c::abi::{tl_error, tl_out, tl_view, tl_writer};
use tautline_c::export::profiles::tl_json_rpc;
use tautline_c::export::values::{tl_double, tl_double_text};
use tautline_c::export::writers::{tl_begin_result, tl_end, tl_put_double};
use volume::volume;

/// Both read the same double.
fn compare(text: &str) {
    let expected: f64 = text.parse().unwrap();
    let mut number = f64::NAN;
    // SAFETY: all pointers are of this test.
    let status = unsafe { tl_double(tl_view::of(text.as_bytes()), &mut number) };
    if expected.is_finite() {
        assert_eq!((status, number.to_bits()), (0, expected.to_bits()), "{text}");
    } else {
        assert_eq!((status, number.is_nan()), (tl_error::Range as i32, true), "{text}");
    }
}

fn random(dice: &mut Dice) -> u64 {
    (0..8).fold(0, |bits, _| bits << 8 | dice.roll(256) as u64)
}

/// Returns the digits of an integer times a power.
fn digits(integer: u64, factor: u32, exponent: u32) -> String {
    // From the lowest nine digits to the highest.
    let mut limbs = vec![integer % 1_000_000_000, integer / 1_000_000_000];
    for _ in 0..exponent {
        let mut carry = 0;
        for limb in &mut limbs {
            carry += *limb * u64::from(factor);
            *limb = carry % 1_000_000_000;
            carry /= 1_000_000_000;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    limbs.iter().rev().map(|limb| format!("{limb:09}")).collect()
}

#[test]
fn every_kind_of_number_is_read() {
    for text in [
        "0",
        "-0",
        "0.0",
        "-0e5",
        "0e999999999999999999999",
        "1",
        "-1",
        "10",
        "0.1",
        "1e-1",
        "123.456e-7",
        "1e23",
        "9007199254740993",
        "9007199254740992.999",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793e289",
        "1e309",
        "-1e309",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "5e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "2e-324",
        "1e-400",
        "0.000001e6",
        "100000000000000000000000000000000000000000000000e-46",
        "18446744073709551616",
        "4.35",
        "8.5e-1",
    ] {
        compare(text);
    }
    compare(&format!("1{}", "0".repeat(308)));
    compare(&format!("1{}", "0".repeat(309)));
    compare(&format!("0.{}1e400", "0".repeat(399)));
    compare(&format!("{}e-400", "9".repeat(700)));
    compare(&format!("{}e-4000", "9".repeat(4000)));
}

#[test]
fn random_numbers_are_read() {
    let mut dice = Dice(0xD0_0B1E);
    for _ in 0..volume(20_000) {
        let bits = random(&mut dice);
        let double = f64::from_bits(bits);
        if double.is_finite() {
            compare(&format!("{double:?}"));
            compare(&format!("{double:.20e}"));
        }
        let mantissa = random(&mut dice) >> dice.roll(64);
        compare(&format!("{mantissa}e{}", dice.roll(800) as i32 - 400));
        compare(&format!("-{}.{mantissa}", dice.roll(100)));
    }
}

/// Halfway between two doubles, and a little above and below.
#[test]
fn halves_are_rounded_to_even() {
    let mut dice = Dice(0x4A1F);
    for _ in 0..volume(600) {
        let odd = (random(&mut dice) >> dice.roll(64) >> 10) | 1;
        let exponent = dice.roll(2000) as i32 - 1075;
        let (digits, scale) = match u32::try_from(exponent) {
            Ok(exponent) => (digits(odd, 2, exponent), 0),
            Err(_) => (digits(odd, 5, exponent.unsigned_abs()), exponent),
        };
        let digits = digits.trim_start_matches('0');
        compare(&format!("{digits}e{scale}"));
        compare(&format!("{digits}.000000000000000000001e{scale}"));
        compare(&format!("{digits}.{}1e{scale}", "0".repeat(900)));
        let (front, last) = digits.split_at(digits.len() - 1);
        let below = last.parse::<u32>().unwrap().checked_sub(1);
        if let Some(below) = below {
            compare(&format!("{front}{below}.99999999999999e{scale}"));
            compare(&format!("{front}{below}.{}e{scale}", "9".repeat(900)));
        }
    }
}

fn written(value: f64) -> (i32, Vec<u8>) {
    let mut room = [0_u8; 100];
    let mut out = tl_out::of(&mut room);
    let mut writer = MaybeUninit::<tl_writer>::uninit();
    // SAFETY: all pointers are of this test.
    let status = unsafe {
        tl_begin_result(writer.as_mut_ptr(), &mut out, &tl_json_rpc, tl_view::of(b"1"));
        tl_put_double(writer.as_mut_ptr(), value);
        tl_end(writer.as_mut_ptr())
    };
    (status, room[..out.used].to_vec())
}

/// Returns the status, the length, and the text up to its NUL of a double in a buffer of this size.
fn as_text(value: f64, size: usize) -> (i32, usize, String) {
    let mut buffer = [0xA5_u8; 26];
    let mut length = 99;
    // SAFETY: the pointers are of this test.
    let status = unsafe { tl_double_text(value, buffer.as_mut_ptr().cast(), size, &mut length) };
    assert!(buffer[size..].iter().all(|byte| *byte == 0xA5));
    let end = buffer.iter().position(|byte| *byte == 0).unwrap_or(0);
    (status, length, String::from_utf8(buffer[..end].to_vec()).unwrap())
}

#[test]
fn what_is_written_reads_back() {
    let mut dice = Dice(0x32);
    for round in 0..volume(20_000) {
        let double = match round {
            0 => 0.0,
            1 => -0.0,
            2 => f64::MAX,
            3 => f64::from_bits(1),
            _ => f64::from_bits(random(&mut dice)),
        };
        let (status, line) = written(double);
        if double.is_finite() {
            assert_eq!(status, 0);
            let line = String::from_utf8(line).unwrap();
            let text = line.strip_prefix(r#"{"jsonrpc":"2.0","id":1,"result":"#).unwrap();
            let text = text.strip_suffix("}\n").unwrap();
            assert!(tautline::RawJson::parse(text.as_bytes()).is_ok(), "{text}");
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), double.to_bits());
            assert!(text.len() <= format!("{double:?}").len().max(24), "{text}");
            compare(text);
            assert_eq!(as_text(double, 25), (0, text.len(), text.to_owned()));
            // Neither the NUL nor the last digit has room.
            let full = tl_error::Full as i32;
            assert_eq!(as_text(double, text.len()), (full, text.len(), String::new()));
            assert_eq!(as_text(double, 0), (full, text.len(), String::new()));
        } else {
            assert_eq!(as_text(double, 25), (tl_error::Range as i32, 99, String::new()));
            assert_eq!((status, line.len()), (tl_error::Range as i32, 0));
        }
    }
}
