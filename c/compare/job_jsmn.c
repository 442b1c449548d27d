#define JSMN_STATIC
#define JSMN_STRICT
#include "lines.h"
#include "jsmn.h"

enum { TOKENS = 48 };

static int is_text(const char *line, const jsmntok_t *token, const char *text) {
  size_t length = strlen(text);
  return token->type == JSMN_STRING && (size_t)(token->end - token->start) == length &&
         memcmp(line + token->start, text, length) == 0;
}

/** Returns the index of the token after a value. */
static int after(const jsmntok_t *tokens, int count, int at) {
  int end = tokens[at].end;
  do {
    at++;
  } while (at < count && tokens[at].start < end);
  return at;
}

static void handle(char *line, size_t length) {
  static jsmntok_t tokens[TOKENS];
  const jsmntok_t *version = NULL, *id = NULL, *method = NULL, *params = NULL, *outcome = NULL;
  jsmn_parser parser;
  jsmn_init(&parser);
  int count = jsmn_parse(&parser, line, length, tokens, TOKENS);
  if (count < 1) {
    reply("null", 4, NOT_JSON);
    return;
  }
  if (tokens[0].type == JSMN_OBJECT) {
    for (int at = 1; at + 1 < count; at = after(tokens, count, at + 1)) {
      const jsmntok_t *value = &tokens[at + 1];
      if (is_text(line, &tokens[at], "jsonrpc")) {
        version = value;
      } else if (is_text(line, &tokens[at], "id")) {
        id = value;
      } else if (is_text(line, &tokens[at], "method")) {
        method = value;
      } else if (is_text(line, &tokens[at], "params")) {
        params = value;
      } else if (is_text(line, &tokens[at], "result") || is_text(line, &tokens[at], "error")) {
        outcome = value;
      }
    }
  }
  int is_id = id == NULL || id->type == JSMN_STRING ||
              (id->type == JSMN_PRIMITIVE && strchr("-0123456789", line[id->start]) != NULL &&
               memchr(line + id->start, '.', (size_t)(id->end - id->start)) == NULL);
  int is_version = version != NULL && is_text(line, version, "2.0");
  int is_call = is_version && method != NULL && method->type == JSMN_STRING && is_id &&
                (params == NULL || params->type == JSMN_OBJECT) && outcome == NULL;
  if (is_call && id != NULL) {
    int quote = id->type == JSMN_STRING;
    reply(line + id->start - quote, (size_t)(id->end - id->start + 2 * quote),
          is_text(line, method, "ping") ? PONG : NOT_FOUND);
  } else if (!is_call && !(method == NULL && outcome != NULL)) {
    reply("null", 4, INVALID);
  }
}
