#include "server.h"

#include "port.h"

/* The profile that lines are judged by. It accepts the messages of older revisions, too. */
static const tl_profile *const profile = &tl_mcp_2026_07_28;

enum { SUPPORTED = TL_REVISION_2025_06_18 | TL_REVISION_2025_11_25 | TL_REVISION_2026_07_28 };
enum { LEGACY_NOT_FOUND = -32002, INVALID_PARAMS = -32602, METHOD_NOT_FOUND = -32601, INTERNAL_ERROR = -32603 };

static const char capabilities[] = "{\"tools\":{},\"resources\":{}}";
static const char server_info[] = "{\"name\":\"tautline-board\",\"version\":\"0.0.0\"}";
static const char resources_list[] = "[{\"uri\":\"board://info\",\"name\":\"info\",\"mimeType\":\"application/json\"}]";

/* A request, and what it means in its session. */
typedef struct request {
  tl_view id;
  const tl_session_event *seen;
} request;

/* ---- Writing -------------------------------------------------------------------------------- */

static tl_view text_view(const text *of) {
  return tl_bytes(of->bytes, of->length);
}

static void member_text(tl_writer *to, const char *name, tl_view value) {
  (void)tl_key(to, tl_text(name));
  (void)tl_put_text(to, value);
}

static void member_json(tl_writer *to, const char *name, tl_view value) {
  (void)tl_key(to, tl_text(name));
  (void)tl_put_json(to, value);
}

static void member_number(tl_writer *to, const char *name, uint32_t value) {
  (void)tl_key(to, tl_text(name));
  (void)tl_put_uint64(to, value);
}

/* Opens a member that is an array of one object. */
static void open_one(tl_writer *to, const char *name) {
  (void)tl_key(to, tl_text(name));
  (void)tl_open_array(to);
  (void)tl_open_object(to);
}

static void close_one(tl_writer *to) {
  (void)tl_close(to);
  (void)tl_close(to);
}

static void begin(tl_writer *to, tl_out *out, tl_view id) {
  (void)tl_begin_result(to, out, profile, id);
  (void)tl_open_object(to);
}

/* Clients of 2026-07-28 are told that a result is complete. */
static int32_t end(tl_writer *to, int is_modern) {
  if (is_modern) {
    member_text(to, "resultType", tl_text("complete"));
  }
  (void)tl_close(to);
  return tl_end(to);
}

/* The same, of a result that expires at once, and is the same for all clients. */
static int32_t end_cacheable(tl_writer *to, int is_modern) {
  if (is_modern) {
    member_number(to, "ttlMs", 0);
    member_text(to, "cacheScope", tl_text("public"));
  }
  return end(to, is_modern);
}

static int32_t fail(tl_out *out, tl_view id, int32_t code, const char *message) {
  return tl_write_error(out, profile, id, code, tl_text(message), tl_none());
}

/* The result of a tool. `value` is JSON if it was echoed, and text otherwise. */
static int32_t tool_result(tl_out *out, tl_view id, int is_modern, tool_outcome outcome, tl_view value) {
  tl_writer to;
  begin(&to, out, id);
  open_one(&to, "content");
  member_text(&to, "type", tl_text("text"));
  if (outcome == TOOL_ECHO) {
    member_json(&to, "text", value);
  } else {
    member_text(&to, "text", value);
  }
  close_one(&to);
  if (outcome == TOOL_FAILED) {
    (void)tl_key(&to, tl_text("isError"));
    (void)tl_put_bool(&to, 1);
  }
  return end(&to, is_modern);
}

/* Sends what was written, if anything, and shows it to the session. */
static void send(server *self, server_session *to, tl_out *out) {
  tl_view line;
  if (out->used > 0 && tl_session_take(&to->session, TL_ROLE_SERVER, out, &line, NULL) == 0) {
    self->counted.sent++;
    port_write(line.ptr, line.len);
  }
}

/* ---- The call that takes long --------------------------------------------------------------- */

static void keep(kept_id *kept, tl_view id) {
  size_t at;
  kept->length = 0;
  if (id.len <= sizeof kept->bytes) {
    for (at = 0; at < id.len; at++) {
      kept->bytes[at] = id.ptr[at];
    }
    kept->length = id.len;
  }
}

static tl_view view_of(const kept_id *kept) {
  return tl_bytes(kept->bytes, kept->length);
}

/* Keeps what the answer needs. Returns NULL, or why the call can't begin. */
static const char *start_running(server *self, const request *of, const sampling *readings) {
  if (self->running.length > 0) {
    return "the sensor is being sampled already";
  }
  keep(&self->running, of->id);
  if (self->running.length == 0) {
    return "the id is too long to be kept";
  }
  keep(&self->token, of->seen->progress_token); /* Without a token, no progress is reported. */
  self->readings = *readings;
  self->is_modern = of->seen->modern;
  return NULL;
}

