/*
 * The board: QEMU's `virt` with a 32-bit RISC-V core. Its UART, a 16550, is the wire. In place of an LED it has the
 * first output of the UART.
 *
 * Its start-up code is here, too: `_start` at the end.
 */
#include "port.h"

#include "inbox.h"
#include "sensor.h"
#include "start.h"

const char port_name[] = "riscv32-virt";

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define REGISTER_8(address) (*(volatile uint8_t *)(uintptr_t)(address))

/* The UART. */
#define UART_DATA REGISTER_8(0x10000000u)
#define UART_IER REGISTER_8(0x10000001u)
#define UART_LCR REGISTER_8(0x10000003u)
#define UART_MCR REGISTER_8(0x10000004u)
#define UART_LSR REGISTER_8(0x10000005u)
#define UART_HAS_DATA 1u
/* Overrun, parity, framing, break. */
#define UART_ERRORS 0x1Eu
#define UART_IS_READY (1u << 5)
#define UART_RECEIVED 1u
#define LED (1u << 2)
#define UART_INTERRUPT 10u

/* The controller of interrupts, with the first context of the first core. */
#define PLIC_PRIORITY REGISTER(0x0C000000u + 4 * UART_INTERRUPT)
#define PLIC_ENABLE REGISTER(0x0C002000u)
#define PLIC_THRESHOLD REGISTER(0x0C200000u)
#define PLIC_CLAIM REGISTER(0x0C200004u)

/* The timer, which counts at 10 MHz. */
#define MTIMECMP_LOW REGISTER(0x02004000u)
#define MTIMECMP_HIGH REGISTER(0x02004004u)
#define MTIME_LOW REGISTER(0x0200BFF8u)
#define MTIME_HIGH REGISTER(0x0200BFFCu)
#define TICK_MS 10u
#define TICK (10000u * TICK_MS)

/* Of `mstatus`, `mie` and `mcause`. */
#define MSTATUS_MIE "8"
#define MIE_TIMER_AND_EXTERNAL 0x880u
#define CAUSE_TIMER 0x80000007u
#define CAUSE_EXTERNAL 0x8000000Bu

static volatile uint32_t milliseconds;
static uint64_t next_tick;

static void disable_interrupts(void) {
  __asm__ volatile("csrci mstatus, " MSTATUS_MIE : : : "memory");
}

static void enable_interrupts(void) {
  __asm__ volatile("csrsi mstatus, " MSTATUS_MIE : : : "memory");
}

static uint64_t read_time(void) {
  uint32_t high, low;
  do {
    high = MTIME_HIGH;
    low = MTIME_LOW;
  } while (high != MTIME_HIGH);
  return (uint64_t)high << 32 | low;
}

static void set_next_tick(void) {
  /* No value in between may be in the past. */
  MTIMECMP_HIGH = UINT32_MAX;
  MTIMECMP_LOW = (uint32_t)next_tick;
  MTIMECMP_HIGH = (uint32_t)(next_tick >> 32);
}

static void on_uart(void) {
  uint8_t status;
  while ((status = UART_LSR) & UART_HAS_DATA) {
    uint8_t byte;
    if (inbox_is_full()) {
      /* More waits until the server has read. So does QEMU, and a host that is faster than the board needs flow
       * control. */
      UART_IER = 0;
      return;
    }
    /* After bytes that were lost or damaged, a line may look valid and mean something else. The byte 0xFF is in no
     * text, so this line will be no message. */
    byte = UART_DATA;
    inbox_put(status & UART_ERRORS ? 0xFF : byte);
  }
}

__attribute__((interrupt("machine"), aligned(4))) static void on_trap(void) {
  uint32_t cause;
  __asm__ volatile("csrr %0, mcause" : "=r"(cause));
  if (cause == CAUSE_TIMER) {
    milliseconds += TICK_MS;
    next_tick += TICK;
    set_next_tick();
  } else if (cause == CAUSE_EXTERNAL) {
    uint32_t source = PLIC_CLAIM;
    if (source == UART_INTERRUPT) {
      on_uart();
    }
    PLIC_CLAIM = source;
  } else {
    for (;;) { /* A fault. A product has a watchdog. */
    }
  }
}

void port_start(void) {
  __asm__ volatile("csrw mtvec, %0" : : "r"(on_trap));
  /* 8 bits, no parity, and no FIFO. A client speaks as soon as it has started QEMU, and turning the FIFO on would drop
   * what it has sent. QEMU has no baud rate. */
  UART_LCR = 3;
  UART_IER = UART_RECEIVED;
  PLIC_PRIORITY = 1;
  PLIC_ENABLE = 1u << UART_INTERRUPT;
  PLIC_THRESHOLD = 0;
  next_tick = read_time() + TICK;
  set_next_tick();
  __asm__ volatile("csrs mie, %0" : : "r"(MIE_TIMER_AND_EXTERNAL));
  enable_interrupts();
}

size_t port_read(char *bytes, size_t size) {
  size_t length;
  /* An interrupt between the check and the sleep would be missed. While they are disabled, one still ends the sleep. */
  disable_interrupts();
  if (inbox_is_empty()) {
    __asm__ volatile("wfi" : : : "memory");
  }
  enable_interrupts();
  length = inbox_take(bytes, size);
  /* The interrupt is masked only while the ring is full. Now it is not. */
  if (length > 0) {
    UART_IER = UART_RECEIVED;
  }
  return length;
}

void port_write(const char *bytes, size_t length) {
  for (; length > 0; length--) {
    while (!(UART_LSR & UART_IS_READY)) {
    }
    UART_DATA = (uint8_t)*bytes++;
  }
}

uint32_t port_milliseconds(void) {
  return milliseconds;
}

int32_t port_milli_celsius(void) {
  return sensor_milli_celsius();
}

void port_set_led(int is_on) {
  UART_MCR = is_on ? LED : 0;
}

int port_led(void) {
  return (UART_MCR & LED) != 0;
}

uint32_t port_stack_used(void) {
  return start_stack_used();
}

/* ---- The first instructions ----------------------------------------------------------------- */

__asm__(
    ".section .vectors, \"ax\"\n"
    ".globl _start\n"
    "_start:\n"
    "  la sp, stack_top\n"
    "  tail start\n"
    ".text\n");
