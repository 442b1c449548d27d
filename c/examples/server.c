/*
 * An MCP server on stdin and stdout, with one tool: `add`, which adds two integers. It speaks the revision 2025-11-25,
 * and 2025-03-26, which has batches, to clients that ask for it. It has no heap. Every request is answered, however
 * broken, and nothing else is.
 */
#include "tautline.h"

#include <stdio.h>

/* What is legal. The handshake decides. */
static const tl_profile *profile = &tl_mcp_2025_11_25;

#define CAPABILITIES(revision)                                        \
  "{\"protocolVersion\":\"" revision                                 \
  "\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"adder\",\"version\":\"1.0.0\"}}"

static const char tools[] =
    "{\"tools\":[{\"name\":\"add\",\"description\":\"Adds two integers\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}},\"required\":[\"a\",\"b\"]}}]}";

/* Reads an integer that is a member of an object. */
static int integer(tl_view object, const char *name, int64_t *number) {
  tl_view value;
  return tl_member(object, name, &value) == 1 && tl_int64(value, number) == 0 && *number >= INT32_MIN &&
         *number <= INT32_MAX;
}

static int32_t invalid_params(tl_out *out, tl_view id, const char *reason) {
  return tl_write_error(out, profile, id, TL_CODE_INVALID_PARAMS, tl_text(reason), tl_none());
}

/* Writes a result with one text. */
static int32_t text_result(tl_out *out, tl_view id, const char *text, int is_error) {
  tl_writer writer;
  (void)tl_begin_result(&writer, out, profile, id);
  (void)tl_open_object(&writer);
  (void)tl_key(&writer, tl_text("content"));
  (void)tl_open_array(&writer);
  (void)tl_open_object(&writer);
  (void)tl_key(&writer, tl_text("type"));
  (void)tl_put_text(&writer, tl_text("text"));
  (void)tl_key(&writer, tl_text("text"));
  (void)tl_put_text(&writer, tl_text(text));
  (void)tl_close(&writer);
  (void)tl_close(&writer);
  (void)tl_key(&writer, tl_text("isError"));
  (void)tl_put_bool(&writer, is_error);
  (void)tl_close(&writer);
  return tl_end(&writer); /* The first error, if there was any. */
}

static int32_t call_tool(tl_out *out, const tl_event *request) {
  tl_view name, arguments;
  int64_t a, b;
  char text[24];
  if (tl_member(request->params, "name", &name) != 1) {
    return invalid_params(out, request->id, "name is missing");
  }
  if (!tl_text_eq(name, "add")) {
    return invalid_params(out, request->id, "there is no such tool");
  }
  if (tl_member(request->params, "arguments", &arguments) != 1 || !integer(arguments, "a", &a) ||
      !integer(arguments, "b", &b)) {
    return text_result(out, request->id, "a and b must be integers of 32 bits", 1);
  }
  sprintf(text, "%lld", (long long)(a + b));
  return text_result(out, request->id, text, 0);
}

static int32_t initialize(tl_out *out, const tl_event *request) {
  tl_view revision;
  profile = &tl_mcp_2025_11_25;
  if (tl_member(request->params, "protocolVersion", &revision) == 1 && tl_text_eq(revision, "2025-03-26")) {
    profile = &tl_mcp_2025_03_26;
    return tl_write_result(out, profile, request->id, tl_text(CAPABILITIES("2025-03-26")));
  }
  return tl_write_result(out, profile, request->id, tl_text(CAPABILITIES("2025-11-25")));
}

static int32_t answer_request(tl_out *out, const tl_event *request) {
  if (tl_text_eq(request->method, "initialize")) {
    return initialize(out, request);
  }
  if (tl_text_eq(request->method, "ping")) {
    return tl_write_result(out, profile, request->id, tl_text("{}"));
  }
  if (tl_text_eq(request->method, "tools/list")) {
    return tl_write_result(out, profile, request->id, tl_text(tools));
  }
  if (tl_text_eq(request->method, "tools/call")) {
    return call_tool(out, request);
  }
  return tl_write_error(out, profile, request->id, TL_CODE_METHOD_NOT_FOUND, tl_text("Method not found"), tl_none());
}

static int32_t answer(tl_out *out, const tl_event *event);

/* The answers to a batch are one array. If nothing in it is owed an answer, that is nothing. */
static int32_t answer_batch(tl_out *out, const tl_event *whole) {
  tl_batch batch;
  tl_event event;
  int32_t status = tl_batch_init(&batch, profile, whole);
  if (status == 0) {
    status = tl_begin_batch(out);
  }
  if (status != 0) {
    return status;
  }
  while (tl_batch_next(&batch, &event) > 0) {
    (void)answer(out, &event);
  }
  return tl_end_batch(out); /* If an answer did not fit, the batch does not fit. */
}

static int32_t answer(tl_out *out, const tl_event *event) {
  switch (event->kind) {
  case TL_KIND_REQUEST: return answer_request(out, event);
  case TL_KIND_BATCH: return answer_batch(out, event);
  default: return tl_write_reply(out, event); /* Faults may be owed one, notifications and responses are not. */
  }
}

static void send(tl_out *out, int32_t status) {
  if (status != 0) {
    fprintf(stderr, "no room for a reply: error %d, %lu bytes\n", (int)status, (unsigned long)out->needed);
  }
  fwrite(out->ptr, 1, out->used, stdout);
  fflush(stdout);
  out->used = 0;
}

int main(void) {
  static tl_skimming_stream state;
  static char room[4096], replies[8192]; /* The longest request, and more than the longest reply to it. */
  tl_out out = tl_out_of(replies, sizeof replies);
  tl_event event;
  int byte;
  if (tl_stream_init(TL_ABI, &state.stream, sizeof state, &tl_framing_lines_skimming, profile, room, sizeof room) !=
      0) {
    return 1;
  }
  while ((byte = getchar()) != EOF) {
    char received = (char)byte;
    tl_view input = tl_bytes(&received, 1);
    while (tl_push(&state.stream, &input, &event) > 0) {
      send(&out, answer(&out, &event));
      (void)tl_stream_set_profile(&state.stream, profile);
    }
  }
  while (tl_finish(&state.stream, &event) > 0) {
    send(&out, answer(&out, &event)); /* A last line without a newline. */
  }
  return 0;
}
