/*
 * The sessions of MCP, from C: conversations of a server and of a client, every function and its errors. It compiles as
 * C99 and as C++11, and runs under sanitizers. Prints the first check that fails.
 */
#include "tautline_mcp.h"

#include "support.h"

#define META                                                             \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
  "\"io.modelcontextprotocol/clientCapabilities\":{\"sampling\":{}},\"progressToken\":\"t\"}"
#define REQUEST(id, method, params) \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define NOTE(method, params) "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":{" params "}}"
#define RESULT(id, result) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}"
#define FAILED(id, code) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"no\"}}"
#define OPEN(version) \
  REQUEST("1", "initialize", "\"protocolVersion\":\"" version "\",\"capabilities\":{\"roots\":{}},\"clientInfo\":{}")
#define OPENED(version)                                                                             \
  RESULT("1", "{\"protocolVersion\":\"" version "\",\"capabilities\":{\"tools\":{\"listChanged\":true}}," \
              "\"serverInfo\":{}}")

static const tl_profile *const profile = &tl_mcp_2026_07_28;
enum { WITHOUT_BATCHES = TL_REVISIONS_ALL & ~TL_REVISION_2025_03_26 };

/* A session, and what it has said of the last message. The frame of the event is a copy with nothing after it. */
typedef struct {
  tl_session session;
  tl_slot slots[4];
  tl_event event;
  tl_session_event seen;
  tl_finding found[4];
  tl_findings findings;
  char *frame;
} watched;

static void begin(watched *w) {
  memset(w, 0xA5, sizeof *w);
  w->frame = NULL;
  w->findings = tl_findings_of(w->found, 4);
  CHECK(tl_session_init(TL_ABI, &w->session, sizeof w->session, profile, w->slots, 4) == 0);
  CHECK(tl_session_phase(&w->session) == TL_PHASE_OPENING && tl_session_revision(&w->session) == 0);
  CHECK(tl_session_supported(&w->session) == WITHOUT_BATCHES);
}

static void finish(watched *w) {
  free(w->frame);
  w->frame = NULL;
}

/* Shows a line, and returns what it means. */
static int32_t show(watched *w, int32_t from, const char *line) {
  size_t len = strlen(line);
  int32_t meaning;
  free(w->frame);
  w->frame = (char *)malloc(len);
  CHECK(w->frame != NULL);
  memcpy(w->frame, line, len);
  CHECK(tl_check_line(profile, tl_bytes(w->frame, len), &w->event) > 0);
  meaning = tl_session_observe(&w->session, from, &w->event, &w->seen, &w->findings);
  CHECK(meaning < 0 || meaning == w->seen.kind);
  return meaning;
}

static int found_one(const watched *w, uint16_t rule, uint8_t severity) {
  return w->findings.count == 1 && w->found[0].rule == rule && w->found[0].severity == severity &&
         w->found[0].reserved == 0;
}

/* The error that the last message is owed. */
static int owes(watched *w, const char *text) {
  char room[512];
  tl_out out = tl_out_of(NULL, 0);
  int32_t status = tl_session_refuse(&w->session, &out, &w->event, &w->seen);
  if (text == NULL) {
    return status == 0 && out.needed == 0;
  }
  CHECK(status == TL_ERROR_FULL && out.needed > 0 && out.needed <= sizeof room);
  out = tl_out_of(room, out.needed - 1);
  CHECK(tl_session_refuse(&w->session, &out, &w->event, &w->seen) == TL_ERROR_FULL && out.used == 0);
  out = tl_out_of(room, out.needed);
  CHECK(tl_session_refuse(&w->session, &out, &w->event, &w->seen) == 0);
  return view_is(tl_bytes(room, out.used), text);
}

