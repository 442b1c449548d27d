#include "start.h"

/* A word that code is unlikely to write by chance. */
#define PAINT 0x9A177ED5u

/* Set by the linker script. The stack grows down, from `stack_top` to `stack_bottom`. */
extern uint32_t stack_bottom[], stack_top[], data_start[], data_end[], bss_start[], bss_end[];
extern const uint32_t data_load[];

static void paint_stack(void) {
  /* The words below are free, but for some that this function itself may use. */
  volatile uint32_t *end = (volatile uint32_t *)__builtin_frame_address(0) - 16;
  volatile uint32_t *at;
  for (at = stack_bottom; at < end; at++) {
    *at = PAINT;
  }
}

void start(void) {
  const uint32_t *from = data_load;
  uint32_t *to;
  paint_stack();
  for (to = data_start; to < data_end; to++) {
    *to = *from++;
  }
  for (to = bss_start; to < bss_end; to++) {
    *to = 0;
  }
  (void)main();
  for (;;) {
  }
}

uint32_t start_stack_used(void) {
  const volatile uint32_t *at = stack_bottom;
  while (at < stack_top && *at == PAINT) {
    at++;
  }
  return at == stack_bottom ? 0 : (uint32_t)((uintptr_t)stack_top - (uintptr_t)at);
}
