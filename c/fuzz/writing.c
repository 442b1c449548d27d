/* Messages: whole and piece by piece, into buffers of every size. What is written is what was asked for, and the peer
 * accepts it. */
#include "common.h"

enum { OPS = 48 };

/** A message to write, and what a writer did with it. */
typedef struct message {
  const tl_profile *profile;
  uint8_t kind;
  int is_whole;
  tl_view id, method, payload;
  int64_t code;
  source pieces;
} message;

static int is_utf8(tl_view text) {
  for (size_t at = 0; at < text.len;) {
    uint8_t first = (uint8_t)text.ptr[at];
    size_t len = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (len == 0 || len > text.len - at) {
      return 0;
    }
    for (size_t next = 1; next < len; next++) {
      uint8_t byte = (uint8_t)text.ptr[at + next];
      uint8_t least = first == 0xE0 && next == 1 ? 0xA0 : first == 0xF0 && next == 1 ? 0x90 : 0x80;
      uint8_t most = first == 0xED && next == 1 ? 0x9F : first == 0xF4 && next == 1 ? 0x8F : 0xBF;
      if (byte < least || byte > most) {
        return 0;
      }
    }
    at += len;
  }
  return 1;
}

static tl_view choose(source *input, const char *const *choices, size_t count) {
  uint8_t choice = take(input);
  return choice % 4 == 3 ? take_bytes(input, choice / 4) : tl_text(choices[choice / 4 % count]);
}

static tl_view choose_value(source *input) {
  static const char *const values[] = {"{}", "[]", "null", "true", "1", "\"a\"", "{\"a\":[1,{}]}", " [ 1 , 2 ] ",
                                       "[{\"b\":\"\\u00e9\"}]", "-0.5e3", "{\"_meta\":{}}", "{\n}"};
  return choose(input, values, sizeof values / sizeof *values);
}

static tl_view choose_id(source *input) {
  static const char *const ids[] = {"1", "\"a\"", "null", "1.5", "-7", "\"\\u0061\"", "1e2", "{}", "9007199254740993"};
  return choose(input, ids, sizeof ids / sizeof *ids);
}

/** What a writer of any kind would do, without the text: only what may come next. */
typedef struct model {
  int32_t error;
  int depth, is_object[65], expects_value, is_complete, is_empty;
  int is_data;
} model;

static void fail(model *model, int32_t error) {
  if (model->error == 0) {
    model->error = error;
  }
}

static int may_be_value(model *model) {
  int may = model->depth == 0 ? !model->is_complete
                              : !model->is_object[model->depth] || model->expects_value;
  if (!may) {
    fail(model, TL_ERROR_ORDER);
  }
  return may && model->error == 0;
}

static void after_value(model *model) {
  model->expects_value = 0;
  model->is_complete = model->depth == 0;
}

/** Makes one call of a writer, chosen by the input, and returns its status. The model learns of it. */
static int32_t piece(tl_writer *writer, source *input, model *model) {
  uint8_t op = take(input);
  int32_t status;
  tl_view text;
  switch (op % 11) {
    case 0:
    case 1:
      status = op % 11 == 0 ? tl_open_object(writer) : tl_open_array(writer);
      if (model->depth >= 64) {
        fail(model, TL_ERROR_DEPTH);
      } else if (may_be_value(model)) {
        model->is_object[++model->depth] = op % 11 == 0;
        model->expects_value = 0;
      }
      return status;
    case 2:
      status = tl_close(writer);
      if (model->depth == 0 || model->expects_value) {
        fail(model, TL_ERROR_ORDER);
      } else if (model->error == 0) {
        model->depth--;
        after_value(model);
      }
      return status;
    case 3:
    case 4:
      text = take_bytes(input, op / 11);
      status = tl_key(writer, text);
      if (!is_utf8(text)) {
        fail(model, TL_ERROR_UTF8);
      } else if (model->depth == 0 || !model->is_object[model->depth] || model->expects_value) {
        fail(model, TL_ERROR_ORDER);
      } else {
        model->expects_value = 1;
      }
      return status;
    case 5:
      text = take_bytes(input, op / 11);
      status = tl_put_text(writer, text);
      if (!is_utf8(text)) {
        fail(model, TL_ERROR_UTF8);
        return status;
      }
      break;
    case 6:
      text = choose_value(input);
      status = tl_put_json(writer, text);
      if (status == TL_ERROR_JSON || status == TL_ERROR_DEPTH) {
        fail(model, status);
        return status;
      }
      break;
    case 7:
      status = tl_put_int64(writer, (int64_t)((uint64_t)op << 56 | op));
      break;
    case 8:
      status = tl_put_uint64(writer, (uint64_t)op << 56 | op);
      break;
    case 9:
      status = tl_put_bool(writer, op / 11);
      break;
    default:
      status = tl_put_null(writer);
  }
  if (may_be_value(model)) {
    after_value(model);
  }
  return status;
}

