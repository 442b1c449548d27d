//! The board: a Stellaris LM3S6965 evaluation board, or QEMU's `lm3s6965evb`.
//!
//! All register accesses are in this file: the clock, UART0 (the wire), UART1 (the log), the LED and a timer. A port
//! to another board replaces it and keeps the [names](start).

use core::convert::Infallible;
use core::fmt;
use core::ptr;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use cortex_m::interrupt;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{NVIC, SYST};
use cortex_m_rt::exception;
use embedded_io::{ErrorKind, ErrorType, Read, Write};
use tautline::Rule;
use tautline::encode::EncodeError;

use crate::paint;
use crate::tools::{self, Log, SimulatedSensor};

/// The peripherals that the program works with.
pub struct Peripherals {
    /// Bytes from the client.
    pub receiver: Receiver,
    /// Bytes to the client.
    pub sender: Sender,
    /// Everything else.
    pub board: Board,
}

/// Starts the board. Must be called once, before anything else.
pub fn start() -> Peripherals {
    // Before any interrupt is enabled: a handler would use the stack while it is painted.
    paint::paint();
    start_clock();
    // UART0, UART1; ports A, D and F.
    RCGC1.set_bits(0b11);
    RCGC2.set_bits(0b10_1001);
    // A peripheral may be accessed three cycles after its clock is enabled.
    cortex_m::asm::delay(3);
    // The pins: receive and transmit of UART0 are A0 and A1, those of UART1 D2 and D3, the LED is F0.
    PORT_A.give_to_uart(0b11);
    PORT_D.give_to_uart(0b1100);
    PORT_F.at(GPIO_DEN).set_bits(LED);
    PORT_F.at(GPIO_DIR).set_bits(LED);
    UART0.start();
    UART1.start();
    UART0.at(UART_IM).write(RECEIVED);

    // SAFETY: the interrupt shares only atomics with the rest of the program, and registers that the rest changes
    // only while interrupts are off.
    unsafe { NVIC::unmask(Uart0Interrupt) };

    // SAFETY: this function is called once, and nothing else uses the timer.
    let mut timer: SYST = unsafe { cortex_m::Peripherals::steal() }.SYST;
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(CLOCK_HZ / 1000 * TICK_MS - 1);
    timer.clear_current();
    timer.enable_counter();
    timer.enable_interrupt();

    defmt::info!("{=str} is up", <Board as tools::Board>::NAME);
    Peripherals {
        receiver: Receiver(()),
        sender: Sender(()),
        board: Board { sensor: SimulatedSensor::new() },
    }
}

/// The PLL's 200 MHz, made from the 8 MHz crystal, divided to 12.5 MHz.
const CLOCK_HZ: u32 = 12_500_000;

fn start_clock() {
    const USE_DIVIDER: u32 = 1 << 22;
    const BYPASS: u32 = 1 << 11;
    const CRYSTAL_8_MHZ: u32 = 0xE << 6;
    const DIVIDE_BY_16: u32 = 0xF << 23;
    const LOCKED: u32 = 1 << 6;
    RCC.write(DIVIDE_BY_16 | BYPASS | CRYSTAL_8_MHZ);
    // The PLL needs half a millisecond to lock. If it never does, the clock stays the crystal's and the baud rate is
    // wrong, but hanging here would be worse.
    if (0..100_000).any(|_| RIS.read() & LOCKED != 0) {
        RCC.write(DIVIDE_BY_16 | USE_DIVIDER | CRYSTAL_8_MHZ);
    }
}

// ---- The wire -----------------------------------------------------------------------------------

/// Received bytes that have not been read yet. At 115,200 baud it fills in 22 ms.
static INBOX: Inbox = Inbox {
    bytes: [const { AtomicU8::new(0) }; 256],
    first: AtomicU8::new(0),
    end: AtomicU8::new(0),
};

/// A ring buffer, filled by the interrupt and emptied by the rest of the program. The positions wrap around with the
/// array. One place stays free, to tell a full buffer from an empty one.
struct Inbox {
    bytes: [AtomicU8; 256],
    first: AtomicU8,
    end: AtomicU8,
}

impl Inbox {
    fn is_empty(&self) -> bool {
        self.first.load(Ordering::Relaxed) == self.end.load(Ordering::Acquire)
    }

    fn is_full(&self) -> bool {
        self.end.load(Ordering::Relaxed).wrapping_add(1) == self.first.load(Ordering::Acquire)
    }

    /// Must be called by the interrupt only, and only if the inbox is not full.
    fn put(&self, byte: u8) {
        let end = self.end.load(Ordering::Relaxed);
        if let Some(place) = self.bytes.get(usize::from(end)) {
            place.store(byte, Ordering::Relaxed);
        }
        self.end.store(end.wrapping_add(1), Ordering::Release);
    }