static void check_handshake(void) {
  watched w;
  uint32_t set = 0;
  begin(&w);
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("0", "tools/list", "")) == TL_MEANING_REFUSED);
  CHECK(w.seen.method == TL_METHOD_TOOLS_LIST && w.seen.rule == TL_MCP_RULE_REQUEST_BEFORE_INITIALIZE);
  CHECK(w.seen.code == -32600 && w.seen.place == 33 && w.seen.modern == 0 && w.seen.name.ptr == NULL);
  CHECK(found_one(&w, w.seen.rule, TL_SEVERITY_ERROR) && w.found[0].place == w.seen.place);
  CHECK(owes(&w, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32600,\"message\":"
                 "\"the message comes before the session is initialized\"}}\n"));
  CHECK(show(&w, TL_ROLE_SERVER, FAILED("0", "-32600")) == TL_MEANING_RESPONSE);
  CHECK(w.seen.completion == TL_COMPLETION_FAILED && w.seen.code == -32600 && w.seen.method == TL_METHOD_TOOLS_LIST);

  CHECK(show(&w, TL_ROLE_CLIENT, OPEN("2025-06-18")) == TL_MEANING_REQUEST && w.findings.count == 0);
  CHECK(w.seen.method == TL_METHOD_INITIALIZE && view_is(w.seen.version, "\"2025-06-18\""));
  CHECK(tl_capabilities_of(w.seen.capabilities) == TL_CAPABILITY_ROOTS && owes(&w, NULL));
  CHECK(tl_session_phase(&w.session) == TL_PHASE_INITIALIZING);
  CHECK(view_is(tl_phase_name(TL_PHASE_INITIALIZING), "initializing") && tl_phase_name(0).ptr == NULL);
  CHECK(tl_session_negotiate(&w.session, w.seen.version) == TL_REVISION_2025_06_18);
  CHECK(tl_session_negotiate(&w.session, tl_text("\"1999-01-01\"")) == TL_REVISION_2025_11_25);
  CHECK(tl_session_negotiate(&w.session, tl_none()) == TL_REVISION_2025_11_25);
  CHECK(tl_session_negotiate(&w.session, tl_text("5")) == TL_REVISION_2025_11_25);
  CHECK(view_is(tl_revision_name(TL_REVISION_2025_06_18), "2025-06-18") && tl_revision_name(3).ptr == NULL);
  CHECK(tl_session_declared(&w.session, TL_ROLE_CLIENT, &set) == 0 && set == 0);
  CHECK(show(&w, TL_ROLE_SERVER, OPENED("2025-06-18")) == TL_MEANING_RESPONSE && w.findings.count == 0);
  CHECK(w.seen.method == TL_METHOD_INITIALIZE && w.seen.completion == TL_COMPLETION_DONE && w.seen.late == 0);
  CHECK(tl_session_revision(&w.session) == TL_REVISION_2025_06_18);
  CHECK(tl_session_declared(&w.session, TL_ROLE_CLIENT, &set) == 1 && set == TL_CAPABILITY_ROOTS);
  CHECK(tl_session_declared(&w.session, TL_ROLE_SERVER, &set) == 1 &&
        set == (TL_CAPABILITY_TOOLS | TL_CAPABILITY_TOOLS_LIST_CHANGED));
  CHECK(show(&w, TL_ROLE_CLIENT, NOTE("notifications/initialized", "")) == TL_MEANING_NOTIFICATION);
  CHECK(tl_session_phase(&w.session) == TL_PHASE_OPERATING && owes(&w, NULL));

  CHECK(show(&w, TL_ROLE_CLIENT,
             REQUEST("\"a\\\"\"", "tools/call", "\"name\":\"l\\u0069ght\",\"arguments\":{\"on\":true},"
                                                "\"_meta\":{\"progressToken\":7}")) == TL_MEANING_REQUEST);
  CHECK(view_is(w.seen.name, "\"l\\u0069ght\"") && tl_text_eq(w.seen.name, "light") == 1);
  CHECK(view_is(w.seen.arguments, "{\"on\":true}") && view_is(w.seen.progress_token, "7") && w.seen.modern == 0);
  CHECK(show(&w, TL_ROLE_CLIENT, NOTE("notifications/cancelled", "\"requestId\":\"a\\\"\"")) == TL_MEANING_CANCELLED);
  CHECK(w.seen.method == TL_METHOD_TOOLS_CALL && view_is(w.seen.request_id, "\"a\\\"\"") && owes(&w, NULL));
  CHECK(show(&w, TL_ROLE_SERVER, RESULT("\"a\\\"\"", "{\"isError\":true}")) == TL_MEANING_RESPONSE);
  CHECK(w.seen.late == 1 && w.seen.completion == TL_COMPLETION_TOOL_FAILED);
  CHECK(found_one(&w, TL_MCP_RULE_RESPONSE_LATE, TL_SEVERITY_NOTE));
  CHECK(show(&w, TL_ROLE_SERVER, RESULT("\"a\\\"\"", "{}")) == TL_MEANING_UNMATCHED);
  CHECK(found_one(&w, TL_MCP_RULE_RESPONSE_DUPLICATE, TL_SEVERITY_ERROR));
  CHECK(show(&w, TL_ROLE_CLIENT, NOTE("tools/list", "")) == TL_MEANING_IGNORED);
  CHECK(w.seen.rule == TL_MCP_RULE_METHOD_KIND && owes(&w, NULL));
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("2", "resources/read", "\"uri\":\"a:b\",\"name\":5")) == TL_MEANING_REFUSED);
  CHECK(w.seen.rule == TL_MCP_RULE_UNDECLARED_CAPABILITY && w.seen.code == -32601 && view_is(w.seen.uri, "\"a:b\""));
  CHECK(w.seen.name.ptr == NULL);

  /* Faults are owed a reply, which is known then. */
  CHECK(show(&w, TL_ROLE_CLIENT, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":5}") == TL_MEANING_NONE);
  CHECK(owes(&w, "{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":-32600,\"message\":\"Invalid Request\"}}\n"));
  CHECK(show(&w, TL_ROLE_SERVER, FAILED("9", "-32600")) == TL_MEANING_RESPONSE && w.seen.method == 0);
  CHECK(show(&w, TL_ROLE_CLIENT, "nothing") == TL_MEANING_NONE && owes(&w, NULL));

  CHECK(tl_session_reset(&w.session) == 0 && tl_session_phase(&w.session) == TL_PHASE_OPENING);
  finish(&w);
}

static void check_modern(void) {
  watched w;
  uint32_t set = 0;
  begin(&w);
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("1", "server/discover", META)) == TL_MEANING_REQUEST);
  CHECK(w.seen.modern == 1 && view_is(w.seen.version, "\"2026-07-28\"") && view_is(w.seen.progress_token, "\"t\""));
  CHECK(tl_capabilities_of(w.seen.capabilities) == TL_CAPABILITY_SAMPLING);
  CHECK(tl_session_phase(&w.session) == TL_PHASE_PROBING);
  CHECK(show(&w, TL_ROLE_SERVER, RESULT("1", "{\"resultType\":\"complete\",\"capabilities\":{\"tools\":{}}}")) ==
        TL_MEANING_RESPONSE);
  CHECK(tl_session_phase(&w.session) == TL_PHASE_MODERN);
  CHECK(tl_session_declared(&w.session, TL_ROLE_SERVER, &set) == 1 && set == TL_CAPABILITY_TOOLS);
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("2", "tools/list", "")) == TL_MEANING_REFUSED && w.seen.code == -32602);
  CHECK(w.seen.rule == TL_MCP_RULE_MISSING_META && w.seen.modern == 0);
  CHECK(show(&w, TL_ROLE_SERVER, REQUEST("3", "ping", "")) == TL_MEANING_IGNORED);
  CHECK(show(&w, TL_ROLE_CLIENT,
             REQUEST("4", "tools/list", "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\","
                                        "\"io.modelcontextprotocol/clientCapabilities\":{}}")) == TL_MEANING_REFUSED);
  CHECK(w.seen.code == -32022 && view_is(w.seen.version, "\"1900-01-01\""));
  CHECK(owes(&w, "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":-32022,"
                 "\"message\":\"the version is not supported here\",\"data\":{\"supported\":[\"2024-11-05\",\"2025-06-18\",\"2025-11-25\",\"2026-07-28\"],"
                 "\"requested\":\"1900-01-01\"}}}\n"));

  /* What is set stays for the sessions to come. */
  CHECK(tl_session_support(&w.session, TL_REVISIONS_LEGACY & ~TL_REVISION_2024_11_05) == 0);
  CHECK(tl_session_set_early(&w.session, TL_EARLY_SERVE, TL_EARLY_REFUSE) == 0 && tl_session_reset(&w.session) == 0);
  CHECK(tl_session_supported(&w.session) == (TL_REVISIONS_LEGACY & ~TL_REVISION_2024_11_05));
  CHECK(tl_session_negotiate(&w.session, tl_text("\"2024-11-05\"")) == TL_REVISION_2025_11_25);
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("1", "tools/list", META)) == TL_MEANING_REQUEST && w.seen.modern == 0);
  CHECK(found_one(&w, TL_MCP_RULE_REQUEST_BEFORE_INITIALIZE, TL_SEVERITY_WARNING));
  CHECK(tl_session_support(&w.session, TL_REVISIONS_MODERN) == 0);
  CHECK(tl_session_negotiate(&w.session, tl_text("\"2025-11-25\"")) == 0);
  CHECK(show(&w, TL_ROLE_CLIENT, OPEN("2025-11-25")) == TL_MEANING_REFUSED && w.seen.code == -32022);
  finish(&w);
}