static int32_t write_pieces(const message *message, tl_out *out) {
  tl_writer writer;
  int32_t status;
  switch (message->kind) {
    case TL_KIND_REQUEST:
      status = tl_begin_request(&writer, out, message->profile, message->id, message->method);
      break;
    case TL_KIND_NOTIFICATION:
      status = tl_begin_notification(&writer, out, message->profile, message->method);
      break;
    case TL_KIND_RESULT:
      status = tl_begin_result(&writer, out, message->profile, message->id);
      break;
    default:
      status = tl_begin_error(&writer, out, message->profile, message->id, message->code, message->method);
  }
  size_t used = out->used;
  model model;
  memset(&model, 0, sizeof model);
  int is_known = status == 0 || status == TL_ERROR_FULL;
  source input = message->pieces;
  int32_t before = status;
  for (int count = 0; input.left > 0 && count < OPS; count++) {
    int is_outermost = model.depth == 0 && !model.is_complete;
    status = piece(&writer, &input, &model);
    CHECK(before == 0 || before == TL_ERROR_FULL || status == before);
    if (status != before && (status == TL_ERROR_PARAMS || status == TL_ERROR_RESULT)) {
      /* What the profile allows is known to the profile alone. */
      CHECK(is_outermost && message->kind != TL_KIND_ERROR);
      CHECK((status == TL_ERROR_RESULT) == (message->kind == TL_KIND_RESULT));
      model.error = status;
    }
    if (is_known) {
      CHECK(status == model.error || (model.error == 0 && status == TL_ERROR_FULL));
    }
    CHECK(out->used == used);
    before = status;
  }
  int32_t end = tl_end(&writer);
  if (is_known) {
    int32_t expected = model.error != 0 ? model.error : model.is_complete ? 0 : TL_ERROR_ORDER;
    CHECK(end == expected || (expected == 0 && end == TL_ERROR_FULL));
  } else {
    CHECK(end == before);
  }
  /* A message ends once. */
  tl_out before_again = *out;
  CHECK(tl_end(&writer) != 0 && out->used == before_again.used);
  *out = before_again;
  return end;
}

static int32_t write_whole(const message *message, tl_out *out) {
  switch (message->kind) {
    case TL_KIND_REQUEST:
      return tl_write_request(out, message->profile, message->id, message->method, message->payload);
    case TL_KIND_NOTIFICATION:
      return tl_write_notification(out, message->profile, message->method, message->payload);
    case TL_KIND_RESULT:
      return tl_write_result(out, message->profile, message->id, message->payload);
    default:
      return tl_write_error(out, message->profile, message->id, message->code, message->method, message->payload);
  }
}

static int32_t write_message(const message *message, tl_out *out) {
  return message->is_whole ? write_whole(message, out) : write_pieces(message, out);
}

/** Writes the message behind others into a buffer with so much room for it. */
static int32_t write_into(const message *message, size_t room, size_t needed) {
  char *buffer = guarded(room + 5);
  memcpy(buffer, "first", 5);
  tl_out out = tl_out_of(buffer, room + 5);
  out.used = 5;
  int32_t status = write_message(message, &out);
  CHECK(memcmp(buffer, "first", 5) == 0);
  if (status == 0) {
    CHECK(out.used == needed + 5 && out.needed == needed);
  } else {
    CHECK(out.used == 5 && (status != TL_ERROR_FULL || out.needed == needed));
  }
  release(buffer, room + 5);
  return status;
}

static int has_line_end(tl_view text) {
  return text.len > 0 && (memchr(text.ptr, '\n', text.len) != NULL || memchr(text.ptr, '\r', text.len) != NULL);
}

