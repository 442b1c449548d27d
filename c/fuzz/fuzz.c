/*
 * A fuzzer of the C library, for libFuzzer. The first byte of an input chooses what is done with the rest, and the
 * second one the profile. `run` builds and runs it.
 */
#include "common.h"

#define BOTH(name) {&tl_##name, &tl_##name, &tl_##name}
#define STRICT(name) {&tl_##name##_strict, &tl_##name, &tl_##name}
#define BODIES(name) \
  {&tl_##name##_request_body, &tl_##name##_response_body, &tl_##name##_request_body}, \
  {&tl_##name##_response_body, &tl_##name##_request_body, &tl_##name##_response_body}

const pair profiles[22] = {
  BOTH(json_rpc), BODIES(json_rpc), BOTH(lsp), BOTH(mcp_2024_11_05), STRICT(mcp_2024_11_05),
  BOTH(mcp_2025_03_26), STRICT(mcp_2025_03_26), BODIES(mcp_2025_03_26),
  BOTH(mcp_2025_06_18), STRICT(mcp_2025_06_18), BODIES(mcp_2025_06_18),
  BOTH(mcp_2025_11_25), STRICT(mcp_2025_11_25), BODIES(mcp_2025_11_25),
  BOTH(mcp_2026_07_28), STRICT(mcp_2026_07_28), BODIES(mcp_2026_07_28),
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  source input = {data, size};
  uint8_t way = take(&input);
  const pair *profile = &profiles[take(&input) % 22];
  if (way < 0xA0) {
    fuzz_reading(profile, way, input);
  } else if (way < 0xF0) {
    fuzz_writing(profile, input);
  } else {
    fuzz_text(take_bytes(&input, size));
  }
  return 0;
}