/* A client, whose requests the session knows because it takes them. */
static void check_client(void) {
  watched w;
  char room[512], digits[20];
  tl_out out = tl_out_of(room, sizeof room);
  tl_view id = tl_none(), sent = tl_none();
  tl_in_flight request;
  size_t first, index;
  begin(&w);
  CHECK(tl_session_next_id(&w.session, digits, 19, &id) == TL_ERROR_FULL && id.ptr == NULL);
  CHECK(tl_session_next_id(&w.session, digits, sizeof digits, &id) == 0 && view_is(id, "1"));
  CHECK(tl_write_request(&out, profile, id, tl_text("server/discover"), tl_text("{" META "}")) == 0);
  first = out.used;
  CHECK(tl_session_next_id(&w.session, digits, sizeof digits, &id) == 0 && view_is(id, "2"));
  CHECK(tl_write_request(&out, profile, id, tl_text("x"), tl_none()) == 0);
  CHECK(tl_session_take(&w.session, TL_ROLE_CLIENT, &out, &sent, &w.findings) == 0);
  CHECK(out.used == 0 && sent.ptr == room && sent.len > first);
  CHECK(w.findings.count >= 1 && w.found[0].place > first); /* The second line is what is unusual. */
  for (index = 0; tl_session_in_flight(&w.session, index, &request) == 1; index++) {
    int is_first = view_is(request.id, "1");
    CHECK(is_first || view_is(request.id, "2"));
    CHECK(request.from == TL_ROLE_CLIENT && request.waits == 1 && request.cancelled == 0);
    CHECK(request.method == (is_first ? TL_METHOD_SERVER_DISCOVER : 0));
  }
  CHECK(index == 2 && view_is(tl_method_name(TL_METHOD_SERVER_DISCOVER), "server/discover"));
  CHECK(tl_method_name(0).ptr == NULL && tl_method_name(-1).ptr == NULL && tl_method_name(1000).ptr == NULL);
  CHECK(tl_session_take(&w.session, TL_ROLE_CLIENT, &out, &sent, &w.findings) == 0 && sent.len == 0);
  CHECK(w.findings.count == 0);
  CHECK(show(&w, TL_ROLE_SERVER, FAILED("1", "1e400")) == TL_MEANING_RESPONSE && w.seen.code == 0);
  CHECK(w.seen.method == TL_METHOD_SERVER_DISCOVER && w.seen.completion == TL_COMPLETION_FAILED);
  CHECK(show(&w, TL_ROLE_SERVER, RESULT("17", "{}")) == TL_MEANING_UNMATCHED);
  finish(&w);
}

static void check_rooms(void) {
  watched w;
  tl_session moved;
  size_t count;
  begin(&w);
  /* More findings than room. */
  w.findings = tl_findings_of(NULL, 0);
  CHECK(show(&w, TL_ROLE_SERVER, REQUEST("1", "initialize", "")) >= 0 && w.findings.count > 0);
  count = w.findings.count;
  CHECK(tl_session_reset(&w.session) == 0);
  w.findings = tl_findings_of(w.found, 1);
  memset(w.found, 0x7E, sizeof w.found);
  CHECK(show(&w, TL_ROLE_SERVER, REQUEST("1", "initialize", "")) >= 0 && w.findings.count == count);
  CHECK(w.found[0].rule != 0x7E7E && w.found[1].rule == 0x7E7E);
  CHECK(tl_session_observe(&w.session, TL_ROLE_CLIENT, &w.event, &w.seen, NULL) >= 0);
  /* A session may move between two calls. */
  CHECK(tl_session_reset(&w.session) == 0 && show(&w, TL_ROLE_CLIENT, OPEN("2025-11-25")) == TL_MEANING_REQUEST);
  memcpy(&moved, &w.session, sizeof moved);
  memset(&w.session, 0, sizeof w.session);
  CHECK(tl_session_phase(&w.session) == TL_ERROR_STATE && tl_session_phase(&moved) == TL_PHASE_INITIALIZING);
  memcpy(&w.session, &moved, sizeof moved);
  CHECK(show(&w, TL_ROLE_SERVER, OPENED("2025-11-25")) == TL_MEANING_RESPONSE);
  finish(&w);
}

static size_t in_flight(const watched *w) {
  size_t index = 0;
  tl_in_flight request;
  while (tl_session_in_flight(&w->session, index, &request) == 1) {
    index++;
  }
  return index;
}

/* Lets the server send a request. */
static void ask(watched *w, const char *id) {
  char room[128];
  tl_out out = tl_out_of(room, sizeof room);
  tl_view sent;
  CHECK(tl_write_request(&out, profile, tl_text(id), tl_text("ping"), tl_none()) == 0);
  CHECK(tl_session_take(&w->session, TL_ROLE_SERVER, &out, &sent, NULL) == 0);
}

