/*
 * The buffer that messages are written to: batches, inputs that overlap with it, uses that break a message, and writers
 * that were never begun. Prints the first check that fails.
 */
#include "support.h"

static const tl_profile *const rpc = &tl_json_rpc;

/* Answers one message of a batch, or a frame that is one: this is all that a server does. */
static int32_t answer(tl_out *out, const tl_event *event) {
  tl_writer writer;
  if (event->kind != TL_KIND_REQUEST) {
    return tl_write_reply(out, event);
  }
  if (tl_text_eq(event->method, "a")) {
    return tl_write_result(out, rpc, event->id, tl_text("1"));
  }
  if (tl_text_eq(event->method, "bad")) {
    return tl_write_result(out, rpc, event->id, tl_text("{"));
  }
  (void)tl_begin_error(&writer, out, rpc, event->id, -32601, tl_text("no"));
  (void)tl_put_text(&writer, event->method);
  return tl_end(&writer);
}

/* Answers all messages of a batch, and returns the status of its end. */
static int32_t answer_batch(tl_out *out, const tl_event *whole) {
  tl_batch batch;
  tl_event event;
  CHECK(tl_batch_init(&batch, rpc, whole) == 0 && tl_begin_batch(out) == 0);
  while (tl_batch_next(&batch, &event) > 0) {
    int32_t status = answer(out, &event);
    CHECK(event.line == whole->line && event.offset == whole->offset && event.terminated == whole->terminated);
    CHECK(status == 0 || status == TL_ERROR_FULL || status == TL_ERROR_JSON);
    CHECK(out->used == 3 && (status != TL_ERROR_FULL || out->needed > 0));
  }
  return tl_end_batch(out);
}

static void check_batches(void) {
  const char *line =
      "\n[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}, 7,{\"jsonrpc\":\"2.0\",\"method\":\"b\"},"
      "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"bad\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"c\"}]\n";
  const char *expected =
      "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1},"
      "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid Request\"}},"
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"no\",\"data\":\"\\\"c\\\"\"}}]\n";
  const size_t length = strlen(expected);
  char room[512], buffer[512];
  tl_stream stream;
  tl_event event;
  tl_out out;
  size_t size;
  tl_view input = tl_text(line);
  CHECK(tl_stream_init(TL_ABI, &stream, sizeof stream, &tl_framing_lines, rpc, room, sizeof room) == 0);
  CHECK(tl_push(&stream, &input, &event) == TL_KIND_BATCH && event.line == 2 && event.offset == 1);

  /* It is there as a whole, or not at all, and the bytes behind the buffer stay as they are. */
  for (size = 3; size < length + 20; size++) {
    int32_t status;
    memset(buffer, '#', sizeof buffer);
    memcpy(buffer, "{}\n", 3);
    out = tl_out_of(buffer, size);
    out.used = 3;
    status = answer_batch(&out, &event);
    CHECK(out.needed == length && buffer[size] == '#');
    if (size < 3 + length) {
      CHECK(status == TL_ERROR_FULL && out.used == 3);
    } else {
      CHECK(status == 0 && out.used == 3 + length && memcmp(buffer + 3, expected, length) == 0);
    }
  }
  out = tl_out_of(NULL, 0);
  CHECK(tl_begin_batch(&out) == 0 && answer(&out, &event) == 0 && tl_end_batch(&out) == 0 && out.needed == 0);

  /* A batch of notifications is owed nothing, and neither is one whose only answer failed. */
  out = tl_out_of(buffer, sizeof buffer);
  CHECK(tl_begin_batch(&out) == 0 && tl_end_batch(&out) == 0 && out.used == 0 && out.needed == 0);
  CHECK(tl_begin_batch(&out) == 0 && tl_write_result(&out, rpc, tl_text("{}"), tl_text("1")) == TL_ERROR_ID);
  CHECK(tl_end_batch(&out) == 0 && out.used == 0);

  /* Other messages can come before and after it. */
  CHECK(tl_write_notification(&out, rpc, tl_text("x"), tl_none()) == 0);
  CHECK(tl_begin_batch(&out) == 0 && tl_write_notification(&out, rpc, tl_text("y"), tl_none()) == 0);
  CHECK(tl_end_batch(&out) == 0 && tl_write_notification(&out, rpc, tl_text("z"), tl_none()) == 0);
  CHECK(out_is(&out, "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n[{\"jsonrpc\":\"2.0\",\"method\":\"y\"}]\n"
                     "{\"jsonrpc\":\"2.0\",\"method\":\"z\"}\n"));

  /* What is out of order. */
  CHECK(tl_end_batch(&out) == TL_ERROR_ORDER && tl_begin_batch(&out) == 0 && tl_begin_batch(&out) == TL_ERROR_ORDER);
  CHECK(tl_write_notification(&out, rpc, tl_text("y"), tl_none()) == 0);
  out.used = 0;
  CHECK(tl_write_notification(&out, rpc, tl_text("y"), tl_none()) == TL_ERROR_ORDER && out.needed == 0);
  CHECK(tl_end_batch(&out) == TL_ERROR_ORDER && out.used == 0 && out.needed == 0);
  CHECK(tl_end_batch(&out) == TL_ERROR_ORDER && tl_begin_batch(&out) == 0 && tl_end_batch(&out) == 0);
  CHECK(tl_begin_batch(NULL) == TL_ERROR_NULL && tl_end_batch(NULL) == TL_ERROR_NULL);
  out.used = sizeof buffer + 1;
  CHECK(tl_begin_batch(&out) == TL_ERROR_LENGTH);

  /* The event must be that of a batch. */
  {
    tl_batch batch;
    CHECK(tl_batch_init(&batch, &tl_mcp_2025_11_25, &event) == TL_ERROR_TYPE);
    event.kind = TL_KIND_REQUEST;
    CHECK(tl_batch_init(&batch, rpc, &event) == TL_ERROR_TYPE);
    CHECK(tl_batch_init(&batch, rpc, NULL) == TL_ERROR_NULL);
  }
}

