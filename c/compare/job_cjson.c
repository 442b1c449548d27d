#include "lines.h"
#include "cJSON.h"
#include <math.h>

static void handle(char *line, size_t length) {
  char id_text[ROOM];
  const char *end = NULL;
  cJSON *message = cJSON_ParseWithOpts(line, &end, 1);
  (void)length;
  if (message == NULL) {
    reply("null", 4, NOT_JSON);
    return;
  }
  const cJSON *version = cJSON_GetObjectItemCaseSensitive(message, "jsonrpc");
  cJSON *id = cJSON_GetObjectItemCaseSensitive(message, "id");
  const cJSON *method = cJSON_GetObjectItemCaseSensitive(message, "method");
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
  int has_outcome = cJSON_GetObjectItemCaseSensitive(message, "result") != NULL ||
                    cJSON_GetObjectItemCaseSensitive(message, "error") != NULL;
  int is_id = id == NULL || cJSON_IsString(id) || (cJSON_IsNumber(id) && floor(id->valuedouble) == id->valuedouble);
  int is_version = cJSON_IsString(version) && strcmp(version->valuestring, "2.0") == 0;
  int is_call = is_version && cJSON_IsString(method) && is_id &&
                (params == NULL || cJSON_IsObject(params)) && !has_outcome;
  int is_response = method == NULL && has_outcome;
  if (is_call && id != NULL && cJSON_PrintPreallocated(id, id_text, sizeof id_text, 0)) {
    reply(id_text, strlen(id_text), strcmp(method->valuestring, "ping") == 0 ? PONG : NOT_FOUND);
  } else if (!is_call && !is_response) {
    reply("null", 4, INVALID);
  }
  cJSON_Delete(message);
}
