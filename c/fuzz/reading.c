/* Streams: a stream in random chunks has the events of the same stream in one piece, and every event holds what the
 * header promises. */
#include "common.h"

enum { MOST = 512 };

/** What is compared of an event: its numbers, and a hash of its views and of its reply. */
typedef struct record {
  tl_event event;
  uint64_t hash;
} record;

typedef struct run {
  record records[MOST];
  size_t count;
} run;

static uint64_t hash_of(uint64_t hash, tl_view view) {
  hash = (hash ^ (view.ptr == NULL ? 7 : 11)) * 1099511628211U;
  for (size_t at = 0; at < view.len; at++) {
    hash = (hash ^ (uint8_t)view.ptr[at]) * 1099511628211U;
  }
  return hash;
}

/** Writes a message into buffers that are large enough and too small, and checks that the peer accepts it. */
static tl_view write_answer(const tl_profile *profile, const tl_event *event,
                            int32_t (*answer)(tl_out *, const tl_profile *, const tl_event *), char **memory) {
  tl_out out = tl_out_of(NULL, 0);
  int32_t status = answer(&out, profile, event);
  *memory = NULL;
  if (status == 0) {
    CHECK(out.used == 0);
    return tl_none();
  }
  CHECK(status == TL_ERROR_FULL && out.used == 0 && out.needed > 1);
  size_t size = out.needed;
  char *small = guarded(size - 1);
  out = tl_out_of(small, size - 1);
  CHECK(answer(&out, profile, event) == TL_ERROR_FULL && out.used == 0 && out.needed == size);
  release(small, size - 1);
  *memory = guarded(size);
  out = tl_out_of(*memory, size);
  CHECK(answer(&out, profile, event) == 0 && out.used == size && out.needed == size);
  CHECK((*memory)[size - 1] == '\n' && memchr(*memory, '\n', size - 1) == NULL);
  return tl_bytes(*memory, size - 1);
}

static int32_t reply(tl_out *out, const tl_profile *profile, const tl_event *event) {
  (void)profile;
  return tl_write_reply(out, event);
}

static int32_t result(tl_out *out, const tl_profile *profile, const tl_event *event) {
  return tl_write_result(out, profile, event->id, tl_text("{}"));
}

static int32_t error(tl_out *out, const tl_profile *profile, const tl_event *event) {
  return tl_write_error(out, profile, event->id, -32601, tl_text("Method not found"), event->params);
}

/** Checks the reply that a fault is owed, and returns its hash. */
static uint64_t examine_reply(const pair *profile, const tl_event *event) {
  char *memory;
  tl_event own;
  tl_view line = write_answer(profile->peer, event, reply, &memory);
  CHECK((line.ptr != NULL) == (event->reply_code != 0));
  uint64_t hash = hash_of(1, line);
  if (line.ptr != NULL) {
    CHECK(event->kind == TL_KIND_FAULT || event->kind == TL_KIND_OVERSIZED);
    CHECK(event->reply_code == -32700 || event->reply_code == -32600);
    int64_t code;
    CHECK(tl_check_line(profile->peer, line, &own) == TL_KIND_ERROR);
    CHECK(tl_int64(own.error_code, &code) == 0 && code == event->reply_code);
    CHECK(same(own.id, event->reply_id));
    release(memory, line.len + 1);
  }
  return hash;
}

static void examine_request(const pair *profile, const tl_event *event) {
  char *memory;
  tl_event own;
  tl_view line = write_answer(profile->peer, event, result, &memory);
  CHECK(tl_check_line(profile->peer, line, &own) == TL_KIND_RESULT);
  CHECK(same(own.id, event->id) && same(own.result, tl_text("{}")));
  release(memory, line.len + 1);
  if (event->frame.ptr != NULL && memchr(event->frame.ptr, '\n', event->frame.len) == NULL &&
      memchr(event->frame.ptr, '\r', event->frame.len) == NULL) {
    line = write_answer(profile->peer, event, error, &memory);
    CHECK(tl_check_line(profile->peer, line, &own) == TL_KIND_ERROR);
    CHECK(same(own.id, event->id) && same(own.error_data, event->params));
    CHECK(tl_text_eq(own.error_message, "Method not found"));
    release(memory, line.len + 1);
  }
}