/*
 * Whether a notification cancels the call that takes long. The session knows its id however it is written, and no other
 * call is in flight: they are answered before the next line is read. But if the client has used the id twice, the
 * session treats the first answer as that of both.
 */
static int cancels_running(const server *self, const tl_session_event *seen) {
  if (seen->kind == TL_MEANING_CANCELLED) {
    return seen->method == TL_METHOD_TOOLS_CALL;
  }
  return seen->kind == TL_MEANING_NOTIFICATION && seen->method == TL_METHOD_NOTIFICATIONS_CANCELLED &&
         self->running.length > 0 && tl_id_eq(seen->request_id, view_of(&self->running)) == 1;
}

static void report_progress(const server *self, tl_out *out) {
  tl_writer to;
  (void)tl_begin_notification(&to, out, profile, tl_text("notifications/progress"));
  (void)tl_open_object(&to);
  member_json(&to, "progressToken", view_of(&self->token));
  member_number(&to, "progress", self->readings.taken);
  member_number(&to, "total", self->readings.count);
  (void)tl_close(&to);
  (void)tl_end(&to);
}

void server_tick(server *self) {
  tl_out out = tl_out_of(self->reply, sizeof self->reply);
  text said;
  said.length = 0;
  if (self->running.length == 0) {
    return;
  }
  if (sampling_result(&self->readings, &said)) {
    (void)tool_result(&out, view_of(&self->running), self->is_modern, TOOL_SAID, text_view(&said));
    self->running.length = 0;
  } else if (sampling_step(&self->readings) && self->token.length > 0) {
    report_progress(self, &out);
  }
  send(self, self->current, &out);
}

/* ---- Requests ------------------------------------------------------------------------------- */

/* Whether the parameters of `initialize` are complete. */
static int is_handshake(tl_view params) {
  tl_view version, declared, client;
  return tl_member(params, "protocolVersion", &version) == 1 && tl_type_of(version) == TL_TYPE_STRING &&
         tl_member(params, "capabilities", &declared) == 1 && tl_type_of(declared) == TL_TYPE_OBJECT &&
         tl_member(params, "clientInfo", &client) == 1 && tl_type_of(client) == TL_TYPE_OBJECT;
}

static int32_t initialize(server *self, tl_out *out, const request *of, tl_view params) {
  tl_writer to;
  int32_t revision = tl_session_negotiate(&self->current->session, of->seen->version);
  if (!is_handshake(params)) {
    return fail(out, of->id, INVALID_PARAMS, "Invalid params");
  }
  begin(&to, out, of->id);
  member_text(&to, "protocolVersion", tl_revision_name(revision));
  member_json(&to, "capabilities", tl_text(capabilities));
  member_json(&to, "serverInfo", tl_text(server_info));
  return end(&to, of->seen->modern);
}

static int32_t discover(tl_out *out, const request *of) {
  tl_writer to;
  begin(&to, out, of->id);
  member_json(&to, "supportedVersions", tl_text("[\"2026-07-28\"]"));
  member_json(&to, "capabilities", tl_text(capabilities));
  (void)tl_key(&to, tl_text("_meta"));
  (void)tl_open_object(&to);
  member_json(&to, "io.modelcontextprotocol/serverInfo", tl_text(server_info));
  (void)tl_close(&to);
  return end_cacheable(&to, of->seen->modern);
}

static int32_t list(tl_out *out, const request *of, const char *name, const char *all) {
  tl_writer to;
  begin(&to, out, of->id);
  member_json(&to, name, tl_text(all));
  return end_cacheable(&to, of->seen->modern);
}

static int32_t call_tool(server *self, tl_out *out, const request *of, tl_view params) {
  tl_view arguments, echo = tl_none();
  sampling later;
  tool_outcome outcome;
  text said;
  said.length = 0;
  /* The session gives the arguments if they are an object. */
  if (of->seen->name.ptr == NULL ||
      (of->seen->arguments.ptr == NULL && tl_member(params, "arguments", &arguments) != 0)) {
    return fail(out, of->id, INVALID_PARAMS, "Invalid params");
  }
  outcome = tools_call(of->seen->name, of->seen->arguments, &said, &echo, &later);
  if (outcome == TOOL_UNKNOWN) {
    return fail(out, of->id, INVALID_PARAMS, "Unknown tool");
  }
  if (outcome == TOOL_SAMPLING) {
    const char *why = start_running(self, of, &later);
    if (why == NULL) {
      return 0;
    }
    outcome = TOOL_FAILED;
    text_add(&said, why);
  }
  return tool_result(out, of->id, of->seen->modern, outcome, outcome == TOOL_ECHO ? echo : text_view(&said));
}

