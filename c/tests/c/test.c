/*
 * The C library, from C: every function, its errors, and the views. It compiles as C99 and as C++11, and runs under
 * sanitizers. Prints the first check that fails.
 */
#include "support.h"

static void check_verdicts(void) {
  tl_event event;
  tl_view frame = tl_text("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"sum\",\"params\":[1,2],\"x\":0}");
  CHECK(tl_check(&tl_json_rpc, frame, &event) == TL_KIND_REQUEST);
  CHECK(event.kind == TL_KIND_REQUEST && event.rule == 0 && event.unknown_members == 1);
  CHECK(view_is(event.id, "\"a\"") && view_is(event.method, "\"sum\"") && view_is(event.params, "[1,2]"));
  CHECK(event.frame.ptr == frame.ptr && event.frame.len == frame.len && event.length == frame.len);
  CHECK(event.result.ptr == NULL && event.reply_id.ptr == NULL && event.reply_code == 0);
  CHECK(tl_check(&tl_mcp_2025_11_25, frame, &event) == TL_KIND_FAULT);
  CHECK(event.rule == TL_RULE_PARAMS_TYPE && event.place == 50 && event.reply_code == -32600);
  CHECK(view_is(event.reply_id, "\"a\""));

  CHECK(tl_check(&tl_json_rpc, tl_text("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}"), &event) == TL_KIND_NOTIFICATION);
  CHECK(event.id.ptr == NULL && event.params.ptr == NULL);
  CHECK(tl_check(&tl_json_rpc, tl_text("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":null}"), &event) == TL_KIND_RESULT);
  CHECK(view_is(event.id, "7") && view_is(event.result, "null"));
  frame = tl_text("{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-1,\"message\":\"no\",\"data\":{}}}");
  CHECK(tl_check(&tl_json_rpc, frame, &event) == TL_KIND_ERROR);
  CHECK(view_is(event.error_code, "-1") && view_is(event.error_message, "\"no\"") && view_is(event.error_data, "{}"));

  CHECK(tl_check(&tl_json_rpc, tl_text("{\"a\":tru}"), &event) == TL_KIND_FAULT);
  CHECK(event.rule == TL_RULE_NOT_JSON && event.syntax == TL_SYNTAX_INVALID_LITERAL && event.place == 8);
  CHECK(event.reply_code == -32700 && view_is(event.reply_id, "null"));
  CHECK(view_is(tl_rule_name(event.rule), "not-json") && tl_rule_summary(event.rule).len > 0);
  CHECK(tl_rule_help(event.rule).len > 0 && tl_syntax_description(event.syntax).len > 0);
  CHECK(tl_rule_name(0).ptr == NULL && tl_rule_summary(0).ptr == NULL && tl_rule_help(0).ptr == NULL);
  CHECK(tl_rule_name(65535).ptr == NULL && tl_rule_summary(9999).ptr == NULL && tl_rule_help(9999).ptr == NULL);
  CHECK(view_is(tl_error_name(TL_ERROR_FULL), "full") && view_is(tl_kind_name(event.kind), "fault"));
  CHECK(tl_syntax_description(0).ptr == NULL && tl_syntax_description(255).ptr == NULL);

  frame = tl_text("{\"jsonrpc\":\"2.0\",\"method\":\"a\"\r}");
  CHECK(tl_check(&tl_mcp_2025_11_25, frame, &event) == TL_KIND_NOTIFICATION);
  CHECK(tl_check_line(&tl_mcp_2025_11_25, frame, &event) == TL_KIND_FAULT);
  CHECK(event.rule == TL_RULE_RAW_CARRIAGE_RETURN);
  CHECK(tl_check(&tl_json_rpc, tl_bytes("", 0), &event) == TL_KIND_FAULT);

  CHECK(TL_CODE_PARSE_ERROR == -32700 && TL_CODE_INVALID_REQUEST == -32600 && TL_CODE_METHOD_NOT_FOUND == -32601);
  CHECK(TL_CODE_INVALID_PARAMS == -32602 && TL_CODE_INTERNAL_ERROR == -32603);
  CHECK(tl_profile_named("2025-11-25/strict") == &tl_mcp_2025_11_25_strict);
  CHECK(tl_profile_named("json-rpc") == &tl_json_rpc && tl_profile_named("2025") == NULL);
  CHECK(tl_framing_named("content-length") == &tl_framing_content_length && tl_framing_named("") == NULL);
}

/* The table of the README: what a line is owed that is no JSON, no message without an id, and no message with one. */
static void check_owed(void) {
  const struct {
    const tl_profile *profile;
    int32_t no_json, no_id;
  } table[] = {
      {&tl_mcp_2024_11_05, 0, 0},
      {&tl_mcp_2025_03_26, 0, 0},
      {&tl_mcp_2025_06_18, 0, 0},
      {&tl_mcp_2025_11_25, 0, -32600},
      {&tl_mcp_2026_07_28, 0, -32600},
      {&tl_json_rpc, -32700, -32600},
      {&tl_lsp, -32700, -32600},
      {&tl_mcp_2025_03_26_request_body, -32700, -32600},
      {&tl_mcp_2026_07_28_request_body, -32700, -32600},
  };
  tl_event event;
  size_t i;
  for (i = 0; i < sizeof table / sizeof table[0]; i++) {
    CHECK(tl_check(table[i].profile, tl_text("hello"), &event) == TL_KIND_FAULT);
    CHECK(event.reply_code == table[i].no_json);
    CHECK(tl_check(table[i].profile, tl_text("{}"), &event) == TL_KIND_FAULT);
    CHECK(event.reply_code == table[i].no_id);
    CHECK(tl_check(table[i].profile, tl_text("{\"jsonrpc\":\"2.0\",\"id\":1}"), &event) == TL_KIND_FAULT);
    CHECK(event.reply_code == -32600 && view_is(event.reply_id, "1"));
  }
}

static void check_values(void) {
  tl_view value, name, array;
  tl_iter iter;
  char buffer[16];
  size_t length = 99;
  int64_t number;
  uint64_t positive;
  tl_view object = tl_text("{ \"a\" : [ 1.0, -2, 1e2, 0.5, 18446744073709551615, \"7\" ], \"b\":\"x\\u00e9\\/\\n\", \"c\":true,"
                           " \"a\\u0041\":null, \"d\":1, \"d\":2, \"e\":\"\\ud800\" }");
  CHECK(tl_member(object, "b", &value) == 1 && tl_type_of(value) == TL_TYPE_STRING);
  CHECK(tl_text_eq(value, "x\xc3\xa9/\n") == 1 && tl_text_eq(value, "x") == 0 && tl_text_eq(value, NULL) == 0);
  CHECK(tl_text_decode(value, buffer, sizeof buffer, &length) == 0 && length == 5 &&
        strcmp(buffer, "x\xc3\xa9/\n") == 0);
  CHECK(tl_text_decode(value, buffer, 6, NULL) == 0);
  CHECK(tl_text_decode(value, buffer, 5, &length) == TL_ERROR_FULL && length == 5);
  CHECK(tl_text_decode(value, NULL, 0, &length) == TL_ERROR_FULL && length == 5);
  CHECK(tl_member(object, "aA", &value) == 1 && tl_type_of(value) == TL_TYPE_NULL);
  CHECK(tl_member(object, "d", &value) == TL_ERROR_REPEATED);
  CHECK(tl_member(object, "z", &value) == 0 && value.ptr == NULL && tl_type_of(value) == TL_TYPE_ABSENT);
  CHECK(tl_member(object, "c", &value) == 1 && tl_bool(value) == 1 && tl_bool(object) == TL_ERROR_TYPE);
  CHECK(tl_member(object, "e", &value) == 1 &&
        tl_text_decode(value, buffer, sizeof buffer, &length) == TL_ERROR_SURROGATE);
  CHECK(tl_text_eq(value, "") == 0);

  CHECK(tl_member(object, "a", &array) == 1 && tl_elements(array, &iter) == 0);
  CHECK(tl_next_element(&iter, &value) == 1 && tl_int64(value, &number) == 0 && number == 1);
  CHECK(tl_next_element(&iter, &value) == 1 && tl_int64(value, &number) == 0 && number == -2);
  CHECK(tl_uint64(value, &positive) == TL_ERROR_RANGE);
  CHECK(tl_next_element(&iter, &value) == 1 && tl_uint64(value, &positive) == 0 && positive == 100);
  CHECK(tl_next_element(&iter, &value) == 1 && tl_int64(value, &number) == TL_ERROR_RANGE);
  CHECK(tl_next_element(&iter, &value) == 1 && tl_uint64(value, &positive) == 0 && positive == UINT64_MAX);
  CHECK(tl_int64(value, &number) == TL_ERROR_RANGE);
  CHECK(tl_next_element(&iter, &value) == 1 && tl_int64(value, &number) == TL_ERROR_TYPE);
  CHECK(tl_next_element(&iter, &value) == 0 && tl_next_element(&iter, &value) == 0);

  CHECK(tl_members(object, &iter) == 0);
  for (length = 0; tl_next_member(&iter, &name, &value) == 1; length++) {
    CHECK(tl_type_of(name) == TL_TYPE_STRING);
  }
  CHECK(length == 7);
  CHECK(tl_double_text(1, buffer, sizeof buffer, &length) == 0 && length == 3 && strcmp(buffer, "1.0") == 0);
  CHECK(tl_double_text(-2.5e-7, buffer, sizeof buffer, NULL) == 0 && strcmp(buffer, "-2.5e-7") == 0);
  CHECK(tl_double_text(0.25, buffer, 4, &length) == TL_ERROR_FULL && length == 4);
  CHECK(tl_double_text(0.25, NULL, 1, &length) == TL_ERROR_NULL && tl_double_text(0.25, NULL, 0, NULL) == TL_ERROR_FULL);
  CHECK(tl_members(array, &iter) == TL_ERROR_TYPE && tl_elements(object, &iter) == TL_ERROR_TYPE);
}

/* Pushes a text in chunks of a size, and appends a digit for the kind of each event and the replies that are owed. */
static void run(const tl_framing *framing, tl_stream *stream, size_t size, const char *text, size_t chunk, char *kinds,
                tl_out *out) {
  char room[64];
  tl_event event;
  size_t at, rest, total = strlen(text);
  int32_t kind;
  CHECK(tl_stream_init(TL_ABI, stream, size, framing, &tl_json_rpc, room, sizeof room) == 0);
  for (at = 0; at < total; at += chunk) {
    tl_view input;
    rest = total - at;
    input = tl_bytes(text + at, rest < chunk ? rest : chunk);
    while ((kind = tl_push(stream, &input, &event)) > 0) {
      CHECK(event.kind == kind && tl_write_reply(out, &event) == 0);
      *kinds++ = (char)('0' + kind);
    }
    CHECK(kind == 0 && input.len == 0);
  }
  while ((kind = tl_finish(stream, &event)) > 0) {
    CHECK(tl_write_reply(out, &event) == 0);
    *kinds++ = (char)('0' + kind);
  }
  CHECK(kind == 0);
  *kinds = '\0';
}

static void check_streams(void) {
  const char *lines =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n\n{}\r\n"
      "{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"method\":\"b\",\"params\":[\"0123456789012345678901234567890123456789\"]}\n"
      "{\"jsonrpc\":\"2.0\",\"method\":\"c\"}";
  const char *events = "data: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"a\"}\n\n: a comment\n\ndata: 7\n\n";
  const char *values = "{\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"a\"} []{";
  const char *headers = "Content-Length: 31\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"a\"} Content-Length: 2\r\n\r\n";
  const char *invalid = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid Request\"}}\n";
  const char *of_long = "{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"error\":{\"code\":-32600,\"message\":\"Invalid Request\"}}\n";
  union {
    tl_stream plain;
    tl_skimming_stream skimming;
    tl_sse_stream sse;
  } state;
  char kinds[32], buffer[512], expected[512];
  size_t chunk;
  for (chunk = 1; chunk < 300; chunk++) {
    tl_out out = tl_out_of(buffer, sizeof buffer);
    run(&tl_framing_lines, &state.plain, sizeof state.plain, lines, chunk, kinds, &out);
    CHECK(strcmp(kinds, "1672") == 0);
    strcpy(expected, invalid);
    CHECK(out_is(&out, strcat(expected, invalid)));
    out.used = 0;
    run(&tl_framing_lines_skimming, &state.skimming.stream, sizeof state.skimming, lines, chunk, kinds, &out);
    CHECK(strcmp(kinds, "1672") == 0);
    strcpy(expected, invalid);
    CHECK(out_is(&out, strcat(expected, of_long)));
    run(&tl_framing_sse, &state.sse.stream, sizeof state.sse, events, chunk, kinds, &out);
    CHECK(strcmp(kinds, "26") == 0);
    run(&tl_framing_sse_skimming, &state.sse.stream, sizeof state.sse, events, chunk, kinds, &out);
    CHECK(strcmp(kinds, "26") == 0);
    out.used = 0;
    run(&tl_framing_concatenated, &state.plain, sizeof state.plain, values, chunk, kinds, &out);
    CHECK(strcmp(kinds, "169") == 0);
    run(&tl_framing_content_length, &state.plain, sizeof state.plain, headers, chunk, kinds, &out);
    CHECK(strcmp(kinds, "29") == 0);
  }
}

static void check_lost_streams(void) {
  tl_stream stream, moved;
  char room[64];
  tl_event event;
  tl_view input = tl_text("{} x\n{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n");
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, &tl_framing_concatenated, &tl_json_rpc, room, sizeof room) == 0);
  CHECK(tl_push(&stream, &input, &event) == TL_KIND_FAULT && event.line == 1 && event.offset == 0);
  CHECK(tl_push(&stream, &input, &event) == TL_KIND_LOST && event.rule == TL_RULE_VALUE_EXPECTED && event.offset == 3);
  CHECK(tl_push(&stream, &input, &event) == TL_ERROR_LOST && input.len > 0);
  moved = stream; /* The old one is not used again. */
  CHECK(tl_stream_resync(&moved) == 0 && tl_stream_resync(&moved) == 0);
  CHECK(tl_stream_set_profile(&moved, &tl_mcp_2025_11_25) == 0);
  CHECK(tl_push(&moved, &input, &event) == TL_KIND_NOTIFICATION);
  CHECK(tl_finish(&moved, &event) == TL_KIND_NOTHING && event.kind == TL_KIND_NOTHING);
  CHECK(tl_push(&moved, &input, &event) == TL_ERROR_ENDED);
}

