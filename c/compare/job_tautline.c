#include "job.h"
#include "tautline.h"

static tl_stream stream;
static char room[ROOM], replies[REPLIES];

void job(const char *chunk, size_t length) {
  static int is_begun;
  const tl_profile *mcp = &tl_mcp_2025_11_25;
  tl_view input = tl_bytes(chunk, length);
  tl_out out = tl_out_of(replies, sizeof replies);
  tl_event event;
  if (!is_begun) {
    is_begun = tl_stream_init(TL_ABI, &stream, sizeof stream, &tl_framing_lines, mcp, room, sizeof room) == 0;
  }
  while (tl_push(&stream, &input, &event) > 0) {
    if (event.kind != TL_KIND_REQUEST) {
      tl_write_reply(&out, &event);
    } else if (tl_text_eq(event.method, "ping")) {
      tl_write_result(&out, mcp, event.id, tl_text("{}"));
    } else {
      tl_write_error(&out, mcp, event.id, -32601, tl_text("Method not found"), tl_none());
    }
    if (out.used > 0) {
      job_send(replies, out.used);
      out.used = 0;
    }
  }
}