/* A batch in which a message did not fit fails, even if the buffer grows before its end. */
static void check_growing_batches(void) {
  const char *one = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n";
  char buffer[256];
  tl_writer writer;
  tl_view id = tl_text("1");
  tl_out out = tl_out_of(buffer, sizeof buffer);
  size_t capacity, length = strlen(one);
  int in_pieces;
  for (in_pieces = 0; in_pieces < 2; in_pieces++) {
    for (capacity = 2; capacity <= 2 + 2 * length; capacity++) {
      memset(buffer, '#', sizeof buffer);
      out = tl_out_of(buffer, capacity);
      out.used = 2;
      CHECK(tl_begin_batch(&out) == 0);
      CHECK(tl_write_result(&out, rpc, id, id) == (capacity < 3 + length ? TL_ERROR_FULL : 0));
      if (in_pieces) {
        (void)tl_begin_result(&writer, &out, rpc, id);
        (void)tl_put_int64(&writer, 1);
        out.capacity = sizeof buffer;
        CHECK(tl_end(&writer) == TL_ERROR_FULL);
      } else {
        CHECK(tl_write_result(&out, rpc, id, id) == TL_ERROR_FULL);
      }
      out.capacity = sizeof buffer;
      CHECK(tl_write_result(&out, rpc, id, id) == TL_ERROR_FULL && out.used == 2);
      CHECK(tl_end_batch(&out) == TL_ERROR_FULL && out.used == 2 && out.needed == 3 * length + 2);
    }
  }
  /* The next batch has the room. */
  out.used = 0;
  CHECK(tl_begin_batch(&out) == 0 && tl_write_result(&out, rpc, id, id) == 0 && tl_end_batch(&out) == 0);
  CHECK(out.used == length + 2 && buffer[0] == '[');
  /* Other changes of `used` are still noticed. */
  out = tl_out_of(buffer, 1);
  CHECK(tl_begin_batch(&out) == 0 && tl_write_result(&out, rpc, id, id) == TL_ERROR_FULL);
  out.used = 1;
  CHECK(tl_write_result(&out, rpc, id, id) == TL_ERROR_ORDER && tl_end_batch(&out) == TL_ERROR_ORDER);
}

