/*
 * Streams: places, oversized frames, profiles and ids of events, and what they have in common with single frames. Prints
 * the first check that fails.
 */
#include "support.h"

static const tl_profile *const rpc = &tl_json_rpc;

/* Begins a stream with a room of 64 bytes. */
static void begin(tl_stream *stream, size_t size, const tl_framing *framing) {
  static char room[64];
  CHECK(tl_stream_init(TL_ABI, stream, size, framing, rpc, room, sizeof room) == 0);
}

/* Every event has its line, or the number of its frame. */
static void check_lines(void) {
  tl_sse_stream state;
  tl_stream *stream = &state.stream;
  tl_event event;
  tl_view input = tl_text("Content-Length: 2\r\n\r\n{}Content-Length: 9\r\n\r\n{");
  begin(stream, sizeof state, &tl_framing_content_length);
  CHECK(tl_push(stream, &input, &event) == TL_KIND_FAULT && event.line == 1);
  CHECK(tl_push(stream, &input, &event) == 0 && tl_finish(stream, &event) == TL_KIND_UNFINISHED);
  CHECK(event.line == 2 && event.length == 1);

  input = tl_text("Content-Length: 2\r\n\r\n{}Content-Length\r\n\r\n");
  begin(stream, sizeof state, &tl_framing_content_length_skimming);
  CHECK(tl_push(stream, &input, &event) == TL_KIND_FAULT);
  CHECK(tl_push(stream, &input, &event) == TL_KIND_LOST && event.line == 2);

  input = tl_text("{}\n{} ?");
  begin(stream, sizeof state, &tl_framing_concatenated);
  CHECK(tl_push(stream, &input, &event) == TL_KIND_FAULT && tl_push(stream, &input, &event) == TL_KIND_FAULT);
  CHECK(tl_push(stream, &input, &event) == TL_KIND_LOST && event.line == 3);

  input = tl_text("data: {}\n\n: a\ndata: {\n");
  begin(stream, sizeof state, &tl_framing_sse);
  CHECK(tl_push(stream, &input, &event) == TL_KIND_FAULT && event.line == 1);
  CHECK(tl_push(stream, &input, &event) == 0 && tl_finish(stream, &event) == TL_KIND_UNFINISHED && event.line == 4);
}

/* A length that is announced, and then nothing: only the end of the stream has an event. */
static void check_silence(void) {
  tl_stream stream;
  tl_event event;
  tl_view input = tl_text("Content-Length: 18446744073709551615\r\n\r\n{\"a\":");
  begin(&stream, sizeof stream, &tl_framing_content_length);
  CHECK(tl_push(&stream, &input, &event) == 0 && input.len == 0);
  CHECK(tl_finish(&stream, &event) == TL_KIND_UNFINISHED && event.length == 5 && event.line == 1);
}

static void check_oversized(void) {
  tl_skimming_stream state;
  tl_event event;
  int i;
  const char *line =
      "{\"jsonrpc\":\"2.0\",\"params\":[0,1,2,3,4,5,6,7,8,9],\"method\":\"te\\u0073t\",\"id\":\"an id\",\"more\":true}\n"
      "{\"jsonrpc\":\"2.0\",\"params\":[0,1,2,3,4,5,6,7,8,9],\"method\":[\"a\"],\"id\":\"an id\",\"more\":true}\n";
  for (i = 0; i < 2; i++) {
    tl_view input = tl_text(line);
    begin(&state.stream, sizeof state, i == 0 ? &tl_framing_lines_skimming : &tl_framing_lines);
    CHECK(tl_push(&state.stream, &input, &event) == TL_KIND_OVERSIZED && event.line == 1 && event.frame.ptr == NULL);
    if (i == 0) {
      CHECK(view_is(event.method, "\"te\\u0073t\"") && tl_text_eq(event.method, "test") && view_is(event.id, "\"an id\""));
    } else {
      CHECK(event.method.ptr == NULL && event.id.ptr == NULL);
    }
    CHECK(tl_push(&state.stream, &input, &event) == TL_KIND_OVERSIZED && event.method.ptr == NULL);
  }
}

