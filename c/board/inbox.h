/*
 * Received bytes that the server has not read yet: a ring that the interrupt fills and the rest of the program empties.
 * For one file of a program.
 */
#ifndef INBOX_H
#define INBOX_H

#include <stddef.h>
#include <stdint.h>

/* At 115,200 baud it fills in 22 ms. The positions wrap around with the ring. One place stays free, to tell a full ring
 * from an empty one. */
static struct {
  volatile uint8_t bytes[256];
  volatile uint8_t first;
  volatile uint8_t end;
} inbox;

static int inbox_is_empty(void) {
  return inbox.first == inbox.end;
}

static int inbox_is_full(void) {
  return (uint8_t)(inbox.end + 1u) == inbox.first;
}

/* Only for the interrupt, and only if the ring is not full. */
static void inbox_put(uint8_t byte) {
  uint8_t end = inbox.end;
  inbox.bytes[end] = byte;
  inbox.end = (uint8_t)(end + 1u);
}

static size_t inbox_take(char *bytes, size_t size) {
  size_t length = 0;
  while (length < size && !inbox_is_empty()) {
    uint8_t first = inbox.first;
    bytes[length++] = (char)inbox.bytes[first];
    inbox.first = (uint8_t)(first + 1u);
  }
  return length;
}

#endif
