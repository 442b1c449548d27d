/* Values: types, texts, numbers, members and elements, of values that were validated and of any text. */
#include "common.h"

static int is_within(tl_view part, tl_view whole) {
  return part.ptr >= whole.ptr && part.len <= whole.len &&
         (size_t)(part.ptr - whole.ptr) <= whole.len - part.len;
}

/** Decodes a string into buffers that are large enough and too small. */
static void examine_text(tl_view value) {
  size_t length = 0;
  char *buffer = guarded(value.len);
  int32_t status = tl_text_decode(value, buffer, value.len, &length);
  CHECK(status == 0 || status == TL_ERROR_SURROGATE);
  if (status == 0) {
    CHECK(length < value.len && buffer[length] == '\0');
    tl_view text = tl_bytes(buffer, length);
    CHECK(tl_text_eq_n(value, text) == 1);
    CHECK(tl_text_eq(value, buffer) == (memchr(buffer, '\0', length) == NULL));
    size_t again = 0;
    char *smaller = guarded(length);
    CHECK(tl_text_decode(value, smaller, length, &again) == TL_ERROR_FULL && again == length);
    release(smaller, length);
    char *exact = guarded(length + 1);
    CHECK(tl_text_decode(value, exact, length + 1, NULL) == 0 && memcmp(exact, buffer, length + 1) == 0);
    /* Another text. */
    exact[length / 2] ^= 1;
    CHECK(tl_text_eq_n(value, tl_bytes(exact, length)) == (length == 0));
    CHECK(tl_text_eq_n(value, tl_bytes(exact, length + 1)) == 0);
    release(exact, length + 1);
    /* The text that was decoded is written again, and is the same text. */
    tl_out out = tl_out_of(NULL, 0);
    CHECK(tl_write_error(&out, &tl_json_rpc, tl_text("1"), 1, text, tl_none()) == TL_ERROR_FULL);
    size_t size = out.needed;
    char *line = guarded(size);
    out = tl_out_of(line, size);
    CHECK(tl_write_error(&out, &tl_json_rpc, tl_text("1"), 1, text, tl_none()) == 0 && out.used == size);
    tl_event event;
    CHECK(tl_check_line(&tl_json_rpc, tl_bytes(line, size - 1), &event) == TL_KIND_ERROR);
    CHECK(tl_text_eq_n(event.error_message, text) == 1);
    release(line, size);
  }
  release(buffer, value.len);
}

static void examine_number(tl_view value) {
  char *text = malloc(value.len + 1);
  CHECK(text != NULL);
  memcpy(text, value.ptr, value.len);
  text[value.len] = '\0';
  int64_t signed_number = 0;
  uint64_t number = 0;
  int32_t status = tl_int64(value, &signed_number), status_unsigned = tl_uint64(value, &number);
  CHECK(status == 0 || status == TL_ERROR_RANGE);
  CHECK(status_unsigned == 0 || status_unsigned == TL_ERROR_RANGE);
  if (status == 0) {
    CHECK((long double)signed_number == strtold(text, NULL));
    CHECK((status_unsigned == 0) == (signed_number >= 0));
  }
  if (status_unsigned == 0) {
    CHECK((long double)number == strtold(text, NULL));
    CHECK((status == 0) == (number <= INT64_MAX));
  }
  if (value.len <= 18 && strspn(text, "-0123456789") == value.len) {
    CHECK(status == 0 && signed_number == strtoll(text, NULL, 10));
  }
  free(text);
}