/* Frames that are no messages, while requests are in flight. An error with the id of one would answer it. */
static void check_broken(void) {
  static const char *const answers[] = {"{\"jsonrpc\":\"2.0\",\"id\":1}", "{\"id\":1,\"other\":5}",
                                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":1}"};
  static const char *const calls[] = {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", "{\"id\":1,\"params\":{}}",
                                      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"method\":\"y\"}"};
  const char *invalid = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"Invalid Request\"}}\n";
  watched w;
  tl_skimming_stream stream;
  tl_view input;
  char room[64];
  size_t at;
  begin(&w);
  CHECK(tl_session_set_early(&w.session, TL_EARLY_SERVE, TL_EARLY_SERVE) == 0);
  for (at = 0; at < 3; at++) {
    /* A broken answer to our request, while a request of the client with the same id is in flight, and after. */
    CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("1", "tools/list", "")) == TL_MEANING_REQUEST);
    ask(&w, "1");
    CHECK(in_flight(&w) == 2 && show(&w, TL_ROLE_CLIENT, answers[at]) == TL_MEANING_RESPONSE);
    CHECK(w.seen.method == TL_METHOD_PING && w.seen.completion == TL_COMPLETION_INVALID && w.seen.late == 0);
    CHECK(owes(&w, NULL) && in_flight(&w) == 1);
    CHECK(show(&w, TL_ROLE_CLIENT, answers[at]) == TL_MEANING_NONE && owes(&w, NULL) && in_flight(&w) == 1);
    /* A broken request of the client. */
    ask(&w, "1");
    CHECK(show(&w, TL_ROLE_CLIENT, calls[at]) == TL_MEANING_NONE && owes(&w, NULL) && in_flight(&w) == 2);
    CHECK(show(&w, TL_ROLE_SERVER, RESULT("1", "{\"tools\":[]}")) == TL_MEANING_RESPONSE && in_flight(&w) == 1);
    CHECK(w.seen.method == TL_METHOD_TOOLS_LIST);
    CHECK(show(&w, TL_ROLE_CLIENT, calls[at]) == TL_MEANING_NONE && owes(&w, invalid) && in_flight(&w) == 2);
    CHECK(show(&w, TL_ROLE_SERVER, FAILED("1", "-32600")) == TL_MEANING_RESPONSE && w.seen.method == 0);
    CHECK(show(&w, TL_ROLE_CLIENT, RESULT("1", "{}")) == TL_MEANING_RESPONSE && in_flight(&w) == 0);
    CHECK(w.seen.completion == TL_COMPLETION_DONE);
  }
  /* An answer that does not fit in the room of the stream. */
  CHECK(tl_stream_init(TL_ABI, &stream.stream, sizeof stream, &tl_framing_lines_skimming, profile, room, sizeof room) == 0);
  ask(&w, "1");
  input = tl_text(RESULT("1", "{\"text\":\"................................................................\"}") "\n");
  CHECK(tl_push(&stream.stream, &input, &w.event) == TL_KIND_OVERSIZED);
  CHECK(tl_session_observe(&w.session, TL_ROLE_CLIENT, &w.event, &w.seen, NULL) == TL_MEANING_RESPONSE);
  CHECK(w.seen.completion == TL_COMPLETION_INVALID && in_flight(&w) == 0);
  ask(&w, "1");
  input = tl_text(REQUEST("1", "tools/call", "\"name\":\"............................................\"") "\n");
  CHECK(tl_push(&stream.stream, &input, &w.event) == TL_KIND_OVERSIZED);
  CHECK(tl_session_observe(&w.session, TL_ROLE_CLIENT, &w.event, &w.seen, NULL) == TL_MEANING_NONE);
  CHECK(owes(&w, invalid) && in_flight(&w) == 2);
  finish(&w);
}

/* Requests that are to be refused, while requests with their ids are in flight. An error would answer those. */
static void check_ids_in_use(void) {
  static const char *const ids[] = {"1", "1.0"};
  watched w;
  size_t at;
  begin(&w);
  CHECK(tl_session_set_early(&w.session, TL_EARLY_SERVE, TL_EARLY_SERVE) == 0);
  /* A request of the wrong side is refused, and answered, if its id is free. */
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("1", "sampling/createMessage", "")) == TL_MEANING_REFUSED);
  CHECK(w.seen.rule == TL_MCP_RULE_WRONG_DIRECTION && w.seen.code == -32601 && in_flight(&w) == 1);
  CHECK(show(&w, TL_ROLE_SERVER, FAILED("1", "-32601")) == TL_MEANING_RESPONSE && in_flight(&w) == 0);
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("1", "tools/list", "")) == TL_MEANING_REQUEST);
  for (at = 0; at < 2; at++) {
    char line[128];
    size_t last;
    (void)snprintf(line, sizeof line,
                   "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"sampling/createMessage\",\"params\":{}}", ids[at]);
    CHECK(show(&w, TL_ROLE_CLIENT, line) == TL_MEANING_IGNORED && owes(&w, NULL) && in_flight(&w) == 1);
    CHECK(w.seen.rule == TL_MCP_RULE_ID_IN_USE && w.seen.code == 0);
    last = w.findings.count - 1;
    CHECK(w.findings.count == 2 && w.found[last].rule == TL_MCP_RULE_ID_IN_USE);
  }
  /* Another id is free, and so is this one if our own request has it. A request that is served is answered. */
  ask(&w, "2");
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("2", "sampling/createMessage", "")) == TL_MEANING_REFUSED);
  CHECK(in_flight(&w) == 3 && show(&w, TL_ROLE_SERVER, FAILED("2", "-32601")) == TL_MEANING_RESPONSE);
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("1", "ping", "")) == TL_MEANING_REQUEST && in_flight(&w) == 3);
  CHECK(show(&w, TL_ROLE_CLIENT, RESULT("2", "{}")) == TL_MEANING_RESPONSE && w.seen.method == TL_METHOD_PING);
  /* So is the id of a request that was answered or cancelled. */
  CHECK(tl_session_reset(&w.session) == 0);
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("1", "tools/list", "")) == TL_MEANING_REQUEST);
  CHECK(show(&w, TL_ROLE_CLIENT, NOTE("notifications/cancelled", "\"requestId\":1")) == TL_MEANING_CANCELLED);
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("1", "sampling/createMessage", "")) == TL_MEANING_REFUSED);
  finish(&w);
}

