/* yyjson: each line becomes a tree, in memory that is reused, and the members of the message are looked up in it. */
#include "passes.h"
#include <yyjson.h>

counts pass(const char *wire, size_t length, size_t chunk, char *room, size_t room_size) {
  counts counts = {{0}};
  (void)chunk, (void)room, (void)room_size;
  yyjson_alc *memory = yyjson_alc_dyn_new();
  for (const char *line = wire, *end; line < wire + length; line = end + 1) {
    end = memchr(line, '\n', (size_t)(wire + length - line));
    end = end == NULL ? wire + length : end;
    /* Without the flag for parsing in place, the input is not written to. */
    yyjson_doc *doc = yyjson_read_opts((char *)line, (size_t)(end - line), 0, memory, NULL);
    yyjson_val *message = yyjson_doc_get_root(doc);
    yyjson_val *id = yyjson_obj_get(message, "id"), *method = yyjson_obj_get(message, "method");
    yyjson_val *params = yyjson_obj_get(message, "params");
    KEEP(params);
    if (yyjson_equals_str(yyjson_obj_get(message, "jsonrpc"), "2.0")) {
      int is_call = method != NULL;
      counts.of[kind_of(is_call, id != NULL, !is_call && yyjson_obj_get(message, "result") != NULL,
                        !is_call && yyjson_obj_get(message, "error") != NULL)]++;
    } else {
      counts.of[REFUSED]++;
    }
    yyjson_doc_free(doc);
  }
  yyjson_alc_dyn_free(memory);
  return counts;
}