static tl_view trimmed(tl_view text) {
  while (text.len > 0 && strchr(" \t\r\n", text.ptr[0]) != NULL) {
    text.ptr++, text.len--;
  }
  while (text.len > 0 && strchr(" \t\r\n", text.ptr[text.len - 1]) != NULL) {
    text.len--;
  }
  return text;
}

static void examine_message(const pair *profile, const message *message, tl_view line) {
  tl_event event;
  int32_t kind = tl_check_line(profile->written, line, &event);
  if (kind == TL_KIND_FAULT) {
    /* A writer does not check that names are different. */
    CHECK(event.rule == TL_RULE_DUPLICATE_INNER_MEMBER || event.rule == TL_RULE_DUPLICATE_NESTED_MEMBER);
    return;
  }
  CHECK(kind == message->kind);
  if (kind != TL_KIND_NOTIFICATION) {
    CHECK(same(event.id, trimmed(message->id)));
  }
  int64_t code;
  if (kind == TL_KIND_ERROR) {
    CHECK(tl_text_eq_n(event.error_message, message->method) == 1);
    CHECK(tl_int64(event.error_code, &code) == 0 && code == message->code);
  } else if (kind != TL_KIND_RESULT) {
    CHECK(tl_text_eq_n(event.method, message->method) == 1);
  }
  tl_view payload = kind == TL_KIND_ERROR ? event.error_data : kind == TL_KIND_RESULT ? event.result : event.params;
  if (message->is_whole && !has_line_end(message->payload)) {
    CHECK(same(payload, trimmed(message->payload)));
  }
  if (payload.ptr != NULL) {
    examine_value(payload, 6);
  }
}

void fuzz_writing(const pair *profile, source input) {
  message message;
  uint8_t choice = take(&input);
  message.profile = profile->own;
  message.kind = (uint8_t)(1 + choice % 4);
  message.is_whole = choice & 0x10;
  message.code = (int64_t)((uint64_t)take(&input) << (choice >> 5) * 8);
  message.id = choose_id(&input);
  message.method = take_bytes(&input, take(&input) % 64);
  message.payload = message.is_whole ? choose_value(&input) : tl_none();
  size_t room = take(&input);
  message.pieces = input;
  if (message.is_whole && input.left > 0 && message.kind != TL_KIND_RESULT && take(&input) == 1) {
    message.payload = tl_none();
  }

  tl_out out = tl_out_of(NULL, 0);
  int32_t status = write_message(&message, &out);
  size_t needed = out.needed;
  CHECK(status < 0 && out.used == 0);
  int32_t again = write_into(&message, room, needed);
  if (status != TL_ERROR_FULL) {
    CHECK(again == status);
    return;
  }
  CHECK(again == (room < needed ? TL_ERROR_FULL : 0));
  CHECK(write_into(&message, needed - 1, needed) == TL_ERROR_FULL);
  char *buffer = guarded(needed);
  out = tl_out_of(buffer, needed);
  CHECK(write_message(&message, &out) == 0 && out.used == needed && out.needed == needed);
  CHECK(buffer[needed - 1] == '\n' && memchr(buffer, '\n', needed - 1) == NULL);
  examine_message(profile, &message, tl_bytes(buffer, needed - 1));
  if (message.is_whole && message.payload.ptr != NULL) {
    /* The same message piece by piece is the same bytes. */
    char *other = guarded(needed);
    tl_out pieces = tl_out_of(other, needed);
    tl_writer writer;
    if (message.kind == TL_KIND_REQUEST) {
      (void)tl_begin_request(&writer, &pieces, message.profile, message.id, message.method);
    } else if (message.kind == TL_KIND_NOTIFICATION) {
      (void)tl_begin_notification(&writer, &pieces, message.profile, message.method);
    } else if (message.kind == TL_KIND_RESULT) {
      (void)tl_begin_result(&writer, &pieces, message.profile, message.id);
    } else {
      (void)tl_begin_error(&writer, &pieces, message.profile, message.id, message.code, message.method);
    }
    (void)tl_put_json(&writer, message.payload);
    CHECK(tl_end(&writer) == 0 && pieces.used == needed && memcmp(buffer, other, needed) == 0);
    release(other, needed);
  }
  release(buffer, needed);
}
