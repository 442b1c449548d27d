/*
 * An MCP server on stdin and stdout, with one tool: `add`, which adds two integers. It serves clients of both eras:
 * those that open with `initialize`, and those that state their version in every request. It has no heap. It serves
 * every revision except 2025-03-26, which has batches: clients that ask for that one get 2025-11-25.
 *
 * The session refuses what comes too early, from the wrong side or for another revision. The rest is served here.
 */
#include "tautline_mcp.h"

#include <stdio.h>

/* It accepts the messages of older revisions as well, except batches. So a session with it does not support 2025-03-26. */
static const tl_profile *const profile = &tl_mcp_2026_07_28;

#define CAPABILITIES "{\"tools\":{}}"
#define SERVER_INFO "{\"name\":\"tautline-c-adder\",\"version\":\"1.0.0\"}"

static const char discovered[] =
    "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":" CAPABILITIES
    ",\"ttlMs\":0,\"cacheScope\":\"public\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":" SERVER_INFO "}}";

static const char tools[] =
    "[{\"name\":\"add\",\"description\":\"Adds two integers\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}},\"required\":[\"a\",\"b\"]}}]";

/* The room for a reply. */
#ifndef ROOM
#define ROOM 8192
#endif

/* One request to serve, and the place for its answer. */
typedef struct {
  tl_session *session;
  tl_out *out;
  const tl_event *request;
  const tl_session_event *seen;
} call;

static int32_t invalid_params(call c, const char *reason) {
  return tl_write_error(c.out, profile, c.request->id, -32602, tl_text(reason), tl_none());
}

static void begin(call c, tl_writer *writer) {
  (void)tl_begin_result(writer, c.out, profile, c.request->id);
  (void)tl_open_object(writer);
}

/* Ends a result. Those of the modern era have a type. */
static int32_t end(call c, tl_writer *writer) {
  if (c.seen->modern) {
    (void)tl_key(writer, tl_text("resultType"));
    (void)tl_put_text(writer, tl_text("complete"));
  }
  (void)tl_close(writer);
  return tl_end(writer); /* The first error, if there was any. */
}

static int32_t initialize(call c) {
  tl_writer writer;
  if (c.seen->version.ptr == NULL) {
    return invalid_params(c, "protocolVersion is missing");
  }
  begin(c, &writer);
  (void)tl_key(&writer, tl_text("protocolVersion"));
  (void)tl_put_text(&writer, tl_revision_name(tl_session_negotiate(c.session, c.seen->version)));
  (void)tl_key(&writer, tl_text("capabilities"));
  (void)tl_put_json(&writer, tl_text(CAPABILITIES));
  (void)tl_key(&writer, tl_text("serverInfo"));
  (void)tl_put_json(&writer, tl_text(SERVER_INFO));
  return end(c, &writer);
}

static int32_t list_tools(call c) {
  tl_writer writer;
  begin(c, &writer);
  (void)tl_key(&writer, tl_text("tools"));
  (void)tl_put_json(&writer, tl_text(tools));
  if (c.seen->modern) {
    (void)tl_key(&writer, tl_text("ttlMs"));
    (void)tl_put_int64(&writer, 0);
    (void)tl_key(&writer, tl_text("cacheScope"));
    (void)tl_put_text(&writer, tl_text("public"));
  }
  return end(c, &writer);
}

/* Reads an integer that is a member of an object. */
static int integer(tl_view object, const char *name, int64_t *number) {
  tl_view value;
  return tl_member(object, name, &value) == 1 && tl_int64(value, number) == 0 && *number >= INT32_MIN &&
         *number <= INT32_MAX;
}

static int32_t call_tool(call c) {
  tl_writer writer;
  int64_t a, b;
  int is_error;
  char text[48] = "a and b must be integers of 32 bits";
  if (!tl_text_eq(c.seen->name, "add")) {
    return invalid_params(c, "there is no such tool");
  }
  is_error = !integer(c.seen->arguments, "a", &a) || !integer(c.seen->arguments, "b", &b);
  if (!is_error) {
    sprintf(text, "%lld", (long long)(a + b));
  }
  begin(c, &writer);
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
  return end(c, &writer);
}