/* No input may lie where the message goes. */
static void check_overlap(void) {
  char buffer[128];
  tl_writer writer;
  tl_event event;
  tl_out out = tl_out_of(buffer, sizeof buffer);
  tl_view free_part, used_part, id = tl_text("1");
  size_t length = 7;
  memset(buffer, '7', sizeof buffer);
  out.used = 4;
  used_part = tl_bytes(buffer, 4);
  free_part = tl_bytes(buffer + 3, 2);
  CHECK(tl_write_result(&out, rpc, free_part, id) == TL_ERROR_OVERLAP);
  CHECK(tl_write_result(&out, rpc, id, free_part) == TL_ERROR_OVERLAP);
  CHECK(tl_write_result(&out, rpc, id, tl_bytes(buffer + 127, 1)) == TL_ERROR_OVERLAP);
  CHECK(tl_write_request(&out, rpc, id, free_part, tl_none()) == TL_ERROR_OVERLAP);
  CHECK(tl_write_notification(&out, rpc, id, free_part) == TL_ERROR_OVERLAP);
  CHECK(tl_write_error(&out, rpc, id, 1, free_part, tl_none()) == TL_ERROR_OVERLAP);
  CHECK(tl_write_error(&out, rpc, id, 1, id, free_part) == TL_ERROR_OVERLAP && out.used == 4 && out.needed == 0);
  CHECK(tl_check(rpc, tl_text("7"), &event) == TL_KIND_FAULT);
  event.reply_id = free_part;
  CHECK(tl_write_reply(&out, &event) == TL_ERROR_OVERLAP);
  CHECK(tl_begin_result(&writer, &out, rpc, free_part) == TL_ERROR_OVERLAP && tl_end(&writer) == TL_ERROR_OVERLAP);
  CHECK(tl_begin_result(&writer, &out, rpc, id) == 0 && tl_put_json(&writer, free_part) == TL_ERROR_OVERLAP);
  CHECK(tl_end(&writer) == TL_ERROR_OVERLAP && out.needed == 0);
  CHECK(tl_text_decode(tl_bytes(buffer, 3), buffer, 3, &length) == TL_ERROR_OVERLAP && length == 7);
  {
    union {
      tl_sse_stream sse;
      char bytes[2 * sizeof(tl_sse_stream)];
    } memory;
    tl_stream *stream = &memory.sse.stream;
    const size_t size = sizeof memory.sse;
    CHECK(tl_stream_init(TL_ABI, stream, size, &tl_framing_sse, rpc, memory.bytes + size - 1, 9) == TL_ERROR_OVERLAP);
    CHECK(tl_stream_init(TL_ABI, stream, size, &tl_framing_sse, rpc, memory.bytes + 8, 9) == TL_ERROR_OVERLAP);
    CHECK(tl_stream_init(TL_ABI, stream, size, &tl_framing_sse, rpc, memory.bytes, sizeof memory) == TL_ERROR_OVERLAP);
    /* The room may follow the state, also in one struct. */
    CHECK(tl_stream_init(TL_ABI, stream, sizeof memory, &tl_framing_sse, rpc, memory.bytes + size, size) == 0);
  }
  /* What was written already may be read. */
  CHECK(tl_write_result(&out, rpc, used_part, used_part) == 0 && memcmp(buffer, "7777{\"jsonrpc\":", 15) == 0);
}

/* What is written can be read: a line is never nested deeper than the limit of the reader. */
static void check_depths(void) {
  char value[300], line[600];
  tl_event event;
  tl_view id = tl_text("1");
  int kind, batch, depth;
  for (kind = 0; kind < 6; kind++) {
    for (batch = 0; batch < 2; batch++) {
      for (depth = 120; depth < 130; depth++) {
        /* The envelope, the object of an error, the array of a batch, and what the writer has open. */
        const int around = 1 + (kind == 2 || kind == 3) + batch + (kind == 5 ? 64 : 0);
        const int levels = kind == 5 ? depth - 64 : depth;
        tl_out out = tl_out_of(line, sizeof line);
        tl_writer writer;
        tl_view deep = tl_bytes(value, 2 * (size_t)levels);
        int32_t status;
        int i;
        memset(value, '[', (size_t)levels);
        memset(value + levels, ']', (size_t)levels);
        CHECK(!batch || tl_begin_batch(&out) == 0);
        switch (kind) {
        case 0: status = tl_write_request(&out, rpc, id, id, deep); break;
        case 1: status = tl_write_result(&out, rpc, id, deep); break;
        case 2: status = tl_write_error(&out, rpc, id, 1, id, deep); break;
        case 3:
          (void)tl_begin_error(&writer, &out, rpc, id, 1, id);
          (void)tl_put_json(&writer, deep);
          status = tl_end(&writer);
          break;
        default:
          (void)tl_begin_result(&writer, &out, rpc, id);
          for (i = 0; kind == 5 && i < 64; i++) {
            (void)tl_open_array(&writer);
          }
          (void)tl_put_json(&writer, deep);
          for (i = 0; kind == 5 && i < 64; i++) {
            (void)tl_close(&writer);
          }
          status = tl_end(&writer);
        }
        CHECK(status == (levels + around <= 127 ? 0 : TL_ERROR_DEPTH));
        CHECK(!batch || tl_end_batch(&out) == 0);
        if (status == 0) {
          CHECK(tl_check(rpc, tl_bytes(line, out.used), &event) != TL_KIND_FAULT);
        } else {
          CHECK(out.used == 0);
        }
      }
    }
  }
}