/** Checks what every event promises, and returns the hash of its views. */
static uint64_t examine(const pair *profile, const tl_event *event) {
  const tl_view views[] = {event->frame,  event->id,         event->method,        event->params,
                           event->result, event->error_code, event->error_message, event->error_data};
  uint64_t hash = examine_reply(profile, event);
  for (size_t at = 0; at < sizeof views / sizeof *views; at++) {
    hash = hash_of(hash, views[at]);
    CHECK(views[at].ptr != NULL || views[at].len == 0);
    /* The skimmer keeps the id and the method. */
    int kept = (at == 1 || at == 2) && event->kind == TL_KIND_OVERSIZED;
    if (at > 0 && views[at].ptr != NULL && !kept) {
      CHECK(views[at].ptr >= event->frame.ptr && views[at].len > 0);
      CHECK(views[at].ptr + views[at].len <= event->frame.ptr + event->frame.len);
      if (event->kind != TL_KIND_FAULT) {
        examine_value(views[at], 6);
      }
    }
  }
  CHECK(event->frame.ptr == NULL || event->length == event->frame.len || event->kind == TL_KIND_NOTHING);
  int has_id = event->id.ptr != NULL, has_method = event->method.ptr != NULL, has_params = event->params.ptr != NULL;
  int has_result = event->result.ptr != NULL, has_error = event->error_code.ptr != NULL;
  CHECK(has_error == (event->error_message.ptr != NULL));
  CHECK(event->kind == TL_KIND_FAULT || event->kind == TL_KIND_OVERSIZED || event->kind == TL_KIND_LOST ||
        event->rule == 0);
  switch (event->kind) {
    case TL_KIND_REQUEST:
      CHECK(has_id && has_method && !has_result && !has_error);
      examine_request(profile, event);
      break;
    case TL_KIND_NOTIFICATION:
      CHECK(!has_id && has_method && !has_result && !has_error);
      break;
    case TL_KIND_RESULT:
      CHECK(has_id && !has_method && !has_params && has_result && !has_error);
      break;
    case TL_KIND_ERROR:
      CHECK(!has_method && !has_params && !has_result && has_error);
      break;
    case TL_KIND_BATCH:
      CHECK(!has_id && !has_method && event->elements > 0 && tl_type_of(event->frame) != TL_TYPE_OBJECT);
      break;
    case TL_KIND_FAULT:
    case TL_KIND_OVERSIZED:
      CHECK(event->rule != 0 && tl_rule_name(event->rule).ptr != NULL);
      CHECK((event->syntax == 0) == (tl_syntax_description(event->syntax).ptr == NULL));
      CHECK(event->place <= event->length);
      break;
    case TL_KIND_LOST:
      CHECK(event->rule != 0);
      break;
    default:
      CHECK(!has_id && !has_method && !has_result && !has_error);
  }
  return hash;
}

static void examine_batch(const pair *profile, const tl_event *whole) {
  tl_batch batch;
  tl_event event;
  uint32_t count = 0;
  CHECK(tl_batch_init(&batch, profile->own, whole) == 0);
  while (tl_batch_next(&batch, &event) > 0) {
    CHECK(event.kind <= TL_KIND_FAULT && event.kind != TL_KIND_BATCH && same(event.frame, whole->frame));
    (void)examine(profile, &event);
    count++;
  }
  CHECK(event.kind == TL_KIND_NOTHING && count == whole->elements && tl_batch_next(&batch, &event) == 0);
}

static void examine_frame(const pair *profile, const tl_event *event, int is_line) {
  tl_event alone;
  char *copy = copy_of(event->frame);
  tl_view frame = tl_bytes(copy, event->frame.len);
  int32_t kind = (is_line ? tl_check_line : tl_check)(profile->own, frame, &alone);
  CHECK(kind == alone.kind);
  CHECK(kind == event->kind && alone.rule == event->rule && alone.place == event->place);
  CHECK(alone.syntax == event->syntax && same(alone.id, event->id) && alone.reply_code == event->reply_code);
  CHECK(same(alone.method, event->method) && same(alone.params, event->params) && same(alone.result, event->result));
  if (kind == TL_KIND_BATCH) {
    examine_batch(profile, &alone);
  } else if (alone.rule != TL_RULE_RAW_CARRIAGE_RETURN) {
    tl_batch batch;
    CHECK(tl_batch_init(&batch, profile->own, &alone) == TL_ERROR_TYPE);
  }
  free(copy);
}

static void keep(run *run, const pair *profile, const tl_event *event) {
  CHECK(run->count < MOST);
  record *record = &run->records[run->count++];
  memset(record, 0, sizeof *record);
  record->event = *event;
  record->hash = examine(profile, event);
}

static const tl_framing *framing_of(uint8_t way, size_t *size) {
  static const tl_framing *const framings[] = {
    &tl_framing_lines, &tl_framing_lines_skimming, &tl_framing_content_length, &tl_framing_content_length_skimming,
    &tl_framing_sse, &tl_framing_sse_skimming, &tl_framing_concatenated, &tl_framing_concatenated_skimming,
  };
  size_t at = way % 8;
  *size = at == 4 || at == 5 ? sizeof(tl_sse_stream) : at % 2 == 1 ? sizeof(tl_skimming_stream) : sizeof(tl_stream);
  return framings[at];
}

