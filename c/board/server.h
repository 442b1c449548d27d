/*
 * The MCP server: takes bytes as they arrive, and sends lines. It knows nothing of the board but what port.h says. It
 * serves clients of 2025-06-18 and 2025-11-25, which begin with `initialize`, and of 2026-07-28, which state their
 * version in every request.
 */
#ifndef SERVER_H
#define SERVER_H

#include "tautline_mcp.h"
#include "tools.h"

/** The longest line that is read. The sender of a longer one gets an error with the id of its request. */
#define SERVER_LONGEST_LINE 1024
/** The longest line that is sent. The list of the tools is the longest. */
#define SERVER_LONGEST_REPLY 1536
/** The longest id of a call that is answered later, in JSON. A UUID in quotes has 38 bytes. */
#define SERVER_LONGEST_ID 64

/** The number of requests in flight. Each is answered before the next is read, except for the call that takes long. */
#define SERVER_SLOTS 3

/** A session with a client. */
typedef struct server_session {
  tl_session session;
  tl_slot slots[SERVER_SLOTS];
} server_session;

/** The JSON text of an id, which is kept for an answer that comes later. Its length is 0 if there is none. */
typedef struct kept_id {
  char bytes[SERVER_LONGEST_ID];
  size_t length;
} kept_id;

/** The state of a server. Nothing else is kept anywhere. It must not move. */
typedef struct server {
  tl_skimming_stream stream;
  server_session sessions[2];
  /** The session with the client, one of the two. The other is for the next client. */
  server_session *current;
  counters counted;
  /** The call that is answered later, if its id has a length, and the token for its progress. */
  int is_modern;
  kept_id running;
  kept_id token;
  sampling readings;
  char line[SERVER_LONGEST_LINE];
  char reply[SERVER_LONGEST_REPLY];
} server;

/** Begins. Returns 0, or an error of the library. */
int32_t server_start(server *self);

/** Takes bytes that have arrived, and answers the lines that they complete. */
void server_receive(server *self, const char *bytes, size_t length);

/** Continues the call that takes long. To be called again and again, whether or not anything arrives. */
void server_tick(server *self);

#endif
