//! The tools that the board offers to a model, and a resource with its status.
//!
//! Only the [list](LIST) of the tools knows about MCP. A tool takes its arguments, acts on the [`Board`] and returns
//! the result.

use tautline::encode::EncodeError;
use tautline::{RawJson, RawStr, Rule};

/// The functions that the tools require of a board. A port to another board implements it anew, along with a way to move bytes.
pub trait Board {
    /// The name of the board, for people.
    const NAME: &'static str;

    /// Returns the temperature in thousandths of a degree: a float would cost more flash than all the tools.
    fn milli_celsius(&mut self) -> i32;

    /// Switches the LED.
    fn set_led(&mut self, on: bool);

    /// Returns whether the LED is on, according to its register.
    fn led(&self) -> bool;

    /// Returns the time since start. It wraps around.
    fn milliseconds(&self) -> u32;

    /// Returns the most bytes of stack in use at once, or `None` if unknown.
    fn stack_used(&self) -> Option<u32>;

    /// Takes a line of the log, which must not share the wire.
    fn log(&mut self, line: Log<'_>);
}

/// A line of the log.
#[derive(Clone, Copy, Debug)]
pub enum Log<'a> {
    /// A tool is called.
    Call(RawStr<'a>),
    /// A line is not a message, or a message is invalid or unusual: the rule, and the position in the line.
    Wrong(Rule, u32),
    /// An answer could not be encoded.
    NotWritten(EncodeError),
}

/// The server's description of itself. It is the same for every client, so it is written by hand, as a response. Like
/// all raw JSON, it is validated before any of it is sent, by the parser that is linked anyway.
pub const SELF: &[u8] = concat!(
    r#"{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{},"resources":{}},
"serverInfo":{"name":"tautline-board","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""},"resources":[{"uri":"board://info","name":"info","mimeType":"application/json"}],"tools":[
{"name":"read_temperature","description":"Reads the temperature","inputSchema":{"type":"object"}},
{"name":"sample_temperature","description":"Samples the temperature and reports progress",
"inputSchema":{"type":"object","properties":{"count":{"type":"integer","minimum":1,"maximum":255},
"interval_ms":{"type":"integer","minimum":0,"maximum":65535}},"required":["count"]}},
{"name":"set_led","description":"Switches the LED","inputSchema":{"type":"object",
"properties":{"on":{"type":"boolean"}},"required":["on"]}},
{"name":"read_led","description":"Reads the LED","inputSchema":{"type":"object"}},
{"name":"echo","description":"Echoes a text","inputSchema":{"type":"object",
"properties":{"text":{"type":"string"}},"required":["text"]}}
]}}"#
)
.as_bytes();

/// The result of a call.
#[derive(Debug)]
pub enum Done<'a> {
    /// The tool returns this text.
    Said(&'a str),
    /// The tool returns the text it was given, escapes included.
    Echo(RawStr<'a>),
    /// The tool failed. This is a result as well, for the model to read.
    Failed(&'static str),
    /// The result comes later.
    Sampling(Sampling),
}

/// Calls the tool of this name, or returns `None` if there is none. `room` holds text that is composed for the
/// result.
pub fn call<'a>(
    board: &mut impl Board,
    name: RawStr<'a>,
    arguments: Option<RawJson<'a>>,
    room: &'a mut Text,
) -> Option<Done<'a>> {
    board.log(Log::Call(name));
    let done = if name == "read_temperature" {
        room.push_degrees(board.milli_celsius());
        Done::Said(room.as_str())
    } else if name == "set_led" {
        match argument(arguments, "on").and_then(|on| on.bool()) {
            Some(on) => {
                board.set_led(on);
                led(board)
            }
            None => Done::Failed("on must be true or false"),
        }
    } else if name == "read_led" {
        led(board)
    } else if name == "echo" {
        // The text is returned as received, so it needs no room and may be as long as a frame.
        let text = argument(arguments, "text").and_then(|text| text.string());
        text.map_or(Done::Failed("text must be a string"), Done::Echo)
    } else if name == "sample_temperature" {
        let interval_ms = match arguments.and_then(|arguments| arguments.member("interval_ms")) {
            Some(_) => integer(arguments, "interval_ms"),
            None => Some(0),
        };
        match (integer(arguments, "count"), interval_ms) {
            (Some(count @ 1..=255), Some(interval_ms)) => {
                Done::Sampling(Sampling::new(count, interval_ms, board.milliseconds()))
            }
            _ => Done::Failed("count must be 1 to 255, and interval_ms 0 to 65535"),
        }
    } else {
        return None;
    };
    Some(done)
}

/// Returns the argument of this name. A duplicate argument has no value, since it is unknown which one was meant.
fn argument<'a>(arguments: Option<RawJson<'a>>, name: &str) -> Option<RawJson<'a>> {
    let [value] = arguments?.pick(&[name])?.values();
    value
}

/// Returns the argument as an integer in any spelling: to JSON Schema, `2e1` and `20.0` are 20.
fn integer(arguments: Option<RawJson<'_>>, name: &str) -> Option<u16> {
    argument(arguments, name)?.number()?.as_u64()?.try_into().ok()
}

fn led(board: &impl Board) -> Done<'static> {
    Done::Said(if board.led() { "The LED is on." } else { "The LED is off." })
}

/// Readings taken one by one, while the board does other things.
#[derive(Debug)]
pub struct Sampling {
    count: u16,
    taken: u16,
    interval_ms: u16,
    /// The time of the last reading.
    last_at: u32,
    lowest: i32,
    highest: i32,
    sum: i32,
}

