/*
 * An MCP server on stdin and stdout, with one tool: `add`, which adds two integers. It speaks the revision 2025-11-25,
 * and has no heap. Every request is answered, however broken, and nothing else is.
 */
#include "tautline.h"

#include <stdio.h>

static const tl_profile *const profile = &tl_mcp_2025_11_25;

static const char capabilities[] =
    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
    "\"serverInfo\":{\"name\":\"adder\",\"version\":\"1.0.0\"}}";

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
  return tl_write_error(out, profile, id, -32602, tl_text(reason), tl_none());
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

static int32_t answer(tl_out *out, const tl_event *request) {
  if (tl_text_eq(request->method, "initialize")) {
    return tl_write_result(out, profile, request->id, tl_text(capabilities));
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
  return tl_write_error(out, profile, request->id, -32601, tl_text("Method not found"), tl_none());
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
    int32_t kind, status = 0;
    while ((kind = tl_push(&state.stream, &input, &event)) > 0) {
      if (kind == TL_KIND_REQUEST) {
        status = answer(&out, &event);
      } else if (kind == TL_KIND_FAULT || kind == TL_KIND_OVERSIZED) {
        status = tl_write_reply(&out, &event);
      } /* Notifications and responses get no answer. */
      if (status != 0) {
        fprintf(stderr, "no room for a reply: error %d, %lu bytes\n", (int)status, (unsigned long)out.needed);
      }
      fwrite(out.ptr, 1, out.used, stdout);
      fflush(stdout);
      out.used = 0;
    }
  }
  return 0;
}