/* Answers a request that the session has let through. */
static int32_t serve(call c) {
  switch (c.seen->method) {
    case TL_METHOD_INITIALIZE:
      return initialize(c);
    case TL_METHOD_SERVER_DISCOVER:
      return tl_write_result(c.out, profile, c.request->id, tl_text(discovered));
    case TL_METHOD_PING:
      return tl_write_result(c.out, profile, c.request->id, tl_text("{}"));
    case TL_METHOD_TOOLS_LIST:
      return list_tools(c);
    case TL_METHOD_TOOLS_CALL:
      return call_tool(c);
    default:
      return tl_write_error(c.out, profile, c.request->id, -32601, tl_text("Method not found"), tl_none());
  }
}

/* Logs what is wrong with a message, or worth knowing. */
static void log_findings(const char *side, const tl_findings *findings) {
  size_t at;
  for (at = 0; at < findings->count && at < findings->room; at++) {
    tl_view name = tl_mcp_rule_name(findings->ptr[at].rule);
    fprintf(stderr, "%s: %.*s at byte %lu\n", side, (int)name.len, name.ptr, (unsigned long)findings->ptr[at].place);
  }
}

/* Handles one event, and sends what it is owed. Returns 0, or an error that ends the program. */
static int32_t handle(call c) {
  tl_finding found[8];
  tl_findings findings = tl_findings_of(found, 8);
  tl_session_event seen;
  tl_view sent;
  int32_t status = tl_session_observe(c.session, TL_ROLE_CLIENT, c.request, &seen, &findings);
  if (status < 0) {
    return status;
  }
  log_findings("client", &findings);
  c.seen = &seen;
  if (status == TL_MEANING_REQUEST) {
    status = serve(c);
    if (status != 0) { /* It does not fit, most likely. The client waits for an answer nevertheless. */
      fprintf(stderr, "no answer: error %d, %lu bytes\n", (int)status, (unsigned long)c.out->needed);
      status = tl_write_error(c.out, profile, c.request->id, -32603, tl_text("Internal error"), tl_none());
    }
  } else {
    status = tl_session_refuse(c.session, c.out, c.request, &seen); /* Nothing, if nothing is owed. */
  }
  if (status != 0) {
    return status;
  }
  status = tl_session_take(c.session, TL_ROLE_SERVER, c.out, &sent, &findings);
  if (status != 0) {
    return status;
  }
  log_findings("server", &findings);
  fwrite(sent.ptr, 1, sent.len, stdout);
  fflush(stdout);
  return 0;
}

int main(void) {
  static tl_skimming_stream stream;
  static tl_session session;
  static tl_slot slots[4];         /* Each request is answered before the next one is read. */
  static char room[4096];          /* The longest message that is read. */
  static char replies[ROOM];
  tl_out out = tl_out_of(replies, sizeof replies);
  tl_event event;
  call c = {&session, &out, &event, NULL};
  int byte = 0;
  if (tl_stream_init(TL_ABI, &stream.stream, sizeof stream, &tl_framing_lines_skimming, profile, room, sizeof room) !=
          0 ||
      tl_session_init(TL_ABI, &session, sizeof session, profile, slots, 4) != 0) {
    return 1;
  }
  while (byte != EOF) {
    char received = (char)(byte = getchar());
    tl_view input = tl_bytes(&received, 1);
    /* The last line may have no newline. */
    while ((byte == EOF ? tl_finish(&stream.stream, &event) : tl_push(&stream.stream, &input, &event)) > 0) {
      int32_t status = handle(c);
      if (status != 0) {
        fprintf(stderr, "error %d\n", (int)status);
        return 1;
      }
    }
  }
  return 0;
}