impl Sampling {
    const fn new(count: u16, interval_ms: u16, now: u32) -> Self {
        Self {
            count,
            taken: 0,
            interval_ms,
            last_at: now,
            lowest: i32::MAX,
            highest: i32::MIN,
            sum: 0,
        }
    }

    /// Returns the number of readings to take.
    #[must_use]
    pub const fn count(&self) -> u16 {
        self.count
    }

    /// Takes a reading if it is time to, and returns the number taken so far.
    pub fn step(&mut self, board: &mut impl Board) -> Option<u16> {
        let now = board.milliseconds();
        if now.wrapping_sub(self.last_at) < self.interval_ms.into() {
            return None;
        }
        let reading = board.milli_celsius();
        self.last_at = now;
        self.taken = self.taken.saturating_add(1);
        self.lowest = self.lowest.min(reading);
        self.highest = self.highest.max(reading);
        self.sum = self.sum.saturating_add(reading);
        Some(self.taken)
    }

    /// Returns the result once all readings are taken, composed in `room`.
    #[must_use]
    pub fn finish<'a>(&self, room: &'a mut Text) -> Option<Done<'a>> {
        if self.taken < self.count {
            return None;
        }
        let mean = self.sum.checked_div(self.taken.into())?;
        room.push_degrees(mean);
        room.push(", from ");
        room.push_degrees(self.lowest);
        room.push(" to ");
        room.push_degrees(self.highest);
        Some(Done::Said(room.as_str()))
    }
}

/// The server's counters since the board was started. Each wraps around.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// The number of lines received, except blank ones: messages, faults and oversized lines together.
    pub frames: u32,
    /// The number of lines that were messages.
    pub messages: u32,
    /// The number of lines that were not.
    pub faults: u32,
    /// The number of oversized lines.
    pub oversized: u32,
    /// The number of lines sent.
    pub sent: u32,
}

/// The URI of the resource.
pub const INFO: &str = "board://info";

/// Composes the text of the resource, which is JSON.
pub fn info<B: Board>(board: &B, counters: &Counters, text: &mut Text) {
    text.push("{\"board\":\"");
    text.push(B::NAME);
    text.push("\"");
    text.push_figure("uptimeMs", Some(board.milliseconds()));
    text.push_figure("stackBytes", board.stack_used());
    text.push_figure("frames", Some(counters.frames));
    text.push_figure("messages", Some(counters.messages));
    text.push_figure("faults", Some(counters.faults));
    text.push_figure("oversized", Some(counters.oversized));
    text.push_figure("sent", Some(counters.sent));
    text.push("}");
}

/// A text under construction. `core::fmt` would do the same, and bring its panics.
#[derive(Debug, Default)]
pub struct Text(heapless::String<192>);

impl Text {
    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Text that does not fit is dropped. The longest text composed here fits.
    fn push(&mut self, more: &str) {
        let _ = self.0.push_str(more);
    }

    /// Appends another member to an object.
    fn push_figure(&mut self, name: &str, figure: Option<u32>) {
        self.push(",\"");
        self.push(name);
        self.push("\":");
        match figure {
            Some(figure) => self.push_digits(figure, 1),
            None => self.push("null"),
        }
    }

    fn push_degrees(&mut self, milli: i32) {
        if milli < 0 {
            self.push("-");
        }
        let milli = milli.unsigned_abs();
        self.push_digits(milli / 1000, 1);
        self.push(".");
        self.push_digits(milli % 1000, 3);
        self.push(" °C");
    }

    /// Appends at least this many digits.
    fn push_digits(&mut self, value: u32, least: u32) {
        let mut digits = 10;
        let mut unit = 1_000_000_000;
        while unit > 0 {
            if value >= unit || digits <= least {
                let digit = u8::try_from(value / unit % 10).unwrap_or_default();
                let _ = self.0.push(char::from(b'0' | digit));
            }
            unit /= 10;
            digits -= 1;
        }
    }
}

/// A sensor for boards that have none: it drifts around 21 °C.
#[derive(Debug)]
pub struct SimulatedSensor {
    noise: u32,
}

impl SimulatedSensor {
    /// Creates a sensor, which always returns the same readings.
    #[must_use]
    pub const fn new() -> Self {
        Self { noise: 0x2545_F491 }
    }

    /// Returns the temperature in thousandths of a degree.
    pub const fn milli_celsius(&mut self) -> i32 {
        // Marsaglia's xorshift.
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 17;
        self.noise ^= self.noise << 5;
        20_500 + (self.noise % 1000).cast_signed()
    }
}

impl Default for SimulatedSensor {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::{Counters, Text, info};
    use crate::host::Host;

    #[test]
    fn numbers_are_written_in_full() {
        for value in [0, 1, 9, 10, 99, 100, 4_294_967_295] {
            let mut text = Text::default();
            text.push_digits(value, 1);
            assert_eq!(text.as_str(), value.to_string());
        }
        for (milli, expected) in [(0, "0.000 °C"), (-1, "-0.001 °C"), (21_050, "21.050 °C")] {
            let mut text = Text::default();
            text.push_degrees(milli);
            assert_eq!(text.as_str(), expected);
        }
    }

    #[test]
    fn the_longest_texts_fit() {
        let counted = u32::MAX;
        let counters = Counters {
            frames: counted,
            messages: counted,
            faults: counted,
            oversized: counted,
            sent: counted,
        };
        let mut text = Text::default();
        info(&Host::new(()), &counters, &mut text);
        assert!(text.as_str().ends_with(r#","sent":4294967295}"#), "{text:?}");
        // A board has a longer name, and two figures that a host lacks.
        assert!(text.as_str().len() + 30 <= text.0.capacity(), "{text:?}");
    }
}