/* The revisions that a session supports, and which its profile allows. */
static void check_profiles(void) {
  static const char batch[] = "[" RESULT("2", "{}") "]\n";
  watched w;
  char room[128];
  tl_out out = tl_out_of(room, sizeof room);
  tl_view sent;
  begin(&w);
  CHECK(tl_session_negotiate(&w.session, tl_text("\"2025-03-26\"")) == TL_REVISION_2025_11_25);
  CHECK(tl_session_init(TL_ABI, &w.session, sizeof w.session, &tl_json_rpc, w.slots, 4) == 0);
  CHECK(tl_session_supported(&w.session) == TL_REVISIONS_ALL);
  CHECK(tl_session_init(TL_ABI, &w.session, sizeof w.session, &tl_mcp_2025_03_26, w.slots, 4) == 0);
  CHECK(tl_session_supported(&w.session) == TL_REVISIONS_ALL);
  CHECK(tl_session_init(TL_ABI, &w.session, sizeof w.session, profile, w.slots, 4) == 0);
  CHECK(tl_session_support(&w.session, TL_REVISIONS_ALL) == 0);
  CHECK(tl_session_negotiate(&w.session, tl_text("\"2025-03-26\"")) == TL_REVISION_2025_03_26);
  CHECK(show(&w, TL_ROLE_CLIENT, OPEN("2025-03-26")) == TL_MEANING_REQUEST);
  CHECK(show(&w, TL_ROLE_SERVER, OPENED("2025-03-26")) == TL_MEANING_RESPONSE);
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("2", "ping", "")) == TL_MEANING_REQUEST);
  memcpy(room, batch, sizeof batch - 1);
  out.used = sizeof batch - 1;
  CHECK(tl_session_take_batches(&w.session, TL_ROLE_SERVER, &out, &sent, &w.findings) == 0);
  CHECK(w.findings.count == 1 && in_flight(&w) == 1); /* The profile does not allow it. */
  CHECK(tl_session_set_profile(&w.session, NULL) == TL_ERROR_NULL);
  CHECK(tl_session_set_profile(&w.session, &tl_mcp_2025_03_26) == 0);
  CHECK(tl_session_revision(&w.session) == TL_REVISION_2025_03_26 && in_flight(&w) == 1);
  out.used = sizeof batch - 1;
  CHECK(tl_session_take_batches(&w.session, TL_ROLE_SERVER, &out, &sent, &w.findings) == 0);
  CHECK(w.findings.count == 0 && in_flight(&w) == 0);
  finish(&w);
}

/* Ids, and requests that are given up. */
static void check_ids(void) {
  watched w;
  tl_in_flight request;
  begin(&w);
  CHECK(tl_session_in_flight(&w.session, 0, NULL) == TL_ERROR_NULL);
  /* An id that only the profile of plain JSON-RPC allows. */
  CHECK(tl_check_line(&tl_json_rpc, tl_text("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}"), &w.event) > 0);
  CHECK(tl_session_observe(&w.session, TL_ROLE_CLIENT, &w.event, &w.seen, NULL) == TL_MEANING_REQUEST);
  CHECK(tl_session_in_flight(&w.session, 0, &request) == 1 && view_is(request.id, "null"));
  CHECK(tl_session_reset(&w.session) == 0);
  CHECK(tl_id_eq(tl_text("\"\\u0061\""), tl_text("\"a\"")) == 1 && tl_id_eq(tl_text("1"), tl_text("1")) == 1);
  CHECK(tl_id_eq(tl_text("1"), tl_text("\"1\"")) == 0 && tl_id_eq(tl_text("1"), tl_text("2")) == 0);
  CHECK(tl_id_eq(tl_text("1"), tl_text("{}")) == TL_ERROR_ID && tl_id_eq(tl_text("["), tl_text("1")) == TL_ERROR_ID);
  CHECK(tl_id_eq(tl_none(), tl_text("1")) == TL_ERROR_NULL && tl_id_eq(tl_text("1"), tl_none()) == TL_ERROR_NULL);
  ask(&w, "\"a\"");
  CHECK(tl_session_forget(&w.session, TL_ROLE_CLIENT, tl_text("\"a\"")) == 0 && in_flight(&w) == 1);
  CHECK(tl_session_forget(&w.session, TL_ROLE_SERVER, tl_text("\"\\u0061\"")) == 1 && in_flight(&w) == 0);
  CHECK(tl_session_forget(&w.session, TL_ROLE_SERVER, tl_text("\"a\"")) == 0);
  CHECK(show(&w, TL_ROLE_CLIENT, RESULT("\"a\"", "{}")) == TL_MEANING_UNMATCHED);
  CHECK(tl_session_forget(&w.session, 0, tl_text("1")) == TL_ERROR_RANGE);
  CHECK(tl_session_forget(&w.session, TL_ROLE_SERVER, tl_text("x")) == TL_ERROR_ID);
  CHECK(tl_session_forget(&w.session, TL_ROLE_SERVER, tl_none()) == TL_ERROR_NULL);
  finish(&w);
}

/* What is taken from a buffer that has no room, or in which a message is being written. */
static void check_takes(void) {
  watched w;
  char room[128];
  tl_out out = tl_out_of(room, sizeof room);
  tl_writer writer;
  tl_view sent = tl_text("?");
  begin(&w);
  CHECK(tl_begin_result(&writer, &out, profile, tl_text("1")) == 0 && tl_open_object(&writer) == 0);
  CHECK(tl_session_take(&w.session, TL_ROLE_SERVER, &out, &sent, NULL) == 0 && sent.ptr == room && sent.len == 0);
  CHECK(tl_close(&writer) == TL_ERROR_ORDER && tl_end(&writer) == TL_ERROR_ORDER && out.used == 0);
  out = tl_out_of(NULL, 0);
  CHECK(tl_session_take(&w.session, TL_ROLE_SERVER, &out, &sent, NULL) == 0 && sent.ptr == NULL && sent.len == 0);
  finish(&w);
}