static void examine_object(tl_view object, int depth) {
  tl_iter iter, others;
  tl_view name, value, found, other_name, other;
  CHECK(tl_members(object, &iter) == 0);
  CHECK(tl_elements(object, &others) == TL_ERROR_TYPE);
  for (int count = 0; count < 24 && tl_next_member(&iter, &name, &value) == 1; count++) {
    CHECK(is_within(name, object) && is_within(value, object) && name.ptr + name.len < value.ptr);
    CHECK(tl_type_of(name) == TL_TYPE_STRING);
    size_t length;
    char *text = guarded(name.len);
    if (tl_text_decode(name, text, name.len, &length) == 0) {
      int times = 0;
      CHECK(tl_members(object, &others) == 0);
      while (tl_next_member(&others, &other_name, &other) == 1) {
        times += tl_text_eq_n(other_name, tl_bytes(text, length));
      }
      CHECK(times > 0);
      if (memchr(text, '\0', length) == NULL) {
        int32_t status = tl_member(object, text, &found);
        CHECK(status == (times == 1 ? 1 : TL_ERROR_REPEATED));
        CHECK(status != 1 || (found.ptr == value.ptr && found.len == value.len));
      }
    }
    release(text, name.len);
    examine_value(name, 0);
    examine_value(value, depth - 1);
  }
}

static void examine_array(tl_view array, int depth) {
  tl_iter iter, other;
  tl_view value;
  CHECK(tl_elements(array, &iter) == 0);
  CHECK(tl_members(array, &other) == TL_ERROR_TYPE);
  const char *end = array.ptr;
  for (int count = 0; count < 24 && tl_next_element(&iter, &value) == 1; count++) {
    CHECK(is_within(value, array) && value.ptr > end);
    end = value.ptr + value.len;
    examine_value(value, depth - 1);
  }
}

/** Reads a value that was validated in every way. */
void examine_value(tl_view value, int depth) {
  tl_type type = tl_type_of(value);
  CHECK(type != TL_TYPE_ABSENT);
  int64_t number;
  uint64_t other;
  if (type != TL_TYPE_NUMBER) {
    CHECK(tl_int64(value, &number) == TL_ERROR_TYPE && tl_uint64(value, &other) == TL_ERROR_TYPE);
  }
  if (type != TL_TYPE_STRING) {
    CHECK(tl_text_eq(value, "") == 0 && tl_text_decode(value, NULL, 0, NULL) == TL_ERROR_TYPE);
  }
  CHECK((tl_bool(value) >= 0) == (type == TL_TYPE_BOOL));
  switch (type) {
    case TL_TYPE_NULL:
      CHECK(same(value, tl_text("null")));
      break;
    case TL_TYPE_BOOL:
      CHECK(same(value, tl_text(tl_bool(value) ? "true" : "false")));
      break;
    case TL_TYPE_NUMBER:
      examine_number(value);
      break;
    case TL_TYPE_STRING:
      examine_text(value);
      break;
    case TL_TYPE_ARRAY:
      if (depth > 0) {
        examine_array(value, depth);
      }
      break;
    default:
      if (depth > 0) {
        examine_object(value, depth);
      }
  }
}

/** Passes text to these functions that was never validated. They may return anything, but read and write within bounds,
 * and end. */
void fuzz_text(tl_view text) {
  char *copy = copy_of(text);
  text.ptr = copy;
  int64_t number;
  uint64_t other;
  tl_iter iter;
  tl_view name, value;
  size_t length;
  (void)tl_type_of(text), (void)tl_int64(text, &number), (void)tl_uint64(text, &other), (void)tl_bool(text);
  (void)tl_text_eq(text, "tools/call"), (void)tl_text_eq_n(text, text), (void)tl_member(text, "id", &value);
  for (size_t size = 0; size <= text.len + 1; size += text.len / 3 + 1) {
    char *buffer = guarded(size);
    (void)tl_text_decode(text, buffer, size, &length);
    release(buffer, size);
  }
  size_t count = 0;
  if (tl_members(text, &iter) == 0) {
    for (; tl_next_member(&iter, &name, &value) == 1; count++) {
      CHECK(count <= text.len && is_within(name, text) && is_within(value, text));
    }
  }
  if (tl_elements(text, &iter) == 0) {
    for (; tl_next_element(&iter, &value) == 1; count++) {
      CHECK(count <= text.len && is_within(value, text));
    }
  }
  free(copy);
}
