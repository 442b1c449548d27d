/* The same with a tool: members, a number and a text are read, and the result is written piece by piece. */
#include "tautline.h"

const char *volatile input;
volatile size_t length, output;
static tl_stream stream;
static char room[256], replies[512];

static void call(tl_out *out, const tl_event *request) {
  tl_view value;
  tl_writer writer;
  int64_t level = 0;
  char name[32] = "";
  size_t size = 0;
  if (tl_member(request->params, "name", &value) == 1) {
    (void)tl_text_decode(value, name, sizeof name, &size);
  }
  if (tl_member(request->params, "level", &value) == 1) {
    (void)tl_int64(value, &level);
  }
  (void)tl_begin_result(&writer, out, &tl_mcp_2025_11_25, request->id);
  (void)tl_open_object(&writer);
  (void)tl_key(&writer, tl_text("name"));
  (void)tl_put_text(&writer, tl_bytes(name, size));
  (void)tl_key(&writer, tl_text("level"));
  (void)tl_put_int64(&writer, level);
  (void)tl_close(&writer);
  (void)tl_end(&writer);
}

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
      } else if (tl_text_eq(event.method, "tools/call")) {
        call(&out, &event);
      } else {
        (void)tl_write_error(&out, &tl_mcp_2025_11_25, event.id, -32601, tl_text("Method not found"), tl_none());
      }
      output = out.used;
      out.used = 0;
    }
  }
}