/* A batch whose answers do not fit is iterated again, but its messages are not observed again. */
static void check_batch_again(void) {
  static const tl_profile *const mcp = &tl_mcp_2025_03_26;
  static const char line[] = "[" REQUEST("1", "ping", "") "," REQUEST("2", "x", "") "," REQUEST("3", "ping", "") "]";
  watched w;
  char room[256], frame[sizeof line];
  tl_batch batch;
  tl_event whole, event;
  tl_out out = tl_out_of(room, 120);
  tl_view sent;
  int32_t meanings[3];
  size_t at;
  begin(&w);
  CHECK(tl_session_set_profile(&w.session, mcp) == 0);
  CHECK(tl_session_set_early(&w.session, TL_EARLY_SERVE, TL_EARLY_SERVE) == 0);
  memcpy(frame, line, sizeof line);
  CHECK(tl_check_line(mcp, tl_text(frame), &whole) == TL_KIND_BATCH);
  CHECK(tl_batch_init(&batch, mcp, &whole) == 0 && tl_begin_batch(&out) == 0);
  for (at = 0; tl_batch_next(&batch, &event) > 0; at++) {
    meanings[at] = tl_session_observe(&w.session, TL_ROLE_CLIENT, &event, &w.seen, NULL);
    CHECK(meanings[at] == TL_MEANING_REQUEST);
    (void)tl_write_result(&out, mcp, event.id, tl_text("{\"a long result\":\"that does not fit\"}"));
  }
  CHECK(at == 3 && tl_end_batch(&out) == TL_ERROR_FULL && out.used == 0 && out.needed > 120 && in_flight(&w) == 3);
  /* The answers are kept elsewhere, or are errors: -32603. */
  out = tl_out_of(room, sizeof room);
  CHECK(tl_batch_init(&batch, mcp, &whole) == 0 && tl_begin_batch(&out) == 0);
  for (at = 0; tl_batch_next(&batch, &event) > 0; at++) {
    if (meanings[at] == TL_MEANING_REQUEST) {
      CHECK(tl_write_error(&out, mcp, event.id, -32603, tl_text("no room"), tl_none()) == 0);
    }
  }
  CHECK(tl_end_batch(&out) == 0);
  CHECK(tl_session_take_batches(&w.session, TL_ROLE_SERVER, &out, &sent, &w.findings) == 0);
  CHECK(w.findings.count == 0 && in_flight(&w) == 0 && sent.len > 0);
  finish(&w);
}

/* What only the checked build notices. */
static void check_checked(void) {
#ifdef TL_CHECKED
  watched w;
  tl_session copy;
  char digits[20];
  tl_view id;
  begin(&w);
  memcpy(&copy, &w.session, sizeof copy);
  CHECK(tl_session_next_id(&w.session, digits, sizeof digits, &id) == 0);
  CHECK(tl_session_next_id(&copy, digits, sizeof digits, &id) == TL_ERROR_STATE);
  CHECK(show(&w, TL_ROLE_CLIENT, OPEN("2025-11-25")) == TL_MEANING_REQUEST);
  memcpy(&copy, &w.session, sizeof copy);
  CHECK(show(&w, TL_ROLE_SERVER, OPENED("2025-11-25")) == TL_MEANING_RESPONSE);
  CHECK(tl_session_phase(&copy) == TL_ERROR_STATE && tl_session_phase(&w.session) == TL_PHASE_AWAITING_INITIALIZED);
  CHECK(tl_session_reset(&w.session) == 0 && tl_session_phase(&w.session) == TL_PHASE_OPENING);
  CHECK(tl_session_negotiate(&w.session, tl_text("2025-06-18")) == TL_ERROR_JSON);
  CHECK(tl_capabilities_of(tl_text("{\"tools\":{}")) == 0);
  finish(&w);
#endif
}

static void check_batch(void) {
  watched w;
  char room[256];
  tl_batch batch;
  tl_event event;
  tl_out out = tl_out_of(room, sizeof room);
  tl_view sent;
  size_t used;
  tl_view frame = tl_text("[" REQUEST("3", "tools/list", "") ",{\"id\":7}," OPEN("2025-03-26") "]");
  begin(&w);
  CHECK(tl_check_line(&tl_mcp_2025_03_26, frame, &event) == TL_KIND_BATCH);
  CHECK(tl_session_observe(&w.session, TL_ROLE_CLIENT, &event, &w.seen, &w.findings) == TL_MEANING_BATCH);
  CHECK(tl_batch_init(&batch, &tl_mcp_2025_03_26, &event) == 0);
  CHECK(tl_batch_next(&batch, &event) == TL_KIND_REQUEST);
  CHECK(tl_session_observe(&w.session, TL_ROLE_CLIENT, &event, &w.seen, &w.findings) == TL_MEANING_REFUSED);
  CHECK(tl_batch_next(&batch, &event) == TL_KIND_FAULT);
  CHECK(tl_session_observe(&w.session, TL_ROLE_CLIENT, &event, &w.seen, &w.findings) == TL_MEANING_NONE);
  CHECK(tl_batch_next(&batch, &event) == TL_KIND_REQUEST);
  CHECK(tl_session_observe(&w.session, TL_ROLE_CLIENT, &event, &w.seen, &w.findings) == TL_MEANING_REFUSED);
  CHECK(w.seen.rule == TL_MCP_RULE_INITIALIZE_IN_BATCH && tl_batch_next(&batch, &event) == 0);

  /* The answers, in one line. They are taken when the batch has ended. */
  CHECK(tl_session_init(TL_ABI, &w.session, sizeof w.session, &tl_mcp_2025_03_26, w.slots, 4) == 0);
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("1", "ping", "")) == TL_MEANING_REQUEST);
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("2", "ping", "")) == TL_MEANING_REQUEST);
  CHECK(tl_begin_batch(&out) == 0 && tl_write_result(&out, &tl_mcp_2025_03_26, tl_text("1"), tl_text("{}")) == 0);
  CHECK(tl_session_take(&w.session, TL_ROLE_SERVER, &out, &sent, &w.findings) == TL_ERROR_ORDER);
  CHECK(tl_session_take_batches(&w.session, TL_ROLE_SERVER, &out, &sent, &w.findings) == TL_ERROR_ORDER);
  CHECK(tl_write_result(&out, &tl_mcp_2025_03_26, tl_text("2"), tl_text("{}")) == 0 && tl_end_batch(&out) == 0 && out.used > 0);
  used = out.used;
  CHECK(tl_session_take(&w.session, TL_ROLE_SERVER, &out, &sent, &w.findings) == 0 && out.used == 0);
  CHECK(found_one(&w, TL_RULE_BATCH_NOT_ALLOWED, TL_SEVERITY_ERROR) && in_flight(&w) == 2);
  out.used = used;
  CHECK(tl_session_take_batches(&w.session, TL_ROLE_SERVER, &out, &sent, &w.findings) == 0 && out.used == 0);
  CHECK(w.findings.count == 0 && in_flight(&w) == 0 && sent.ptr == room && sent.len == used);
  finish(&w);
}

