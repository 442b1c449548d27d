/* The C library: a stream of lines. */
#include "passes.h"
#include "tautline.h"

static void count(counts *counts, const tl_event *event) {
  counts->of[event->kind >= TL_KIND_REQUEST && event->kind <= TL_KIND_ERROR ? event->kind - 1 : REFUSED]++;
  KEEP(event);
}

counts pass(const char *wire, size_t length, size_t chunk, char *room, size_t room_size) {
  counts counts = {{0}};
  tl_stream stream;
  tl_event event;
  (void)tl_stream_init(TL_ABI, &stream, sizeof stream, &tl_framing_lines, &tl_json_rpc, room, room_size);
  for (size_t done = 0; done < length; done += chunk) {
    tl_view input = tl_bytes(wire + done, chunk < length - done ? chunk : length - done);
    while (tl_push(&stream, &input, &event) > 0) {
      count(&counts, &event);
    }
  }
  while (tl_finish(&stream, &event) > 0) {
    count(&counts, &event);
  }
  return counts;
}
