/* mjson has JSON-RPC of its own, which classifies, dispatches and replies. */
#include "lines.h"
#include "mjson.h"

static void ping(struct jsonrpc_request *request) {
  jsonrpc_return_success(request, "{}");
}

static int append(const char *text, int length, void *data) {
  (void)data;
  put(text, (size_t)length);
  return length;
}

static void handle(char *line, size_t length) {
  static int is_begun;
  if (!is_begun) {
    jsonrpc_export("ping", ping);
    is_begun = 1;
  }
  jsonrpc_process(line, (int)length, append, NULL, NULL);
  flush();
}