static void check_batches(void) {
  tl_batch batch;
  tl_event event;
  tl_view frame = tl_text(" [ {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"} , 7, {\"jsonrpc\":\"2.0\",\"method\":\"b\"}]");
  CHECK(tl_check(&tl_json_rpc, frame, &event) == TL_KIND_BATCH && event.elements == 3);
  CHECK(tl_batch_init(&batch, &tl_json_rpc, &event) == 0);
  CHECK(tl_batch_next(&batch, &event) == TL_KIND_REQUEST && view_is(event.id, "1"));
  CHECK(tl_batch_next(&batch, &event) == TL_KIND_FAULT && event.rule == TL_RULE_NOT_AN_OBJECT && event.place == 43);
  CHECK(tl_batch_next(&batch, &event) == TL_KIND_NOTIFICATION && tl_text_eq(event.method, "b"));
  CHECK(tl_batch_next(&batch, &event) == TL_KIND_NOTHING && tl_batch_next(&batch, &event) == TL_KIND_NOTHING);
}

static void check_messages(void) {
  char buffer[400];
  tl_out out = tl_out_of(buffer, sizeof buffer);
  const tl_profile *mcp = &tl_mcp_2025_11_25;
  CHECK(tl_write_request(&out, mcp, tl_text("7"), tl_text("a\"b"), tl_text("{ }")) == 0);
  CHECK(out_is(&out, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a\\\"b\",\"params\":{ }}\n") &&
        out.needed == out.used);
  out.used = 0;
  CHECK(tl_write_notification(&out, mcp, tl_text("x"), tl_none()) == 0);
  CHECK(out_is(&out, "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n"));
  out.used = 0;
  CHECK(tl_write_result(&out, mcp, tl_text("\"\\u0041\""), tl_text("{\"a\":\n1}")) == 0);
  CHECK(out_is(&out, "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0041\",\"result\":{\"a\":1}}\n"));
  out.used = 0;
  CHECK(tl_write_error(&out, mcp, tl_text("1"), -32601, tl_text("no"), tl_text("[1]")) == 0);
  CHECK(tl_write_error(&out, mcp, tl_none(), -1, tl_text("no"), tl_none()) == 0);
  CHECK(out_is(&out, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\",\"data\":[1]}}\n"
                     "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":\"no\"}}\n"));
  out.used = 0;
  CHECK(tl_write_result(&out, mcp, tl_text("null"), tl_text("{}")) == TL_ERROR_ID);
  CHECK(tl_write_result(&out, mcp, tl_text("{}"), tl_text("{}")) == TL_ERROR_ID);
  CHECK(tl_write_result(&out, mcp, tl_none(), tl_text("{}")) == TL_ERROR_NULL);
  CHECK(tl_write_result(&out, mcp, tl_text("1"), tl_text("[]")) == TL_ERROR_RESULT);
  CHECK(tl_write_result(&out, mcp, tl_text("1"), tl_text("{\"a\"}")) == TL_ERROR_JSON);
  CHECK(tl_write_request(&out, mcp, tl_text("1"), tl_text("a"), tl_text("[]")) == TL_ERROR_PARAMS);
  CHECK(tl_write_request(&out, mcp, tl_text("1"), tl_text("\xff"), tl_none()) == TL_ERROR_UTF8);
  CHECK(tl_write_error(&out, &tl_mcp_2024_11_05, tl_none(), -1, tl_text("no"), tl_none()) == TL_ERROR_ID);
  CHECK(out.used == 0);
  out.capacity = 1;
  CHECK(tl_write_result(&out, mcp, tl_text("1"), tl_text("[]")) == TL_ERROR_RESULT);
  CHECK(tl_write_notification(&out, mcp, tl_text("a"), tl_text("null")) == TL_ERROR_PARAMS);
  out.capacity = 40;
  CHECK(tl_write_result(&out, mcp, tl_text("1"), tl_text("{\"a\":1}")) == TL_ERROR_FULL);
  CHECK(out.used == 0 && out.needed == 42);
  out.capacity = 42;
  CHECK(tl_write_result(&out, mcp, tl_text("1"), tl_text("{\"a\":1}")) == 0 && out.used == 42);
}

