/* What a parser of one value needs around it: lines, and a buffer for replies. */
#ifndef LINES_H
#define LINES_H

#include "job.h"
#include <string.h>

static char room[ROOM], replies[REPLIES];
static size_t filled, written, is_oversized;

/** Handles one line. Each job defines it. */
static void handle(char *line, size_t length);

static void put(const char *text, size_t length) {
  if (length <= sizeof replies - written) {
    memcpy(replies + written, text, length);
    written += length;
  }
}

static void put_text(const char *text) {
  put(text, strlen(text));
}

static void flush(void) {
  job_send(replies, written);
  written = 0;
}

/** Writes a reply. The id is JSON. */
static void reply(const char *id, size_t id_length, const char *rest) {
  put_text("{\"jsonrpc\":\"2.0\",\"id\":");
  put(id, id_length);
  put_text(rest);
  put_text("}\n");
  flush();
}

#define PONG ",\"result\":{}"
#define NOT_FOUND ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}"
#define INVALID ",\"error\":{\"code\":-32600,\"message\":\"Invalid Request\"}"
#define NOT_JSON ",\"error\":{\"code\":-32700,\"message\":\"Parse error\"}"

void job(const char *chunk, size_t length) {
  for (size_t at = 0; at < length; at++) {
    if (chunk[at] != '\n') {
      if (filled < sizeof room - 1) {
        room[filled++] = chunk[at];
      } else {
        is_oversized = 1;
      }
      continue;
    }
    room[filled] = '\0';
    if (is_oversized) {
      reply("null", 4, INVALID);
    } else if (filled > 0) {
      handle(room, filled);
    }
    filled = is_oversized = 0;
  }
}

#endif
