/*
 * The board: a Stellaris LM3S6965 evaluation board, or QEMU's `lm3s6965evb`. UART0 is the wire, with 115,200 baud.
 *
 * Its start-up code is here, too: the table of vectors at the end.
 */
#include "port.h"

#include "inbox.h"
#include "sensor.h"
#include "start.h"

const char port_name[] = "lm3s6965evb";

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

/* System control. */
#define RIS REGISTER(0x400FE050u)
#define RCC REGISTER(0x400FE060u)
#define RCGC1 REGISTER(0x400FE104u)
#define RCGC2 REGISTER(0x400FE108u)

/* Ports A and F. */
#define PORT_A_AFSEL REGISTER(0x40004420u)
#define PORT_A_DEN REGISTER(0x4000451Cu)
#define PORT_F_DIR REGISTER(0x40025400u)
#define PORT_F_DEN REGISTER(0x4002551Cu)
#define LED 1u
/* The address says which of the eight pins are accessed. */
#define PORT_F_LED REGISTER(0x40025000u + (LED << 2))

/* UART0. */
#define UART_DR REGISTER(0x4000C000u)
#define UART_FR REGISTER(0x4000C018u)
#define UART_IBRD REGISTER(0x4000C024u)
#define UART_FBRD REGISTER(0x4000C028u)
#define UART_LCRH REGISTER(0x4000C02Cu)
#define UART_CTL REGISTER(0x4000C030u)
#define UART_IM REGISTER(0x4000C038u)
#define UART_IS_EMPTY (1u << 4)
#define UART_IS_BUSY (1u << 5)
/* In the data: framing, parity, break, overrun. */
#define UART_ERRORS 0xF00u
/* The interrupt for a byte that has arrived. Reading the byte clears it. */
#define UART_RECEIVED (1u << 4)
#define UART0_INTERRUPT 5

/* The core. */
#define SYST_CSR REGISTER(0xE000E010u)
#define SYST_RVR REGISTER(0xE000E014u)
#define SYST_CVR REGISTER(0xE000E018u)
#define NVIC_ISER REGISTER(0xE000E100u)

#define CLOCK_HZ 12500000u
#define TICK_MS 10u

static volatile uint32_t milliseconds;

static void disable_interrupts(void) {
  __asm__ volatile("cpsid i" : : : "memory");
}

static void enable_interrupts(void) {
  __asm__ volatile("cpsie i" : : : "memory");
}

/* The 200 MHz of the PLL, which come from the crystal of 8 MHz, divided by 16. */
static void start_clock(void) {
  const uint32_t crystal = 0xEu << 6, divide_by_16 = 0xFu << 23, bypass = 1u << 11, use_divider = 1u << 22;
  int tries;
  RCC = divide_by_16 | bypass | crystal;
  /* The PLL needs half a millisecond. If it never locks, the baud rate is wrong, but to hang here would be worse. */
  for (tries = 0; tries < 100000; tries++) {
    if (RIS & 1u << 6) {
      RCC = divide_by_16 | use_divider | crystal;
      return;
    }
  }
}

void port_start(void) {
  start_clock();
  RCGC1 |= 1; /* UART0 */
  RCGC2 |= 1u | 1u << 5; /* ports A and F */
  (void)RCGC2; /* A peripheral may be accessed three cycles after its clock is on. */
  (void)RCGC2;
  PORT_A_AFSEL |= 3; /* A0 and A1 belong to UART0. */
  PORT_A_DEN |= 3;
  PORT_F_DEN |= LED;
  PORT_F_DIR |= LED;
  /* 8 bits, no parity, and no FIFO. A client speaks as soon as it has started QEMU, and turning the FIFO on would drop
   * what it has sent. 12.5 MHz / (16 * 115,200) = 6 + 50/64. */
  UART_CTL = 0;
  UART_IBRD = 6;
  UART_FBRD = 50;
  UART_LCRH = 0x60;
  UART_CTL = 0x301;
  UART_IM = UART_RECEIVED;
  NVIC_ISER = 1u << UART0_INTERRUPT;
  SYST_RVR = CLOCK_HZ / 1000 * TICK_MS - 1;
  SYST_CVR = 0;
  SYST_CSR = 7;
}

static void on_uart0(void) {
  while (!(UART_FR & UART_IS_EMPTY)) {
    uint32_t data;
    if (inbox_is_full()) {
      /* More waits until the server has read. So does QEMU, and a host that is faster than the board needs flow
       * control. */
      UART_IM = 0;
      return;
    }
    /* After bytes that were lost or damaged, a line may look valid and mean something else. The byte 0xFF is in no
     * text, so this line will be no message. */
    data = UART_DR;
    inbox_put(data & UART_ERRORS ? 0xFF : (uint8_t)data);
  }
}

static void on_tick(void) {
  milliseconds += TICK_MS;
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
    UART_IM = UART_RECEIVED;
  }
  return length;
}

void port_write(const char *bytes, size_t length) {
  for (; length > 0; length--) {
    while (UART_FR & UART_IS_BUSY) {
    }
    UART_DR = (uint8_t)*bytes++;
  }
}

uint32_t port_milliseconds(void) {
  return milliseconds;
}

int32_t port_milli_celsius(void) {
  return sensor_milli_celsius();
}

void port_set_led(int is_on) {
  PORT_F_LED = is_on ? LED : 0;
}

int port_led(void) {
  return (PORT_F_LED & LED) != 0;
}

uint32_t port_stack_used(void) {
  return start_stack_used();
}

/* ---- The table of vectors ------------------------------------------------------------------- */

/* A stack that overflows leaves the memory, which ends here. A product has a watchdog. */
static void on_fault(void) {
  for (;;) {
  }
}

extern uint32_t stack_top[];

/* An entry of the table: the core reads the first as the stack pointer, and the others as functions. */
typedef union entry {
  uint32_t *stack;
  void (*handler)(void);
} entry;

extern const entry vectors[];

__attribute__((section(".vectors"), used)) const entry vectors[16 + UART0_INTERRUPT + 1] = {
    [0] = {.stack = stack_top},
    [1] = {.handler = start},
    [2] = {.handler = on_fault},
    [3] = {.handler = on_fault},
    [4] = {.handler = on_fault},
    [5] = {.handler = on_fault},
    [6] = {.handler = on_fault},
    [15] = {.handler = on_tick},
    [16 + UART0_INTERRUPT] = {.handler = on_uart0},
};