/* Writes the same result for every size of buffer, and returns the status of the end. */
static int32_t write_pieces(tl_out *out) {
  tl_writer writer;
  (void)tl_begin_result(&writer, out, &tl_mcp_2025_11_25, tl_text("\"x\""));
  (void)tl_open_object(&writer);
  (void)tl_key(&writer, tl_text("a\n"));
  (void)tl_open_array(&writer);
  (void)tl_put_int64(&writer, INT64_MIN);
  (void)tl_put_uint64(&writer, UINT64_MAX);
  (void)tl_put_bool(&writer, 1);
  (void)tl_open_object(&writer);
  (void)tl_close(&writer);
  (void)tl_put_null(&writer);
  (void)tl_close(&writer);
  (void)tl_key(&writer, tl_text("b"));
  (void)tl_put_text(&writer, tl_text("\xe2\x80\xa8"));
  (void)tl_key(&writer, tl_text("c"));
  (void)tl_put_json(&writer, tl_text(" [1,\n2] "));
  (void)tl_close(&writer);
  return tl_end(&writer);
}

static void check_writers(void) {
  const char *expected =
      "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"a\\n\":[-9223372036854775808,18446744073709551615,true,{},null],"
      "\"b\":\"\\u2028\",\"c\":[1,2]}}\n";
  char buffer[400];
  size_t size, i;
  tl_writer writer;
  tl_event event;
  tl_out out = tl_out_of(buffer, sizeof buffer);
  const tl_profile *mcp = &tl_mcp_2025_11_25;
  for (size = 0; size < 200; size++) {
    char *exact = (char *)malloc(size + 1);
    tl_out small = tl_out_of(exact, size);
    int32_t status = write_pieces(&small);
    CHECK(small.needed == strlen(expected));
    CHECK(status == (size < small.needed ? TL_ERROR_FULL : 0));
    CHECK(status == 0 ? out_is(&small, expected) : small.used == 0);
    free(exact);
  }
  {
    const char *one = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n";
    tl_out small = tl_out_of(buffer, strlen(one));
    CHECK(tl_begin_result(&writer, &small, &tl_json_rpc, tl_text("1")) == 0);
    CHECK(tl_put_int64(&writer, 7) == 0 && tl_end(&writer) == 0 && out_is(&small, one));
  }
  CHECK(tl_begin_request(&writer, &out, mcp, tl_text("1"), tl_text("m")) == 0);
  CHECK(tl_open_object(&writer) == 0 && tl_close(&writer) == 0 && tl_end(&writer) == 0);
  CHECK(tl_begin_notification(&writer, &out, &tl_json_rpc, tl_text("m")) == 0);
  CHECK(tl_open_array(&writer) == 0 && tl_close(&writer) == 0 && tl_end(&writer) == 0);
  CHECK(tl_begin_error(&writer, &out, mcp, tl_text("1"), -5, tl_text("no")) == 0);
  CHECK(tl_put_text(&writer, tl_text("why")) == 0 && tl_end(&writer) == 0);
  CHECK(out_is(&out, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{}}\n"
                     "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[]}\n"
                     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-5,\"message\":\"no\",\"data\":\"why\"}}\n"));
  CHECK(tl_end(&writer) == TL_ERROR_ORDER);

  /* Every mistake ends in an error, and nothing is written. */
  out.used = 0;
  for (i = 0; i < 12; i++) {
    int32_t status = 0;
    CHECK(tl_begin_result(&writer, &out, mcp, tl_text("1")) == 0);
    switch (i) {
    case 0: break;
    case 1: (void)tl_put_int64(&writer, 1); break;
    case 2: (void)tl_open_array(&writer); break;
    case 3: (void)tl_open_object(&writer); break;
    case 4: (void)tl_key(&writer, tl_text("a")); break;
    case 5: (void)tl_close(&writer); break;
    case 6: (void)tl_open_object(&writer); (void)tl_put_null(&writer); (void)tl_close(&writer); break;
    case 7: (void)tl_open_object(&writer); (void)tl_key(&writer, tl_text("a")); (void)tl_close(&writer); break;
    case 8: (void)tl_put_json(&writer, tl_text("{} {}")); break;
    case 9: (void)tl_open_object(&writer); (void)tl_key(&writer, tl_text("\xc0")); (void)tl_put_null(&writer); break;
    case 10: (void)tl_put_json(&writer, tl_text("{}")); (void)tl_put_json(&writer, tl_text("{}")); break;
    default: (void)tl_open_object(&writer); (void)tl_key(&writer, tl_none()); break;
    }
    status = tl_end(&writer);
    CHECK(status < 0 && out.used == 0);
  }
  CHECK(tl_begin_result(&writer, &out, &tl_json_rpc, tl_text("1")) == 0);
  for (i = 0; i < 64; i++) {
    CHECK(tl_open_array(&writer) == 0);
  }
  CHECK(tl_open_array(&writer) == TL_ERROR_DEPTH && tl_end(&writer) == TL_ERROR_DEPTH);

  /* The answer can come later, from a copy of the id. */
  {
    char id[8];
    tl_view copy;
    CHECK(tl_check(mcp, tl_text("{\"jsonrpc\":\"2.0\",\"id\":\"abc\",\"method\":\"m\"}"), &event) == TL_KIND_REQUEST);
    memcpy(id, event.id.ptr, event.id.len);
    copy = tl_bytes(id, event.id.len);
    CHECK(tl_write_result(&out, mcp, copy, tl_text("{}")) == 0);
    CHECK(out_is(&out, "{\"jsonrpc\":\"2.0\",\"id\":\"abc\",\"result\":{}}\n"));
  }
}