    fn take(&self) -> Option<u8> {
        if self.is_empty() {
            return None;
        }
        let first = self.first.load(Ordering::Relaxed);
        let byte = self.bytes.get(usize::from(first))?.load(Ordering::Relaxed);
        self.first.store(first.wrapping_add(1), Ordering::Release);
        Some(byte)
    }
}

/// Bytes from the client, in order of arrival.
pub struct Receiver(());

/// Nothing has arrived since the last tick. The next read waits for the next tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idle;

impl fmt::Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing has come")
    }
}

impl core::error::Error for Idle {}

impl embedded_io::Error for Idle {
    fn kind(&self) -> ErrorKind {
        ErrorKind::TimedOut
    }
}

impl ErrorType for Receiver {
    type Error = Idle;
}

impl Read for Receiver {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, Idle> {
        wait_for_bytes();
        let mut read = 0;
        for place in room {
            let Some(byte) = INBOX.take() else { break };
            *place = byte;
            read += 1;
        }
        // The interrupt masks itself only while the inbox is full, so unmasking it whenever the inbox is empty is
        // enough. The next byte then ends the sleep.
        interrupt::free(|_| UART0.at(UART_IM).set_bits(RECEIVED));
        if read == 0 { Err(Idle) } else { Ok(read) }
    }
}

/// Sleeps until the next interrupt, unless bytes are available.
fn wait_for_bytes() {
    // An interrupt between the check and the sleep would be missed. With interrupts off, a pending one still ends the
    // sleep.
    interrupt::free(|_| {
        if INBOX.is_empty() {
            cortex_m::asm::wfi();
        }
    });
}

/// Bytes to the client.
pub struct Sender(());

impl ErrorType for Sender {
    type Error = Infallible;
}

impl Write for Sender {
    /// Writes one byte once the previous one is sent, after 87 µs at most. Sleeping instead would take another
    /// interrupt, and code to tell the two apart.
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let Some(byte) = bytes.first() else { return Ok(0) };
        UART0.send(*byte);
        Ok(1)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// All other interrupts of the chip. Only UART0's is enabled.
#[exception]
unsafe fn DefaultHandler(_number: i16) {
    while !UART0.is_empty() {
        if INBOX.is_full() {
            // Later bytes wait until the reader makes room. QEMU waits as well; a host that is faster than the board
            // needs flow control.
            UART0.at(UART_IM).clear_bits(RECEIVED);
            break;
        }
        // After lost or damaged bytes, the line may look valid and mean something else. This byte is invalid in any
        // text, so the line is rejected.
        let [byte, errors, ..] = UART0.at(UART_DR).read().to_le_bytes();
        INBOX.put(if errors & RECEIVE_ERRORS == 0 { byte } else { 0xFF });
    }
}

#[derive(Clone, Copy)]
struct Uart0Interrupt;

// SAFETY: it is interrupt 5 (LM3S6965 data sheet, table 2-9), and the type has no other value.
unsafe impl cortex_m::interrupt::InterruptNumber for Uart0Interrupt {
    fn number(self) -> u16 {
        5
    }
}

// ---- Time ---------------------------------------------------------------------------------------

const TICK_MS: u32 = 10;

static MILLISECONDS: AtomicU32 = AtomicU32::new(0);

#[exception]
fn SysTick() {
    let now = MILLISECONDS.load(Ordering::Relaxed);
    // Nothing else writes it.
    MILLISECONDS.store(now.wrapping_add(TICK_MS), Ordering::Relaxed);
}

// ---- The rest -----------------------------------------------------------------------------------

/// The sensor, the LED, the clock and the log.
pub struct Board {
    sensor: SimulatedSensor,
}

impl tools::Board for Board {
    const NAME: &'static str = "lm3s6965evb";

    fn milli_celsius(&mut self) -> i32 {
        self.sensor.milli_celsius()
    }

    fn set_led(&mut self, on: bool) {
        PORT_F.at(GPIO_DATA_OF_LED).write(if on { LED } else { 0 });
    }

    fn led(&self) -> bool {
        PORT_F.at(GPIO_DATA_OF_LED).read() & LED != 0
    }

    fn milliseconds(&self) -> u32 {
        MILLISECONDS.load(Ordering::Relaxed)
    }

    fn stack_used(&self) -> Option<u32> {
        paint::deepest()
    }

