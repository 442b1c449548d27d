//! The board of a host build, for trying out and testing the server.

use crate::tools::{Board, Log, SimulatedSensor};

/// The services of a host, besides the sensor and the LED.
pub trait World {
    /// As [`Board::milliseconds`].
    fn milliseconds(&self) -> u32 {
        0
    }

    /// As [`Board::log`].
    fn log(&mut self, _: Log<'_>) {}
}

/// A world where time stands still and the log is discarded.
impl World for () {}

/// A simulated sensor and LED in such a world.
#[derive(Debug)]
pub struct Host<W = ()> {
    sensor: SimulatedSensor,
    led: bool,
    world: W,
}

impl<W> Host<W> {
    /// Creates a host with the LED off.
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