static void check_misuse(void) {
  tl_stream stream;
  tl_batch batch;
  tl_writer writer;
  tl_iter iter;
  tl_event event;
  tl_view name, view = tl_text("{}"), huge = tl_bytes("{}", SIZE_MAX), null_but_long = tl_bytes(NULL, 1);
  char room[8], text[8];
  size_t length;
  int64_t number;
  tl_out out = tl_out_of(room, sizeof room);
  const tl_profile *p = &tl_json_rpc;
  const tl_framing *f = &tl_framing_lines;
  CHECK(tl_abi() == TL_ABI && tl_stream_size() == sizeof(tl_stream));
  CHECK(tl_stream_align() <= sizeof(uint64_t));

  CHECK(tl_check(NULL, view, &event) == TL_ERROR_NULL && tl_check(p, view, NULL) == TL_ERROR_NULL);
  CHECK(tl_check(p, null_but_long, &event) == TL_ERROR_NULL);
  CHECK(tl_check(p, huge, &event) == TL_ERROR_LENGTH && tl_check_line(p, huge, &event) == TL_ERROR_LENGTH);

  CHECK(tl_stream_init(TL_ABI + 1, &stream, sizeof stream, f, p, room, 8) == TL_ERROR_VERSION);
  CHECK(tl_stream_init(TL_ABI, NULL, sizeof stream, f, p, room, 8) == TL_ERROR_NULL);
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, NULL, p, room, 8) == TL_ERROR_NULL);
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, f, NULL, room, 8) == TL_ERROR_NULL);
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, f, p, NULL, 8) == TL_ERROR_NULL);
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, f, p, room, 0) == TL_ERROR_LENGTH);
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, f, p, room, SIZE_MAX) == TL_ERROR_LENGTH);
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream - 1, f, p, room, 8) == TL_ERROR_STATE);
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, &tl_framing_sse, p, room, 8) == TL_ERROR_STATE);
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, &tl_framing_lines_skimming, p, room, 8) == TL_ERROR_STATE);
  memset(&stream, 0, sizeof stream);
  CHECK(tl_push(&stream, &view, &event) == TL_ERROR_STATE && tl_finish(&stream, &event) == TL_ERROR_STATE);
  CHECK(tl_stream_resync(&stream) == TL_ERROR_STATE && tl_stream_set_profile(&stream, p) == TL_ERROR_STATE);
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, f, p, room, 8) == 0);
  CHECK(tl_push(NULL, &view, &event) == TL_ERROR_NULL && tl_push(&stream, NULL, &event) == TL_ERROR_NULL);
  CHECK(tl_push(&stream, &view, NULL) == TL_ERROR_NULL && tl_push(&stream, &huge, &event) == TL_ERROR_LENGTH);
  CHECK(tl_push(&stream, &null_but_long, &event) == TL_ERROR_NULL && view.len == 2);
  view = tl_none();
  CHECK(tl_push(&stream, &view, &event) == TL_KIND_NOTHING);
  CHECK(tl_finish(NULL, &event) == TL_ERROR_NULL && tl_finish(&stream, NULL) == TL_ERROR_NULL);
  CHECK(tl_stream_resync(NULL) == TL_ERROR_NULL && tl_stream_set_profile(&stream, NULL) == TL_ERROR_NULL);

  view = tl_text("{}");
  memset(&batch, 0, sizeof batch);
  CHECK(tl_batch_next(&batch, &event) == TL_ERROR_STATE && tl_batch_next(NULL, &event) == TL_ERROR_NULL);
  CHECK(tl_check(p, tl_text("[7]"), &event) == TL_KIND_BATCH);
  CHECK(tl_batch_init(NULL, p, &event) == TL_ERROR_NULL && tl_batch_init(&batch, NULL, &event) == TL_ERROR_NULL);
  event.frame = huge;
  CHECK(tl_batch_init(&batch, p, &event) == TL_ERROR_LENGTH);

  CHECK(tl_type_of(tl_none()) == TL_TYPE_ABSENT && tl_type_of(huge) == TL_TYPE_ABSENT);
  CHECK(tl_text_eq(tl_none(), "") == 0 && tl_text_eq_n(tl_text("\"\""), tl_none()) == 0);
  CHECK(tl_text_decode(tl_text("\"a\""), NULL, 8, &length) == TL_ERROR_NULL);
  CHECK(tl_text_decode(tl_text("\"a\""), text, SIZE_MAX, &length) == TL_ERROR_LENGTH);
  CHECK(tl_text_decode(tl_text("7"), text, sizeof text, &length) == TL_ERROR_TYPE);
  CHECK(tl_int64(tl_none(), &number) == TL_ERROR_NULL && tl_int64(tl_text("1"), NULL) == TL_ERROR_NULL);
  CHECK(tl_uint64(tl_text("1"), NULL) == TL_ERROR_NULL && tl_bool(tl_none()) == TL_ERROR_NULL);
  CHECK(tl_member(view, NULL, &view) == TL_ERROR_NULL && tl_member(tl_text("{}"), "a", NULL) == TL_ERROR_NULL);
  CHECK(tl_members(tl_none(), &iter) == TL_ERROR_NULL && tl_members(tl_text("{}"), NULL) == TL_ERROR_NULL);
  CHECK(tl_next_element(NULL, &view) == TL_ERROR_NULL && tl_next_member(NULL, &view, &view) == TL_ERROR_NULL);
  memset(&iter, 0, sizeof iter);
  CHECK(tl_next_element(&iter, &view) == TL_ERROR_STATE && tl_next_member(&iter, &view, &view) == TL_ERROR_STATE);
  /* An iteration does not advance by a call that fails, and is of one kind. */
  CHECK(tl_elements(tl_text("[1,2]"), &iter) == 0 && tl_next_element(&iter, NULL) == TL_ERROR_NULL);
  CHECK(tl_next_member(&iter, &name, &view) == TL_ERROR_TYPE);
  CHECK(tl_next_element(&iter, &view) == 1 && view_is(view, "1"));
  CHECK(tl_members(tl_text("{\"a\":1}"), &iter) == 0 && tl_next_element(&iter, &view) == TL_ERROR_TYPE);
  CHECK(tl_next_member(&iter, NULL, &view) == TL_ERROR_NULL && tl_next_member(&iter, &name, NULL) == TL_ERROR_NULL);
  CHECK(tl_next_member(&iter, &name, &view) == 1 && view_is(name, "\"a\"") && view_is(view, "1"));
