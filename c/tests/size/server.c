/* Lines, dispatch by the method, and replies: results, errors, and those that faults are owed. */
#include "tautline.h"

const char *volatile input;
volatile size_t length, output;
static tl_stream stream;
static char room[256], replies[512];

void start(void) {
  tl_out out = tl_out_of(replies, sizeof replies);
  tl_event event;
  (void)tl_stream_init(TL_ABI, &stream, sizeof stream, &tl_framing_lines, &tl_mcp_2025_11_25, room, sizeof room);
  for (;;) {
    tl_view received = tl_bytes(input, length);
    int32_t kind;
    while ((kind = tl_push(&stream, &received, &event)) > 0) {
      if (kind != TL_KIND_REQUEST) {
        (void)tl_write_reply(&out, &event);
      } else if (tl_text_eq(event.method, "ping")) {
        (void)tl_write_result(&out, &tl_mcp_2025_11_25, event.id, tl_text("{}"));
      } else {
        (void)tl_write_error(&out, &tl_mcp_2025_11_25, event.id, -32601, tl_text("Method not found"), tl_none());
      }
      output = out.used;
      out.used = 0;
    }
  }
}
