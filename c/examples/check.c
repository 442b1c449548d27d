/*
 * Checks lines of JSON-RPC: prints each line that is not a message, and the reply that its sender is owed.
 *
 *   check [profile] < session.ndjson
 *
 * The profile is `json-rpc`, `lsp`, or a revision of MCP, such as the default `2025-11-25`.
 */
#include "tautline.h"

#include <stdio.h>

static char room[1 << 20]; /* The longest line that may arrive in several pieces. */
static char reply[(1 << 20) + 200];

static void print(const tl_event *event) {
  tl_view name = tl_rule_name(event->rule), summary = tl_rule_summary(event->rule);
  tl_out out = tl_out_of(reply, sizeof reply);
  if (event->syntax != 0) {
    summary = tl_syntax_description(event->syntax);
  }
  printf("line %llu, byte %lu: %.*s: %.*s\n", (unsigned long long)event->line, (unsigned long)event->place,
         (int)name.len, name.ptr, (int)summary.len, summary.ptr);
  if (tl_write_reply(&out, event) == 0) {
    printf("%.*s", (int)out.used, out.ptr);
  }
}

int main(int argc, char **argv) {
  static tl_skimming_stream state;
  static char chunk[1 << 16];
  const tl_profile *profile = tl_profile_named(argc > 1 ? argv[1] : "2025-11-25");
  unsigned long messages = 0, faults = 0;
  tl_event event;
  size_t length;
  int32_t kind;
  if (profile == NULL || argc > 2) {
    fprintf(stderr, "usage: %s [profile]\n", argv[0]);
    return 2;
  }
  if (tl_stream_init(TL_ABI, &state.stream, sizeof state, &tl_framing_lines_skimming, profile, room, sizeof room) !=
      0) {
    return 2;
  }
  do {
    tl_view input;
    length = fread(chunk, 1, sizeof chunk, stdin);
    input = tl_bytes(chunk, length);
    while ((kind = length > 0 ? tl_push(&state.stream, &input, &event) : tl_finish(&state.stream, &event)) > 0) {
      if (kind == TL_KIND_FAULT || kind == TL_KIND_OVERSIZED) {
        print(&event);
        faults++;
      } else {
        messages++;
      }
    }
  } while (length > 0);
  printf("%lu messages, %lu faults\n", messages, faults);
  return faults > 0;
}
