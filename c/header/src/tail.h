/** The size of a `tl_stream` in this ABI. */
#define TL_STREAM_SIZE (26 * 8 + 8 * sizeof(size_t))

/* Fails to compile if the compiler lays out the states in another way than the library. */
typedef char tl_assert_stream[sizeof(tl_stream) == TL_STREAM_SIZE ? 1 : -1];
typedef char tl_assert_skimming[sizeof(tl_skimming_stream) == TL_STREAM_SIZE + 38 * 8 ? 1 : -1];
typedef char tl_assert_sse[sizeof(tl_sse_stream) == TL_STREAM_SIZE + 98 * 8 ? 1 : -1];
typedef char tl_assert_batch[sizeof(tl_batch) == 4 * 8 + 14 * sizeof(size_t) ? 1 : -1];
typedef char tl_assert_out[sizeof(tl_out) == 7 * sizeof(size_t) ? 1 : -1];
typedef char tl_assert_writer[sizeof(tl_writer) == 24 + 4 * sizeof(size_t) ? 1 : -1];
typedef char tl_assert_iter[sizeof(tl_iter) == 4 * sizeof(size_t) ? 1 : -1];
typedef char tl_assert_event[sizeof(tl_event) == 48 + 18 * sizeof(size_t) ? 1 : -1];

/** A view of bytes, such as a chunk that arrived. */
static inline tl_view tl_bytes(const void *ptr, size_t len) {
  tl_view view;
#ifdef __cplusplus
  view.ptr = static_cast<const char *>(ptr);
#else
  view.ptr = ptr;
#endif
  view.len = len;
  return view;
}

/** A view of text that a NUL ends, or the view of nothing for NULL. For JSON as well, such as `tl_text("null")`. */
static inline tl_view tl_text(const char *text) {
  size_t len = 0;
  if (text != NULL) {
    while (text[len] != '\0') {
      len++;
    }
  }
  return tl_bytes(text, len);
}

/** The view of nothing. */
static inline tl_view tl_none(void) {
  return tl_bytes(NULL, 0);
}

/** An empty buffer for messages. */
static inline tl_out tl_out_of(char *ptr, size_t capacity) {
  tl_out out;
  out.ptr = ptr;
  out.capacity = capacity;
  out.used = 0;
  out.needed = 0;
  out.start = 0;
  out.batch = 0;
  out.turn = 0;
  return out;
}
