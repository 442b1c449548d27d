/*
 * The checked build: duties of the caller that the others leave to it are errors. It is linked with the library of the
 * feature `checked`. Prints the first check that fails.
 */
#include "support.h"

static const tl_profile *const rpc = &tl_json_rpc;

/* Values are JSON, without whitespace around them. */
static void check_views(void) {
  tl_view value, broken = tl_text("{\"a\":1"), padded = tl_text(" 7");
  tl_iter iter;
  char text[8];
  int64_t number;
  uint64_t positive;
  double real;
  CHECK(tl_member(broken, "a", &value) == TL_ERROR_JSON && tl_members(broken, &iter) == TL_ERROR_JSON);
  CHECK(tl_elements(tl_text("[1,"), &iter) == TL_ERROR_JSON && tl_bool(tl_text("true ")) == TL_ERROR_JSON);
  /* These have no errors, so that they can be conditions. */
  CHECK(tl_text_eq(tl_text("\"a"), "a") == 0 && tl_text_eq_n(tl_text("a"), broken) == 0);
  CHECK(tl_text_eq(tl_text("\"a\" "), "a") == 0 && tl_type_of(tl_text("x")) == TL_TYPE_ABSENT);
  CHECK(tl_type_of(padded) == TL_TYPE_ABSENT && tl_type_of(tl_text("\"x\"")) == TL_TYPE_STRING);
  CHECK(tl_text_decode(tl_text("\"\\x\""), text, sizeof text, NULL) == TL_ERROR_JSON);
  CHECK(tl_int64(padded, &number) == TL_ERROR_JSON && tl_uint64(padded, &positive) == TL_ERROR_JSON);
  CHECK(tl_double(tl_text("1."), &real) == TL_ERROR_JSON && tl_text_eq(tl_none(), "a") == 0);
  CHECK(tl_text_eq(tl_text("\"a\""), "a") == 1);
}

/* What is written is legal under the profile, and repeats no name. */
static void check_messages(void) {
  char buffer[256];
  tl_out out = tl_out_of(buffer, sizeof buffer);
  tl_writer writer;
  const tl_profile *mcp = &tl_mcp_2025_11_25, *strict = &tl_mcp_2025_11_25_strict;
  tl_view lookalike = tl_text("{\"Name\":1,\"name\":2}"), id = tl_text("1");
  CHECK(tl_write_request(&out, mcp, id, tl_text("tools/call"), lookalike) == 0);
  out.used = 0;
  CHECK(tl_write_request(&out, strict, id, tl_text("tools/call"), lookalike) == TL_ERROR_PROFILE);
  CHECK(tl_write_result(&out, mcp, id, tl_text("{\"a\":{\"b\":1,\"b\":2}}")) == TL_ERROR_REPEATED);
  CHECK(tl_begin_result(&writer, &out, mcp, id) == 0 && tl_open_object(&writer) == 0);
  CHECK(tl_key(&writer, tl_text("a")) == 0 && tl_put_null(&writer) == 0);
  CHECK(tl_key(&writer, tl_text("a")) == 0 && tl_put_null(&writer) == 0 && tl_close(&writer) == 0);
  CHECK(tl_end(&writer) == TL_ERROR_REPEATED && out.used == 0);
  CHECK(tl_begin_request(&writer, &out, strict, id, tl_text("tools/call")) == 0);
  CHECK(tl_put_json(&writer, lookalike) == 0 && tl_end(&writer) == TL_ERROR_PROFILE && out.used == 0);
  CHECK(tl_begin_batch(&out) == 0 && tl_write_result(&out, mcp, id, tl_text("{}")) == TL_ERROR_PROFILE);
  CHECK(tl_write_result(&out, rpc, id, tl_text("{}")) == 0 && tl_end_batch(&out) == 0 && out.used > 0);
}

/* A writer is moved, and not copied. */
static void check_writers(void) {
  char buffer[64];
  tl_out out = tl_out_of(buffer, sizeof buffer);
  tl_writer writer, moved;
  CHECK(tl_begin_result(&writer, &out, rpc, tl_text("1")) == 0 && tl_open_array(&writer) == 0);
  moved = writer;
  CHECK(tl_put_null(&moved) == 0 && tl_put_null(&writer) == TL_ERROR_ORDER && tl_end(&writer) == TL_ERROR_ORDER);
  CHECK(tl_close(&moved) == 0 && tl_end(&moved) == 0);
  CHECK(out_is(&out, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[null]}\n"));
}

/* A stream is moved, and not copied, and nothing else uses its room. */
static void check_streams(void) {
  char room[64];
  tl_stream stream, moved;
  tl_event event;
  tl_view first = tl_text("{\"a\":"), second = tl_text("1}\n{}\n"), inside = tl_bytes(room + 40, 2);
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, &tl_framing_lines, rpc, room, sizeof room) == 0);
  CHECK(tl_push(&stream, &first, &event) == 0);
  moved = stream;
  CHECK(tl_push(&moved, &second, &event) == TL_KIND_FAULT && tl_push(&moved, &second, &event) == TL_KIND_FAULT);
  CHECK(tl_push(&stream, &second, &event) == TL_ERROR_STATE && tl_finish(&stream, &event) == TL_ERROR_STATE);
  CHECK(tl_stream_set_profile(&stream, rpc) == TL_ERROR_STATE && tl_stream_resync(&stream) == TL_ERROR_STATE);
  CHECK(tl_push(&moved, &inside, &event) == TL_ERROR_OVERLAP);
  CHECK(tl_push(&moved, &second, &event) == 0 && tl_finish(&moved, &event) == 0);
}

/* A frame may fill the room. Then there is no place for the number, and the frame is as it was. */
static void check_full_rooms(void) {
  const char *line = "{\"jsonrpc\":\"2.0\",\"method\":\"0123456789\"}\n";
  char room[41];
  tl_stream stream;
  tl_event event;
  size_t at, size;
  for (size = strlen(line) - 1; size <= sizeof room; size++) {
    CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, &tl_framing_lines, rpc, room, size) == 0);
    for (at = 0; line[at] != '\0'; at++) {
      tl_view input = tl_bytes(line + at, 1);
      CHECK(tl_push(&stream, &input, &event) == (line[at] == '\n' ? TL_KIND_NOTIFICATION : 0));
    }
    CHECK(tl_text_eq(event.method, "0123456789") == 1);
  }
}

int main(void) {
  check_views();
  check_messages();
  check_writers();
  check_streams();
  check_full_rooms();
  return 0;
}