/* Whatever else happens to the buffer, half a message never counts. */
static void check_turns(void) {
  char buffer[256];
  tl_writer writer, other;
  tl_event event;
  tl_view id = tl_text("1"), object = tl_text("{}");
  tl_out out = tl_out_of(buffer, sizeof buffer);
  const size_t line = strlen("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n");
  int i;
  CHECK(tl_check(rpc, tl_text("7"), &event) == TL_KIND_FAULT);
  for (i = 0; i < 9; i++) {
    size_t used;
    out.used = 0;
    CHECK(tl_write_notification(&out, rpc, tl_text("x"), tl_none()) == 0);
    CHECK(tl_begin_result(&writer, &out, rpc, id) == 0 && tl_open_object(&writer) == 0);
    switch (i) {
    case 0: CHECK(tl_write_result(&out, rpc, id, object) == 0); break;
    case 1: CHECK(tl_write_result(&out, rpc, id, tl_text("{")) == TL_ERROR_JSON); break;
    case 2: CHECK(tl_write_reply(&out, &event) == 0); break;
    case 3: CHECK(tl_begin_result(&other, &out, rpc, id) == 0); break;
    case 4: CHECK(tl_begin_result(&other, &out, rpc, tl_none()) == TL_ERROR_NULL); break;
    case 5: CHECK(tl_begin_batch(&out) == 0 && tl_end_batch(&out) == 0); break;
    case 6: out.used = 0; break;
    case 7: CHECK(tl_write_result(&out, rpc, id, object) == 0); out.used = line; break; /* as before */
    default: out.used++; break;
    }
    used = out.used;
    CHECK(tl_key(&writer, tl_text("a")) == TL_ERROR_ORDER && tl_close(&writer) == TL_ERROR_ORDER);
    if (i == 6) {
      used = out.used = line;
    }
    CHECK(tl_end(&writer) == TL_ERROR_ORDER && out.used == used && out.needed == 0);
    CHECK(memcmp(buffer, "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n", line) == 0);
  }
  /* A message that the batch does not have yet does not disturb it. */
  out.used = 0;
  CHECK(tl_begin_batch(&out) == 0 && tl_begin_result(&writer, &out, rpc, id) == 0);
  CHECK(tl_put_null(&writer) == 0 && tl_end(&writer) == 0 && tl_end(&writer) == TL_ERROR_ORDER);
  CHECK(tl_begin_result(&writer, &out, rpc, id) == 0 && tl_end_batch(&out) == 0);
  CHECK(tl_end(&writer) == TL_ERROR_ORDER && out_is(&out, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}]\n"));
}

/* One cause has one error, and after an error nothing has changed. */
static void check_errors(void) {
  char buffer[64];
  tl_writer writer;
  tl_event event, before;
  tl_out out = tl_out_of(buffer, sizeof buffer);
  const tl_profile *mcp = &tl_mcp_2025_11_25;
  memset(&writer, 0, sizeof writer);
  CHECK(tl_open_object(&writer) == TL_ERROR_STATE && tl_end(&writer) == TL_ERROR_STATE);
  memset(&writer, 0xa5, sizeof writer);
  CHECK(tl_put_null(&writer) == TL_ERROR_STATE && tl_end(&writer) == TL_ERROR_STATE);

  CHECK(tl_write_request(&out, mcp, tl_text("1"), tl_text("a"), tl_text("[]")) == TL_ERROR_PARAMS);
  CHECK(tl_begin_request(&writer, &out, mcp, tl_text("1"), tl_text("a")) == 0);
  CHECK(tl_open_array(&writer) == TL_ERROR_PARAMS && tl_end(&writer) == TL_ERROR_PARAMS && out.needed == 0);
  CHECK(tl_write_result(&out, mcp, tl_text("1"), tl_text("[]")) == TL_ERROR_RESULT);
  CHECK(tl_begin_result(&writer, &out, mcp, tl_text("1")) == 0 && tl_put_null(&writer) == TL_ERROR_RESULT);
  CHECK(tl_begin_notification(&writer, &out, rpc, tl_text("a")) == 0 && tl_put_null(&writer) == TL_ERROR_PARAMS);

  out.capacity = 4;
  CHECK(tl_write_result(&out, rpc, tl_text("1"), tl_text("{}")) == TL_ERROR_FULL && out.needed == 37);
  CHECK(tl_write_result(&out, rpc, tl_none(), tl_text("{}")) == TL_ERROR_NULL && out.needed == 0);
  CHECK(tl_begin_result(&writer, &out, rpc, tl_text("1")) == TL_ERROR_FULL && out.needed == 0);
  CHECK(tl_end(&writer) == TL_ERROR_ORDER && out.needed == 0);

  CHECK(tl_check(rpc, tl_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}"), &event) == TL_KIND_REQUEST);
  CHECK(tl_write_reply(NULL, &event) == TL_ERROR_NULL && tl_write_reply(&out, NULL) == TL_ERROR_NULL);
  before = event;
  CHECK(tl_check(NULL, tl_text("{}"), &event) == TL_ERROR_NULL && memcmp(&before, &event, sizeof event) == 0);
}

int main(void) {
  check_batches();
  check_growing_batches();
  check_overlap();
  check_depths();
  check_turns();
  check_errors();
  return 0;
}
