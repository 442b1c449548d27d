//! A board that is none: what the server runs on where it is built for a host, to be tried out and tested.

use crate::tools::{Board, Log, SimulatedSensor};

/// What a host is to the server, beside the sensor and the LED that all have.
pub trait World {
    /// As [`Board::milliseconds`].
    fn milliseconds(&self) -> u32 {
        0
    }

    /// As [`Board::log`].
    fn log(&mut self, _: Log<'_>) {}
}

/// A world in which time stands still and nobody reads the log.
impl World for () {}

/// A sensor and an LED in such a world.
#[derive(Debug)]
pub struct Host<W = ()> {
    sensor: SimulatedSensor,
    led: bool,
    world: W,
}

impl<W> Host<W> {
    /// With the LED off.
    pub const fn new(world: W) -> Self {
        Self { sensor: SimulatedSensor::new(), led: false, world }
    }
}

impl<W: World> Board for Host<W> {
    const NAME: &'static str = "host";

    fn milli_celsius(&mut self) -> i32 {
        self.sensor.milli_celsius()
    }

    fn set_led(&mut self, on: bool) {
        self.led = on;
    }

    fn led(&self) -> bool {
        self.led
    }

    fn milliseconds(&self) -> u32 {
        self.world.milliseconds()
    }

    fn stack_used(&self) -> Option<u32> {
        None
    }

    fn log(&mut self, line: Log<'_>) {
        self.world.log(line);
    }
}