/** Pushes a stream in chunks of these sizes, which repeat, or in one piece. */
static void push_all(run *run, const pair *profile, uint8_t way, size_t room_size, tl_view sizes, tl_view stream) {
  size_t state_size, done = 0, turn = 0;
  const tl_framing *framing = framing_of(way, &state_size);
  tl_stream *state = malloc(state_size);
  char *room = guarded(room_size);
  tl_event event;
  CHECK(state != NULL);
  CHECK(tl_stream_init(TL_ABI, state, state_size - 8, framing, profile->own, room, room_size) == TL_ERROR_STATE);
  CHECK(tl_stream_init(TL_ABI, state, state_size, framing, profile->own, room, room_size) == 0);
  while (done < stream.len && run->count + 2 < MOST) {
    size_t size = sizes.len == 0 ? stream.len : (uint8_t)sizes.ptr[turn++ % sizes.len] + (size_t)1;
    tl_view chunk = tl_bytes(stream.ptr + done, size < stream.len - done ? size : stream.len - done);
    char *copy = copy_of(chunk);
    tl_view input = tl_bytes(copy, chunk.len);
    done += chunk.len;
    int32_t kind;
    while (run->count + 2 < MOST && (kind = tl_push(state, &input, &event)) != 0) {
      CHECK(kind == event.kind && kind > 0);
      keep(run, profile, &event);
      if (event.frame.ptr != NULL) {
        int is_in_input = event.frame.ptr >= copy && event.frame.ptr + event.frame.len <= copy + chunk.len;
        CHECK(is_in_input || (event.frame.ptr >= room && event.frame.ptr + event.frame.len <= room + room_size) ||
              event.frame.len == 0);
        CHECK(event.frame.len <= room_size);
        if (event.kind <= TL_KIND_FAULT) {
          examine_frame(profile, &event, way % 8 < 2);
        }
      }
      if (kind == TL_KIND_LOST) {
        CHECK(tl_push(state, &input, &event) == TL_ERROR_LOST);
        CHECK(tl_stream_resync(state) == 0);
      }
    }
    CHECK(run->count + 2 >= MOST || input.len == 0);
    free(copy);
  }
  int32_t kind;
  while (run->count < MOST && (kind = tl_finish(state, &event)) != 0) {
    CHECK(kind == event.kind && kind > 0);
    keep(run, profile, &event);
  }
  tl_view nothing = tl_text("{}");
  CHECK(run->count == MOST || tl_push(state, &nothing, &event) == TL_ERROR_ENDED);
  release(room, room_size);
  free(state);
}

static int is_blank(tl_view stream, size_t from, size_t to) {
  for (size_t at = from; at < to; at++) {
    if (strchr(" \t\r\n", stream.ptr[at]) == NULL || stream.ptr[at] == '\0') {
      return 0;
    }
  }
  return 1;
}

/** Checks that the frames of the stream are where the events say, in order, and that nothing but blanks is outside. */
static void examine_places(const run *run, uint8_t way, tl_view stream) {
  int has_mark = stream.len >= 3 && memcmp(stream.ptr, "\xEF\xBB\xBF", 3) == 0;
  size_t end = 0;
  int is_lines = way % 8 < 2, is_values = way % 8 >= 6, is_lost = 0;
  for (size_t at = 0; at < run->count; at++) {
    const tl_event *event = &run->records[at].event;
    CHECK(event->offset >= end && event->offset <= stream.len);
    if (is_lines || (is_values && !is_lost)) {
      size_t from = end == 0 && has_mark && event->offset >= 3 ? 3 : end;
      CHECK(is_blank(stream, from, event->offset));
    }
    if (is_lines) {
      uint64_t line = 1;
      for (size_t before = 0; before < event->offset; before++) {
        line += stream.ptr[before] == '\n';
      }
      CHECK(event->line == line);
    }
    is_lost |= event->kind == TL_KIND_LOST;
    if (event->kind == TL_KIND_LOST) {
      end = event->offset;
    } else {
      CHECK(event->length <= stream.len - event->offset);
      end = event->offset + event->length;
    }
  }
  if (is_lines && run->count < MOST - 2) {
    size_t from = end == 0 && has_mark ? 3 : end;
    CHECK(is_blank(stream, from, stream.len));
  }
}

void fuzz_reading(const pair *profile, uint8_t way, source input) {
  static run whole, cut;
  size_t limit = take(&input);
  size_t room_size = (way & 0x40 ? limit * 32 : limit) + 1;
  tl_view sizes = take_bytes(&input, take(&input) % 16);
  tl_view stream = take_bytes(&input, input.left);
  whole.count = cut.count = 0;
  push_all(&whole, profile, way, room_size, tl_none(), stream);
  push_all(&cut, profile, way, room_size, sizes.len == 0 ? tl_bytes("", 1) : sizes, stream);
  CHECK(whole.count == cut.count);
  for (size_t at = 0; at < whole.count; at++) {
    const tl_event *left = &whole.records[at].event, *right = &cut.records[at].event;
    CHECK(left->kind == right->kind && left->rule == right->rule && left->syntax == right->syntax);
    CHECK(left->place == right->place && left->reply_code == right->reply_code);
    CHECK(left->unknown_members == right->unknown_members && left->elements == right->elements);
    CHECK(left->line == right->line && left->offset == right->offset && left->length == right->length);
    CHECK(left->terminated == right->terminated && whole.records[at].hash == cut.records[at].hash);
  }
  if (way % 8 != 4 && way % 8 != 5) {
    examine_places(&whole, way, stream);
  }
}