    // Inlined, so that each caller, which logs a known kind, compiles to one of these calls.
    #[inline(always)]
    fn log(&mut self, line: Log<'_>) {
        match line {
            Log::Call(tool) => log_call(tool.escaped_bytes()),
            Log::Wrong(rule, offset) => log_wrong(rule, offset),
            Log::NotWritten(error) => log_not_written(error),
        }
    }
}

#[inline(never)]
fn log_call(tool: &[u8]) {
    // `{}` of the name would also show the length of a truncated one, for 118 bytes of flash.
    defmt::info!("tool {=[u8]:a}", tool.get(..64).unwrap_or(tool));
}

#[inline(never)]
fn log_wrong(rule: Rule, offset: u32) {
    // The host can look the number up, and names would be a table of addresses: 400 bytes of flash.
    defmt::warn!("rule {=u16} at byte {=u32}", rule.number(), offset);
}

#[inline(never)]
fn log_not_written(error: EncodeError) {
    defmt::error!("not written: {}", error);
}

defmt::timestamp!("{=u32:ms}", MILLISECONDS.load(Ordering::Relaxed));

/// The log: `defmt` over UART1, so that the wire carries only the protocol.
#[defmt::global_logger]
struct Uart1Log;

static mut ENCODER: defmt::Encoder = defmt::Encoder::new();

/// Interrupt handlers don't log, so two lines are never written at once. Interrupts can stay on, so no received byte
/// is lost while a line is written.
// SAFETY: for that reason, each call has exclusive access to the encoder.
unsafe impl defmt::Logger for Uart1Log {
    fn acquire() {
        // SAFETY: see above.
        unsafe { (*(&raw mut ENCODER)).start_frame(log) }
    }

    unsafe fn flush() {}

    unsafe fn release() {
        // SAFETY: see above.
        unsafe { (*(&raw mut ENCODER)).end_frame(log) }
    }

    unsafe fn write(bytes: &[u8]) {
        // SAFETY: see above.
        unsafe { (*(&raw mut ENCODER)).write(bytes, log) }
    }
}

fn log(bytes: &[u8]) {
    for byte in bytes {
        UART1.send(*byte);
    }
}

// ---- Registers ----------------------------------------------------------------------------------

const RIS: Register = Register(0x400F_E050);
const RCC: Register = Register(0x400F_E060);
const RCGC1: Register = Register(0x400F_E104);
const RCGC2: Register = Register(0x400F_E108);

const PORT_A: Block = Block(0x4000_4000);
const PORT_D: Block = Block(0x4000_7000);
const PORT_F: Block = Block(0x4002_5000);
const GPIO_DIR: u32 = 0x400;
const GPIO_AFSEL: u32 = 0x420;
const GPIO_DEN: u32 = 0x51C;
const LED: u32 = 1;
/// The address selects which of the eight pins are accessed.
const GPIO_DATA_OF_LED: u32 = LED << 2;

const UART0: Block = Block(0x4000_C000);
const UART1: Block = Block(0x4000_D000);
const UART_DR: u32 = 0x00;
/// In the second byte of the data: framing, parity, break, overrun.
const RECEIVE_ERRORS: u8 = 0xF;
const UART_FR: u32 = 0x18;
const UART_IBRD: u32 = 0x24;
const UART_FBRD: u32 = 0x28;
const UART_LCRH: u32 = 0x2C;
const UART_CTL: u32 = 0x30;
const UART_IM: u32 = 0x38;
/// The interrupt for a received byte. Reading the byte clears it.
const RECEIVED: u32 = 1 << 4;

/// A peripheral, by its address.
#[derive(Clone, Copy)]
struct Block(u32);

impl Block {
    const fn at(self, offset: u32) -> Register {
        Register(self.0 + offset)
    }

    /// For a UART: 115,200 baud, 8 bits, no parity, one stop bit, and no FIFO. A client speaks as soon as it has
    /// started QEMU, and enabling the FIFO would drop what it has already sent.
    fn start(self) {
        self.at(UART_CTL).write(0);
        // 12.5 MHz / (16 · 115,200) = 6 + 50/64
        self.at(UART_IBRD).write(6);
        self.at(UART_FBRD).write(50);
        self.at(UART_LCRH).write(0b110_0000);
        self.at(UART_CTL).write(0b11_0000_0001);
    }

    /// For a UART.
    fn is_empty(self) -> bool {
        self.at(UART_FR).read() & 1 << 4 != 0
    }

    /// For a UART: waits for room, then sends the byte.
    fn send(self, byte: u8) {
        while self.at(UART_FR).read() & 1 << 5 != 0 {}
        self.at(UART_DR).write(byte.into());
    }

    /// For a port.
    fn give_to_uart(self, pins: u32) {
        self.at(GPIO_AFSEL).set_bits(pins);
        self.at(GPIO_DEN).set_bits(pins);
    }
}

/// A register, by its address.
#[derive(Clone, Copy)]
struct Register(u32);

impl Register {
    fn read(self) -> u32 {
        // SAFETY: the address is one of the constants above, which are registers of the chip.
        unsafe { ptr::with_exposed_provenance::<u32>(self.0 as usize).read_volatile() }
    }

    fn write(self, value: u32) {
        // SAFETY: as above. No register written here lets hardware write to memory.
        unsafe { ptr::with_exposed_provenance_mut::<u32>(self.0 as usize).write_volatile(value) }
    }

    fn set_bits(self, bits: u32) {
        self.write(self.read() | bits);
    }

    fn clear_bits(self, bits: u32) {
        self.write(self.read() & !bits);
    }
}