/* A program that breaks its promises, as far as the library can notice. */
static void check_misuse(void) {
  static union {
    tl_session session;
    char bytes[sizeof(tl_session) + 8];
  } state;
  static union {
    tl_slot slots[2];
    char bytes[2 * sizeof(tl_slot) + 4];
  } room;
  static char text[64];
  static tl_session zeros;
  watched w;
  tl_session *s = &state.session;
  tl_session *askew = (tl_session *)(void *)(state.bytes + 1);
  tl_out out = tl_out_of(text, sizeof text);
  tl_view sent = tl_none();
  tl_event event;
  tl_findings findings;
  tl_session_event seen;
  tl_in_flight request;
  uint32_t set;
  size_t size = sizeof *s;
  int32_t kind;
  CHECK(tl_session_init(TL_ABI + 1, s, size, profile, room.slots, 2) == TL_ERROR_VERSION);
  CHECK(tl_session_init(TL_ABI, NULL, size, profile, room.slots, 2) == TL_ERROR_NULL);
  CHECK(tl_session_init(TL_ABI, s, size, NULL, room.slots, 2) == TL_ERROR_NULL);
  CHECK(tl_session_init(TL_ABI, s, size, profile, NULL, 2) == TL_ERROR_NULL);
  CHECK(tl_session_init(TL_ABI, s, size, profile, room.slots, 0) == TL_ERROR_LENGTH);
  CHECK(tl_session_init(TL_ABI, s, size, profile, room.slots, SIZE_MAX) == TL_ERROR_LENGTH);
  CHECK(tl_session_init(TL_ABI, s, size - 1, profile, room.slots, 2) == TL_ERROR_STATE);
  CHECK(tl_session_init(TL_ABI, askew, size, profile, room.slots, 2) == TL_ERROR_STATE);
  CHECK(tl_session_init(TL_ABI, s, size, profile, (tl_slot *)(void *)(room.bytes + 1), 2) == TL_ERROR_STATE);
  CHECK(tl_session_phase(s) == TL_ERROR_STATE && tl_session_phase(&zeros) == TL_ERROR_STATE);
  CHECK(tl_session_phase(NULL) == TL_ERROR_NULL && tl_session_phase(askew) == TL_ERROR_STATE);
  CHECK(tl_session_revision(s) == TL_ERROR_STATE && tl_session_supported(NULL) == TL_ERROR_NULL);
  CHECK(tl_session_negotiate(s, tl_none()) == TL_ERROR_STATE && tl_session_reset(s) == TL_ERROR_STATE);
  CHECK(tl_session_support(s, 1) == TL_ERROR_STATE && tl_session_set_early(NULL, 1, 1) == TL_ERROR_NULL);
  CHECK(tl_session_declared(s, TL_ROLE_CLIENT, &set) == TL_ERROR_STATE);
  CHECK(tl_session_in_flight(s, 0, &request) == TL_ERROR_STATE);
  CHECK(tl_session_next_id(s, text, sizeof text, &sent) == TL_ERROR_STATE);
  CHECK(tl_session_take(s, TL_ROLE_SERVER, &out, &sent, NULL) == TL_ERROR_STATE);

  begin(&w);
  CHECK(show(&w, TL_ROLE_CLIENT, OPEN("2025-11-25")) == TL_MEANING_REQUEST);
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &w.event, &w.seen, NULL) == TL_ERROR_STATE);
  CHECK(tl_session_refuse(s, &out, &w.event, &w.seen) == TL_ERROR_STATE);
  s = &w.session;
  CHECK(tl_session_observe(NULL, TL_ROLE_CLIENT, &w.event, &w.seen, NULL) == TL_ERROR_NULL);
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, NULL, &w.seen, NULL) == TL_ERROR_NULL);
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &w.event, NULL, NULL) == TL_ERROR_NULL);
  CHECK(tl_session_observe(s, 0, &w.event, &w.seen, NULL) == TL_ERROR_RANGE);
  CHECK(tl_session_observe(s, 3, &w.event, &w.seen, NULL) == TL_ERROR_RANGE);
  findings = tl_findings_of(NULL, 4);
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &w.event, &w.seen, &findings) == TL_ERROR_NULL);
  findings = tl_findings_of(w.found, SIZE_MAX);
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &w.event, &w.seen, &findings) == TL_ERROR_LENGTH);
  findings = tl_findings_of((tl_finding *)(void *)((char *)w.found + 1), 1);
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &w.event, &w.seen, &findings) == TL_ERROR_STATE);
  /* An event that is not as the library has set it: a view elsewhere, too long, or not there. */
  event = w.event;
  event.id = tl_text("1");
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &event, &w.seen, NULL) == TL_ERROR_STATE);
  event = w.event;
  event.params.len = event.frame.len;
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &event, &w.seen, NULL) == TL_ERROR_STATE);
  event.params.len = SIZE_MAX;
  w.seen.place = 12345;
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &event, &w.seen, NULL) == TL_ERROR_STATE);
  event = w.event;
  event.method = tl_none();
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &event, &w.seen, NULL) == TL_ERROR_STATE);
  event = w.event;
  event.frame = tl_none();
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &event, &w.seen, NULL) == TL_ERROR_STATE);
  event = w.event;
  event.frame.len = SIZE_MAX;
  CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &event, &w.seen, NULL) == TL_ERROR_LENGTH);
  for (kind = -1; kind < 14; kind++) {
    memset(&event, 0, sizeof event);
    event.kind = kind;
    if (kind < TL_KIND_BATCH || kind > TL_KIND_LOST) {
      CHECK(tl_session_observe(s, TL_ROLE_CLIENT, &event, &w.seen, NULL) == TL_ERROR_STATE);
    }
  }
  CHECK(w.seen.place == 12345); /* No error has changed it. */
  /* No call has changed the session. */
  CHECK(tl_session_in_flight(s, 0, &request) == 1 && tl_session_in_flight(s, 1, &request) == 0);
  CHECK(tl_session_in_flight(s, 0, NULL) == TL_ERROR_NULL);

  CHECK(tl_session_support(s, 0) == TL_ERROR_RANGE && tl_session_support(s, 32) == TL_ERROR_RANGE);
  CHECK(tl_session_support(s, -1) == TL_ERROR_RANGE && tl_session_phase(s) == TL_PHASE_INITIALIZING);
  CHECK(tl_session_set_early(s, 0, 1) == TL_ERROR_RANGE && tl_session_set_early(s, 1, 3) == TL_ERROR_RANGE);
  CHECK(tl_session_phase(s) == TL_PHASE_INITIALIZING);
  CHECK(tl_session_declared(s, 7, &set) == TL_ERROR_RANGE);
  CHECK(tl_session_declared(s, TL_ROLE_CLIENT, NULL) == TL_ERROR_NULL);
  CHECK(tl_session_next_id(s, NULL, 20, &sent) == TL_ERROR_NULL);
  CHECK(tl_session_next_id(s, text, sizeof text, NULL) == TL_ERROR_NULL);
  CHECK(tl_session_next_id(s, text, sizeof text, &sent) == 0 && view_is(sent, "1"));
  CHECK(tl_session_take(s, TL_ROLE_SERVER, NULL, &sent, NULL) == TL_ERROR_NULL);
  CHECK(tl_session_take(s, TL_ROLE_SERVER, &out, NULL, NULL) == TL_ERROR_NULL);
  CHECK(tl_session_take(s, 9, &out, &sent, NULL) == TL_ERROR_RANGE);
  out.used = sizeof text + 1;
  CHECK(tl_session_take(s, TL_ROLE_SERVER, &out, &sent, NULL) == TL_ERROR_LENGTH && out.used == sizeof text + 1);
  CHECK(tl_session_refuse(NULL, &out, &w.event, &w.seen) == TL_ERROR_NULL);
  CHECK(tl_session_refuse(s, &out, NULL, &w.seen) == TL_ERROR_NULL);
  CHECK(tl_session_refuse(s, &out, &w.event, NULL) == TL_ERROR_NULL);
  /* What was seen of another event. */
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("2", "tools/list", "")) == TL_MEANING_REFUSED);
  seen = w.seen;
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("3", "tools/list", "")) == TL_MEANING_REFUSED);
  CHECK(tl_session_refuse(s, &out, &w.event, &seen) == TL_ERROR_STATE);
  CHECK(show(&w, TL_ROLE_CLIENT, "nothing") == TL_MEANING_NONE);
  CHECK(tl_session_refuse(s, &out, &w.event, &seen) == TL_ERROR_STATE);
  seen = w.seen;
  CHECK(show(&w, TL_ROLE_CLIENT, REQUEST("4", "tools/list", "")) == TL_MEANING_REFUSED);
  CHECK(tl_session_refuse(s, &out, &w.event, &seen) == TL_ERROR_STATE);
  memset(&seen, 0, sizeof seen);
  CHECK(tl_session_refuse(s, &out, &w.event, &seen) == TL_ERROR_STATE);
  w.seen.kind = TL_MEANING_REFUSED;
  CHECK(tl_session_refuse(s, NULL, &w.event, &w.seen) == TL_ERROR_NULL);
  out = tl_out_of(text, sizeof text);
  w.seen.rule = 0;
  CHECK(tl_session_refuse(s, &out, &w.event, &w.seen) == TL_ERROR_STATE && out.used == 0);
  w.seen.rule = 65535;
  w.seen.version = tl_text("no JSON");
  CHECK(tl_session_refuse(s, &out, &w.event, &w.seen) == 0 || out.needed > sizeof text);
  CHECK(tl_capabilities_of(tl_none()) == 0 && tl_capabilities_of(tl_text("5")) == 0);
  CHECK(view_is(tl_mcp_rule_name(TL_MCP_RULE_MISSING_META), "missing-meta") && tl_mcp_rule_name(0).ptr == NULL);
  CHECK(tl_mcp_rule_summary(TL_RULE_NOT_JSON).len > 0 && tl_mcp_rule_help(TL_MCP_RULE_ERA_MIXED).len > 0);
  CHECK(tl_mcp_rule_summary(0).ptr == NULL && tl_mcp_rule_help(0).ptr == NULL);
  finish(&w);
}

int main(void) {
  check_handshake();
  check_modern();
  check_client();
  check_rooms();
  check_broken();
  check_ids_in_use();
  check_profiles();
  check_ids();
  check_takes();
  check_batch_again();
  check_checked();
  check_batch();
  check_misuse();
  return 0;
}
