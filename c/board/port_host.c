/* A host as a board: the wire is standard input and output. For trying out a change, and for the tests. */
#define _POSIX_C_SOURCE 200809L

#include "port.h"

#include "sensor.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

const char port_name[] = "host";

static struct timespec started;
static int led;

void port_start(void) {
  (void)clock_gettime(CLOCK_MONOTONIC, &started);
}

size_t port_read(char *bytes, size_t size) {
  struct pollfd input = {0, POLLIN, 0};
  ssize_t length;
  if (poll(&input, 1, 10) <= 0) {
    return 0;
  }
  length = read(0, bytes, size);
  if (length <= 0) {
    exit(0); /* The client has closed its end. */
  }
  return (size_t)length;
}

void port_write(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(1, bytes, length);
    if (written <= 0) {
      exit(1);
    }
    bytes += written;
    length -= (size_t)written;
  }
}

uint32_t port_milliseconds(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint32_t)((uint64_t)(now.tv_sec - started.tv_sec) * 1000 + (uint64_t)(now.tv_nsec / 1000000) -
                    (uint64_t)(started.tv_nsec / 1000000));
}

int32_t port_milli_celsius(void) {
  return sensor_milli_celsius();
}

void port_set_led(int is_on) {
  led = is_on;
}

int port_led(void) {
  return led;
}

uint32_t port_stack_used(void) {
  return 0;
}
