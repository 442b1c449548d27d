//! What the board can do for a model: its tools, and the resource that says how it is.
//!
//! Nothing here knows of MCP but the [list](LIST) of the tools. A tool takes its arguments, does something with
//! the [`Board`], and says what came of it.

use core::num::NonZeroU8;

use serde::Deserialize;
use tautline::encode::EncodeError;
use tautline::frame::Oversized;
use tautline::{Fault, Finding, RawJson, RawStr};

/// What the tools need of a board. Whoever ports the server writes this anew, and a way to move bytes.
pub trait Board {
    /// Its name, for people.
    const NAME: &'static str;

    /// The temperature, in thousandths of a degree: a float would cost more flash than all the tools.
    fn milli_celsius(&mut self) -> i32;

    /// Switches the LED.
    fn set_led(&mut self, on: bool);

    /// Whether the LED is on, as its register says.
    fn led(&self) -> bool;

    /// How long it has been running. It wraps around.
    fn milliseconds(&self) -> u32;

    /// How many bytes of the stack were in use at most; `None` where nobody knows.
    fn stack_used(&self) -> Option<u32>;

    /// Takes a line for the log, which must go elsewhere than over the wire.
    fn log(&mut self, line: Log<'_>);
}

/// What is worth a line in the log.
#[derive(Clone, Copy, Debug)]
pub enum Log<'a> {
    /// A tool is called.
    Call(RawStr<'a>),
    /// A line is no message.
    Fault(Fault),
    /// A line is too long.
    Oversized(Oversized),
    /// A message is wrong or odd in its place.
    Finding(Finding),
    /// An answer could not be written.
    NotWritten(EncodeError),
}

/// The answer to `tools/list`, as it would be read. It is validated before it is sent, as all that is written by
/// hand, and by the parser that is there anyway.
pub const LIST: &[u8] = br#"{"jsonrpc":"2.0","id":0,"result":{"tools":[
{"name":"read_temperature","description":"Reads the temperature sensor","inputSchema":{"type":"object"}},
{"name":"sample_temperature","description":"Reads the sensor several times and reports progress",
"inputSchema":{"type":"object","properties":{"count":{"type":"integer","minimum":1,"maximum":255},
"interval_ms":{"type":"integer","minimum":0,"maximum":65535}},"required":["count"]}},
{"name":"set_led","description":"Switches the LED","inputSchema":{"type":"object",
"properties":{"on":{"type":"boolean"}},"required":["on"]}},
{"name":"read_led","description":"Reads the register of the LED","inputSchema":{"type":"object"}},
{"name":"echo","description":"Gives text back","inputSchema":{"type":"object",
"properties":{"text":{"type":"string"}},"required":["text"]}}
]}}"#;

/// What came of a call.
#[derive(Debug)]
pub enum Done<'a> {
    /// The tool has something to say.
    Text(Text),
    /// It says what it was told, escapes and all.
    Echo(RawStr<'a>),
    /// It failed. That is a result as well, for the model to read.
    Failed(&'static str),
    /// It will be done later.
    Sampling(Sampling),
}

/// Text that a tool puts together.
pub type Text = heapless::String<64>;

#[derive(Deserialize)]
struct SetLed {
    on: bool,
}

#[derive(Deserialize)]
struct Sample {
    count: NonZeroU8,
    #[serde(default)]
    interval_ms: u16,
}

/// Calls the tool of this name; `None` if there is none.
pub fn call<'a>(
    board: &mut impl Board,
    name: RawStr<'a>,
    arguments: Option<RawJson<'a>>,
) -> Option<Done<'a>> {
    board.log(Log::Call(name));
    let done = if name == "read_temperature" {
        temperature(board.milli_celsius())
    } else if name == "set_led" {
        match read::<SetLed>(arguments) {
            Some(SetLed { on }) => {
                board.set_led(on);
                led(board)
            }
            None => Done::Failed("on must be true or false"),
        }
    } else if name == "read_led" {
        led(board)
    } else if name == "echo" {
        // The text goes back as it came, so it needs no room, and may be as long as a frame.
        let text = arguments.and_then(|arguments| arguments.member("text")?.string());
        text.map_or(Done::Failed("text must be a string"), Done::Echo)
    } else if name == "sample_temperature" {
        match read::<Sample>(arguments) {
            Some(sample) => Done::Sampling(Sampling::new(&sample, board.milliseconds())),
            None => Done::Failed("count must be 1 to 255, and interval_ms 0 to 65535"),
        }
    } else {
        return None;
    };
    Some(done)
}

/// The arguments as a type. Unknown ones are ignored.
fn read<'a, T: Deserialize<'a>>(arguments: Option<RawJson<'a>>) -> Option<T> {
    // Names with escapes in them are decoded here. Those that are longer are none of ours, but are refused.
    let mut scratch = [0; 32];
    arguments?.deserialize_core(MAX_DEPTH, &mut scratch).ok()
}

/// serde-json-core recurses, once for every container. This bounds the stack.
const MAX_DEPTH: u8 = 4;

fn temperature(milli_celsius: i32) -> Done<'static> {
    let mut text = Text::new();
    let written = push_degrees(&mut text, milli_celsius);
    finished(text, written)
}

fn led(board: &impl Board) -> Done<'static> {
    let mut text = Text::new();
    let written = push(&mut text, if board.led() { "The LED is on." } else { "The LED is off." });
    finished(text, written)
}

