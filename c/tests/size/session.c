/* A whole MCP server of both eras: a session, its refusals, both ways of opening, and a tool. */
#include "tautline_mcp.h"

const char *volatile input;
volatile size_t length, output;
static const tl_profile *const profile = &tl_mcp_2026_07_28;
static tl_stream stream;
static tl_session session;
static tl_slot slots[3];
static char room[256], replies[512];

static void put(tl_writer *writer, const char *key, const char *json) {
  (void)tl_key(writer, tl_text(key));
  (void)tl_put_json(writer, tl_text(json));
}

static void result(tl_out *out, const tl_event *request, const tl_session_event *seen) {
  tl_writer writer;
  tl_view value;
  int64_t level = 0;
  (void)tl_begin_result(&writer, out, profile, request->id);
  (void)tl_open_object(&writer);
  if (seen->method == TL_METHOD_INITIALIZE) {
    (void)tl_key(&writer, tl_text("protocolVersion"));
    (void)tl_put_text(&writer, tl_revision_name(tl_session_negotiate(&session, seen->version)));
    put(&writer, "capabilities", "{\"tools\":{}}");
    put(&writer, "serverInfo", "{\"name\":\"board\",\"version\":\"1\"}");
  } else if (seen->method == TL_METHOD_SERVER_DISCOVER) {
    put(&writer, "supportedVersions", "[\"2026-07-28\"]");
    put(&writer, "capabilities", "{\"tools\":{}}");
  } else if (seen->method == TL_METHOD_TOOLS_LIST) {
    put(&writer, "tools",
        "[{\"name\":\"set\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"level\":{\"type\":\"integer\"}}}}]");
  } else if (seen->method == TL_METHOD_TOOLS_CALL) {
    if (tl_member(seen->arguments, "level", &value) == 1) {
      (void)tl_int64(value, &level);
    }
    put(&writer, "content", "[{\"type\":\"text\",\"text\":\"set\"}]");
    (void)tl_key(&writer, tl_text("structuredContent"));
    (void)tl_open_object(&writer);
    (void)tl_key(&writer, tl_text("level"));
    (void)tl_put_int64(&writer, level);
    (void)tl_close(&writer);
  }
  if (seen->modern) {
    put(&writer, "resultType", "\"complete\"");
    put(&writer, "ttlMs", "0");
    put(&writer, "cacheScope", "\"public\"");
  }
  (void)tl_close(&writer);
  (void)tl_end(&writer);
}

static void serve(tl_out *out, const tl_event *request, const tl_session_event *seen) {
  switch (seen->method) {
    case TL_METHOD_TOOLS_CALL:
      if (!tl_text_eq(seen->name, "set")) {
        (void)tl_write_error(out, profile, request->id, -32602, tl_text("Unknown tool"), tl_none());
        break;
      }
      /* fall through */
    case TL_METHOD_INITIALIZE:
    case TL_METHOD_SERVER_DISCOVER:
    case TL_METHOD_PING:
    case TL_METHOD_TOOLS_LIST:
      result(out, request, seen);
      break;
    default:
      (void)tl_write_error(out, profile, request->id, -32601, tl_text("Method not found"), tl_none());
  }
}

void start(void) {
  tl_out out = tl_out_of(replies, sizeof replies);
  tl_event event;
  tl_session_event seen;
  tl_view sent;
  (void)tl_stream_init(TL_ABI, &stream, sizeof stream, &tl_framing_lines, profile, room, sizeof room);
  (void)tl_session_init(TL_ABI, &session, sizeof session, profile, slots, 3);
  for (;;) {
    tl_view received = tl_bytes(input, length);
    while (tl_push(&stream, &received, &event) > 0) {
      if (tl_session_observe(&session, TL_ROLE_CLIENT, &event, &seen, NULL) == TL_MEANING_REQUEST) {
        serve(&out, &event, &seen);
      } else {
        (void)tl_session_refuse(&session, &out, &event, &seen);
      }
      (void)tl_session_take(&session, TL_ROLE_SERVER, &out, &sent, NULL);
      output = sent.len;
    }
  }
}
