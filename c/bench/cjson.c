/* cJSON: each line becomes a tree, and the members of the message are looked up in it. */
#include "passes.h"
#include <cjson/cJSON.h>

counts pass(const char *wire, size_t length, size_t chunk, char *room, size_t room_size) {
  counts counts = {{0}};
  (void)chunk, (void)room, (void)room_size;
  for (const char *line = wire, *end; line < wire + length; line = end + 1) {
    end = memchr(line, '\n', (size_t)(wire + length - line));
    end = end == NULL ? wire + length : end;
    cJSON *message = cJSON_ParseWithLength(line, (size_t)(end - line));
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(message, "jsonrpc");
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(message, "id");
    const cJSON *method = cJSON_GetObjectItemCaseSensitive(message, "method");
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
    KEEP(params);
    if (cJSON_IsString(version) && strcmp(version->valuestring, "2.0") == 0) {
      int is_call = method != NULL;
      counts.of[kind_of(is_call, id != NULL, !is_call && cJSON_GetObjectItemCaseSensitive(message, "result") != NULL,
                        !is_call && cJSON_GetObjectItemCaseSensitive(message, "error") != NULL)]++;
    } else {
      counts.of[REFUSED]++;
    }
    cJSON_Delete(message);
  }
  return counts;
}