fn finished(text: Text, written: Option<()>) -> Done<'static> {
    written.map_or(Done::Failed("the text is too long"), |()| Done::Text(text))
}

/// Readings that are taken one by one, while the board does other things.
#[derive(Debug)]
pub struct Sampling {
    count: u8,
    taken: u8,
    interval_ms: u32,
    /// When the last one was taken.
    last_at: u32,
    lowest: i32,
    highest: i32,
    sum: i32,
}

impl Sampling {
    fn new(sample: &Sample, now: u32) -> Self {
        Self {
            count: sample.count.get(),
            taken: 0,
            interval_ms: sample.interval_ms.into(),
            last_at: now,
            lowest: i32::MAX,
            highest: i32::MIN,
            sum: 0,
        }
    }

    /// How many readings there are to take.
    #[must_use]
    pub const fn count(&self) -> u8 {
        self.count
    }

    /// Takes a reading if it is time to, and says how many there are then.
    pub fn step(&mut self, board: &mut impl Board) -> Option<u8> {
        let now = board.milliseconds();
        if now.wrapping_sub(self.last_at) < self.interval_ms {
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

    /// What came of it, once all readings were taken.
    #[must_use]
    pub fn finish(&self) -> Option<Done<'static>> {
        if self.taken < self.count {
            return None;
        }
        let mean = self.sum.checked_div(self.taken.into())?;
        let mut text = Text::new();
        let written = push_degrees(&mut text, mean)
            .and_then(|()| push(&mut text, ", from "))
            .and_then(|()| push_degrees(&mut text, self.lowest))
            .and_then(|()| push(&mut text, " to "))
            .and_then(|()| push_degrees(&mut text, self.highest));
        Some(finished(text, written))
    }
}

/// What the server has counted since the board was started. Each wraps around.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Lines that came, but blank ones: messages, faults and oversized ones together.
    pub frames: u32,
    /// Lines that were messages.
    pub messages: u32,
    /// Lines that were none.
    pub faults: u32,
    /// Lines that were too long.
    pub oversized: u32,
    /// Lines that were sent.
    pub sent: u32,
}

/// Where the resource is found.
pub const INFO: &str = "board://info";

/// The text of the resource, which is JSON.
#[must_use]
pub fn info(board: &impl Board, counters: &Counters) -> Option<heapless::String<192>> {
    let mut text = heapless::String::new();
    push(&mut text, "{\"board\":\"")?;
    push(&mut text, board_name(board))?;
    push(&mut text, "\"")?;
    let figures = [
        ("uptimeMs", Some(board.milliseconds())),
        ("stackBytes", board.stack_used()),
        ("frames", Some(counters.frames)),
        ("messages", Some(counters.messages)),
        ("faults", Some(counters.faults)),
        ("oversized", Some(counters.oversized)),
        ("sent", Some(counters.sent)),
    ];
    for (name, figure) in figures {
        push(&mut text, ",\"")?;
        push(&mut text, name)?;
        push(&mut text, "\":")?;
        match figure {
            Some(figure) => push_digits(&mut text, figure, 1)?,
            None => push(&mut text, "null")?,
        }
    }
    push(&mut text, "}")?;
    Some(text)
}

const fn board_name<B: Board>(_: &B) -> &'static str {
    B::NAME
}

fn push<const N: usize>(text: &mut heapless::String<N>, more: &str) -> Option<()> {
    text.push_str(more).ok()
}

fn push_degrees<const N: usize>(text: &mut heapless::String<N>, milli: i32) -> Option<()> {
    if milli < 0 {
        push(text, "-")?;
    }
    let milli = milli.unsigned_abs();
    push_digits(text, milli / 1000, 1)?;
    push(text, ".")?;
    push_digits(text, milli % 1000, 3)?;
    push(text, " °C")
}

/// At least so many digits. `core::fmt` would do the same, and bring its panics.
fn push_digits<const N: usize>(
    text: &mut heapless::String<N>,
    value: u32,
    least: usize,
) -> Option<()> {
    let mut digits = [0; 10];
    let mut rest = value;
    for digit in digits.iter_mut().rev() {
        *digit = rest % 10;
        rest /= 10;
    }
    let mut begun = false;
    for (at, digit) in digits.iter().enumerate() {
        begun |= *digit > 0 || at.saturating_add(least) >= digits.len();
        if begun {
            text.push(char::from_digit(*digit, 10)?).ok()?;
        }
    }
    Some(())
}

/// A sensor for boards that have none: it drifts around 21 °C.
#[derive(Debug)]
pub struct SimulatedSensor {
    noise: u32,
}

impl SimulatedSensor {
    /// A sensor, which always tells the same story.
    #[must_use]
    pub const fn new() -> Self {
        Self { noise: 0x2545_F491 }
    }

    /// In thousandths of a degree.
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
    use super::{Text, push_degrees, push_digits};

    #[test]
    fn numbers_are_written_in_full() {
        for value in [0, 1, 9, 10, 99, 100, 4_294_967_295] {
            let mut text = Text::new();
            push_digits(&mut text, value, 1).unwrap();
            assert_eq!(text.as_str(), value.to_string());
        }
        for (milli, expected) in [(0, "0.000 °C"), (-1, "-0.001 °C"), (21_050, "21.050 °C")] {
            let mut text = Text::new();
            push_degrees(&mut text, milli).unwrap();
            assert_eq!(text.as_str(), expected);
        }
    }
}