static void check_event_ids(void) {
  tl_sse_stream state;
  tl_stream lines;
  tl_event event;
  tl_view id = tl_text("before"), input = tl_text("data: 1\n\nid: a7\ndata: 2\n\nid: b\ndata: 3");
  char text[200];
  int i;
  for (i = 0; i < 2; i++) {
    begin(&state.stream, sizeof state, i == 0 ? &tl_framing_sse : &tl_framing_sse_skimming);
    CHECK(tl_sse_last_event_id(&state.stream, &id) == 0 && id.ptr == NULL && id.len == 0);
    input = tl_text("data: 1\n\nid: a7\ndata: 2\n\nid: b\ndata: 3");
    CHECK(tl_push(&state.stream, &input, &event) > 0 && tl_sse_last_event_id(&state.stream, &id) == 0);
    CHECK(tl_push(&state.stream, &input, &event) > 0 && tl_sse_last_event_id(&state.stream, &id) == 1);
    CHECK(view_is(id, "a7"));
    CHECK(tl_push(&state.stream, &input, &event) == 0 && tl_sse_last_event_id(&state.stream, &id) == 1);
    CHECK(view_is(id, "a7") && tl_finish(&state.stream, &event) == TL_KIND_UNFINISHED);
    CHECK(tl_sse_last_event_id(&state.stream, &id) == 1 && view_is(id, "a7"));
  }
  begin(&state.stream, sizeof state, &tl_framing_sse);
  id = tl_text("a7");
  sprintf(text, "id: %0130d\ndata: 1\n\n", 7);
  input = tl_text(text);
  CHECK(tl_push(&state.stream, &input, &event) > 0);
  /* Nobody goes on with the id before. */
  CHECK(tl_sse_last_event_id(&state.stream, &id) == TL_ERROR_LENGTH && id.ptr == NULL && id.len == 0);
  CHECK(tl_sse_last_event_id(&state.stream, NULL) == TL_ERROR_NULL);
  begin(&lines, sizeof lines, &tl_framing_lines);
  CHECK(tl_sse_last_event_id(&lines, &id) == TL_ERROR_TYPE && tl_sse_last_event_id(NULL, &id) == TL_ERROR_NULL);
  memset(&lines, 0, sizeof lines);
  CHECK(tl_sse_last_event_id(&lines, &id) == TL_ERROR_STATE);
}

/* A profile applies to every frame whose event was not returned yet. */
static void check_profiles(void) {
  tl_stream stream;
  tl_event event;
  tl_view input = tl_text("{\"jsonrpc\":\"2.0\",\"method\":\"a\",");
  begin(&stream, sizeof stream, &tl_framing_lines);
  CHECK(tl_push(&stream, &input, &event) == 0 && tl_stream_set_profile(&stream, &tl_mcp_2025_11_25) == 0);
  input = tl_text("\"params\":[]}\n[7]\n");
  CHECK(tl_push(&stream, &input, &event) == TL_KIND_FAULT && event.rule == TL_RULE_PARAMS_TYPE);
  CHECK(tl_stream_set_profile(&stream, rpc) == 0 && tl_push(&stream, &input, &event) == TL_KIND_BATCH);
}

/* A single frame has the verdict that a stream gives it. */
static void check_frames(void) {
  tl_event event, untouched;
  tl_stream stream;
  tl_view none = tl_none(), line = tl_text("{\"jsonrpc\":\"2.0\",\n\"method\":\"a\"}");
  CHECK(tl_check(rpc, line, &event) == TL_KIND_NOTIFICATION);
  untouched = event;
  CHECK(tl_check_line(rpc, line, &event) == TL_ERROR_LINE && memcmp(&event, &untouched, sizeof event) == 0);
  CHECK(tl_check_line(rpc, tl_text("{}\n"), &event) == TL_ERROR_LINE);
  begin(&stream, sizeof stream, &tl_framing_lines);
  CHECK(tl_push(&stream, &line, &event) == TL_KIND_FAULT && event.rule == TL_RULE_NOT_JSON);
  /* NULL without a length is no bytes. */
  CHECK(tl_push(&stream, &none, &event) == 0 && none.ptr == NULL);
  CHECK(tl_check(rpc, none, &event) == TL_KIND_FAULT && event.rule == TL_RULE_NOT_JSON && event.length == 0);
  CHECK(tl_check_line(rpc, none, &event) == TL_KIND_FAULT && event.frame.len == 0);
}

int main(void) {
  check_lines();
  check_silence();
  check_oversized();
  check_event_ids();
  check_profiles();
  check_frames();
  return 0;
}
