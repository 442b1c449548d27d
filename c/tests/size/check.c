/* One verdict on one frame, under one profile. */
#include "tautline.h"

const char *volatile input;
volatile size_t length;
volatile int32_t output;

void start(void) {
  tl_event event;
  output = tl_check(&tl_mcp_2025_11_25, tl_bytes(input, length), &event);
  for (;;) {
  }
}