#ifndef TL_CHECKED /* What is no JSON gives some result or other, and an error in the checked build. */
  CHECK(tl_elements(tl_text("[1,\"a"), &iter) == 0);
  while (tl_next_element(&iter, &view) == 1) {
    (void)tl_text_decode(view, text, sizeof text, NULL);
    (void)tl_int64(view, &number);
  }
#endif

  CHECK(tl_write_result(NULL, p, tl_text("1"), tl_text("{}")) == TL_ERROR_NULL);
  CHECK(tl_write_reply(&out, NULL) == TL_ERROR_NULL && tl_write_request(&out, NULL, view, view, view) == TL_ERROR_NULL);
  CHECK(tl_write_notification(&out, p, tl_none(), tl_none()) == TL_ERROR_NULL);
  out.used = 9;
  CHECK(tl_write_result(&out, p, tl_text("1"), tl_text("{}")) == TL_ERROR_LENGTH && out.used == 9);
  out = tl_out_of(NULL, 8);
  CHECK(tl_write_result(&out, p, tl_text("1"), tl_text("{}")) == TL_ERROR_NULL);
  out = tl_out_of(NULL, 0);
  CHECK(tl_write_result(&out, p, tl_text("1"), tl_text("{}")) == TL_ERROR_FULL && out.needed > 8);
  CHECK(tl_open_object(NULL) == TL_ERROR_NULL && tl_end(NULL) == TL_ERROR_NULL);
  CHECK(tl_begin_result(NULL, &out, p, tl_text("1")) == TL_ERROR_NULL);
  CHECK(tl_begin_result(&writer, NULL, p, tl_text("1")) == TL_ERROR_NULL);
  /* A message that could not begin does not end, whatever the writer was before. */
  char answer[256];
  out = tl_out_of(answer, sizeof answer);
  memset(&writer, 0x40, sizeof writer);
  CHECK(tl_begin_result(&writer, &out, p, tl_none()) == TL_ERROR_NULL);
  CHECK(tl_open_object(&writer) == TL_ERROR_NULL && tl_end(&writer) == TL_ERROR_NULL);
  CHECK(tl_begin_result(&writer, &out, p, tl_text("1")) == 0 && tl_open_object(&writer) == 0);
  CHECK(tl_begin_notification(&writer, &out, NULL, tl_text("a")) == TL_ERROR_NULL);
  CHECK(tl_close(&writer) == TL_ERROR_NULL && tl_end(&writer) == TL_ERROR_NULL && out.used == 0);
}

int main(void) {
  check_verdicts();
  check_owed();
  check_values();
  check_streams();
  check_lost_streams();
  check_batches();
  check_messages();
  check_writers();
  check_misuse();
  return 0;
}