static int32_t read_resource(const server *self, tl_out *out, const request *of) {
  tl_writer to;
  text info;
  info.length = 0;
  if (of->seen->uri.ptr == NULL) {
    return fail(out, of->id, INVALID_PARAMS, "Invalid params");
  }
  if (!tl_text_eq(of->seen->uri, "board://info")) {
    return fail(out, of->id, of->seen->modern ? INVALID_PARAMS : LEGACY_NOT_FOUND, "Unknown resource");
  }
  tools_info(&self->counted, &info);
  begin(&to, out, of->id);
  open_one(&to, "contents");
  member_json(&to, "uri", of->seen->uri);
  member_text(&to, "mimeType", tl_text("application/json"));
  member_text(&to, "text", text_view(&info));
  close_one(&to);
  return end_cacheable(&to, of->seen->modern);
}

/* Not inlined: its texts would stay on the stack while the session looks at the answer. */
__attribute__((noinline)) static int32_t answer(server *self, tl_out *out, const request *of, tl_view params) {
  switch (of->seen->method) {
    case TL_METHOD_INITIALIZE:
      return initialize(self, out, of, params);
    case TL_METHOD_SERVER_DISCOVER:
      return discover(out, of);
    case TL_METHOD_PING:
      return tl_write_result(out, profile, of->id, tl_text("{}"));
    case TL_METHOD_TOOLS_LIST:
      return list(out, of, "tools", tools_list);
    case TL_METHOD_TOOLS_CALL:
      return call_tool(self, out, of, params);
    case TL_METHOD_RESOURCES_LIST:
      return list(out, of, "resources", resources_list);
    case TL_METHOD_RESOURCES_READ:
      return read_resource(self, out, of);
    default:
      return fail(out, of->id, METHOD_NOT_FOUND, "Method not found");
  }
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static void count(counters *counted, int32_t kind) {
  counted->frames++;
  if (kind == TL_KIND_FAULT) {
    counted->faults++;
  } else if (kind == TL_KIND_OVERSIZED) {
    counted->oversized++;
  } else {
    counted->messages++;
  }
}

/*
 * Whether a request opens a session. On a serial port, that is the only sign that another client has connected:
 * `initialize` begins anew, and who states a version in a session with a handshake has not made that handshake.
 */
static int opens(const server *self, const tl_event *event) {
  int32_t phase = tl_session_phase(&self->current->session);
  tl_view meta, version;
  if (event->kind != TL_KIND_REQUEST) {
    return 0;
  }
  if (tl_text_eq(event->method, "initialize") && is_handshake(event->params)) {
    return 1;
  }
  return phase >= TL_PHASE_INITIALIZING && phase <= TL_PHASE_OPERATING &&
         tl_member(event->params, "_meta", &meta) == 1 &&
         tl_member(meta, "io.modelcontextprotocol/protocolVersion", &version) == 1 &&
         tl_type_of(version) == TL_TYPE_STRING;
}

/*
 * Shows the event to its session, which is returned. A client that is refused takes nothing from the one before: its
 * session is the spare one, which becomes the current one if the client is welcome.
 */
static server_session *observe(server *self, const tl_event *event, tl_session_event *seen) {
  server_session *at = self->current;
  int is_new = opens(self, event);
  if (is_new) {
    at = at == &self->sessions[0] ? &self->sessions[1] : &self->sessions[0];
    (void)tl_session_reset(&at->session);
  }
  if (tl_session_observe(&at->session, TL_ROLE_CLIENT, event, seen, NULL) == TL_MEANING_REQUEST && is_new) {
    self->current = at;
    self->running.length = 0; /* Nor does a new client get the answer to a call of the one before. */
  }
  return at;
}

static void receive(server *self, const tl_event *event) {
  tl_out out = tl_out_of(self->reply, sizeof self->reply);
  tl_session_event seen;
  server_session *session = observe(self, event, &seen);
  count(&self->counted, event->kind);
  if (seen.kind == TL_MEANING_REQUEST) {
    request of;
    of.id = event->id;
    of.seen = &seen;
    if (answer(self, &out, &of, event->params) != 0) {
      (void)fail(&out, event->id, INTERNAL_ERROR, "Internal error");
    }
  } else {
    if (cancels_running(self, &seen)) {
      self->running.length = 0;
    }
    (void)tl_session_refuse(&session->session, &out, event, &seen);
  }
  send(self, session, &out);
}

int32_t server_start(server *self) {
  int32_t status = tl_stream_init(TL_ABI, &self->stream.stream, sizeof self->stream, &tl_framing_lines_skimming,
                                  profile, self->line, sizeof self->line);
  size_t at;
  for (at = 0; at < 2 && status == 0; at++) {
    server_session *each = &self->sessions[at];
    status = tl_session_init(TL_ABI, &each->session, sizeof each->session, profile, each->slots, SERVER_SLOTS);
    if (status == 0) {
      status = tl_session_support(&each->session, SUPPORTED);
    }
  }
  self->current = &self->sessions[0];
  return status;
}

void server_receive(server *self, const char *bytes, size_t length) {
  tl_view input = tl_bytes(bytes, length);
  tl_event event;
  while (tl_push(&self->stream.stream, &input, &event) > 0) {
    receive(self, &event);
  }
}
