/* The loop of the server: bytes in, lines out. */
#include "port.h"
#include "server.h"

int main(void) {
  static server self; /* All zeros, as a server before its start is. */
  char bytes[64];
  port_start();
  if (server_start(&self) != 0) {
    return 1;
  }
  for (;;) {
    server_receive(&self, bytes, port_read(bytes, sizeof bytes));
    server_tick(&self);
  }
}
