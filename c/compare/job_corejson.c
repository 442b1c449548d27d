#include "lines.h"
#include "core_json.h"

static char *find(char *line, size_t length, const char *name, size_t *found_length, JSONTypes_t *type) {
  char *found = NULL;
  *type = JSONInvalid;
  *found_length = 0;
  if (JSON_SearchT(line, length, name, strlen(name), &found, found_length, type) != JSONSuccess) {
    return NULL;
  }
  return found;
}

static void handle(char *line, size_t length) {
  JSONTypes_t type, id_type, method_type;
  size_t size, id_length, method_length;
  if (JSON_Validate(line, length) != JSONSuccess) {
    reply("null", 4, NOT_JSON);
    return;
  }
  char *version = find(line, length, "jsonrpc", &size, &type);
  int is_version = version != NULL && type == JSONString && size == 3 && memcmp(version, "2.0", 3) == 0;
  char *id = find(line, length, "id", &id_length, &id_type);
  char *method = find(line, length, "method", &method_length, &method_type);
  int is_id = id == NULL || id_type == JSONString || (id_type == JSONNumber && memchr(id, '.', id_length) == NULL);
  int has_outcome = find(line, length, "result", &size, &type) != NULL ||
                    find(line, length, "error", &size, &type) != NULL;
  int is_call = is_version && method != NULL && method_type == JSONString && is_id && !has_outcome &&
                (find(line, length, "params", &size, &type) == NULL || type == JSONObject);
  int is_response = method == NULL && has_outcome;
  if (is_call && id != NULL) {
    int is_ping = method_length == 4 && memcmp(method, "ping", 4) == 0;
    if (id_type == JSONString) {
      /* With its quotes. */
      id--, id_length += 2;
    }
    reply(id, id_length, is_ping ? PONG : NOT_FOUND);
  } else if (!is_call && !is_response) {
    reply("null", 4, INVALID);
  }
}
