/* What the passes in C share. Each file becomes a shared library with one function, `pass`. */
#ifndef PASSES_H
#define PASSES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Requests, notifications, results, errors, and lines that were refused. */
typedef struct counts {
  uint64_t of[5];
} counts;

enum { REQUESTS, NOTIFICATIONS, RESULTS, ERRORS, REFUSED };

/** Reads the wire in chunks of this size, with a room for frames that span chunks. Parsers of one value get whole lines,
 * whatever the size of a chunk, for they can't read pieces. */
counts pass(const char *wire, size_t length, size_t chunk, char *room, size_t room_size);

/** The kind of a message by its members, as an index of `counts`. */
static inline int kind_of(int has_method, int has_id, int has_result, int has_error) {
  return has_method ? (has_id ? REQUESTS : NOTIFICATIONS) : has_result ? RESULTS : has_error ? ERRORS : REFUSED;
}

/** Keeps the compiler from leaving out what leads to a value. */
#define KEEP(value) __asm__ volatile("" : : "r"(value) : "memory")

#endif
