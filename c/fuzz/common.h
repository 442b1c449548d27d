/* What both halves of the fuzzer use: the bytes of the input in turn, and assertions. */
#ifndef COMMON_H
#define COMMON_H

#include "tautline.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      abort(); \
    } \
  } while (0)

/** The rest of the input of the fuzzer. */
typedef struct source {
  const uint8_t *at;
  size_t left;
} source;

/** Takes one byte, or 0 at the end. */
static inline uint8_t take(source *from) {
  if (from->left == 0) {
    return 0;
  }
  from->left--;
  return *from->at++;
}

/** Takes up to so many bytes. */
static inline tl_view take_bytes(source *from, size_t most) {
  size_t len = most < from->left ? most : from->left;
  tl_view view = tl_bytes(from->at, len);
  from->at += len;
  from->left -= len;
  return view;
}

/** A copy of exactly these bytes, so that the sanitizer sees who reads behind them. Free it. */
static inline char *copy_of(tl_view bytes) {
  char *copy = malloc(bytes.len > 0 ? bytes.len : 1);
  CHECK(copy != NULL);
  if (bytes.len > 0) {
    memcpy(copy, bytes.ptr, bytes.len);
  }
  return copy;
}

static inline int same(tl_view left, tl_view right) {
  return left.len == right.len && (left.len == 0 || memcmp(left.ptr, right.ptr, left.len) == 0);
}

enum { CANARY = 32, FILL = 0xA5 };

/** A buffer of this size between two canaries. The canaries also catch a library that no sanitizer has instrumented. */
static inline char *guarded(size_t size) {
  char *memory = malloc(size + 2 * CANARY);
  CHECK(memory != NULL);
  memset(memory, FILL, size + 2 * CANARY);
  return memory + CANARY;
}

/** Checks the canaries, and frees the buffer. */
static inline void release(char *buffer, size_t size) {
  for (size_t at = 0; at < CANARY; at++) {
    CHECK((uint8_t)buffer[size + at] == FILL);
    CHECK((uint8_t)(buffer - CANARY)[at] == FILL);
  }
  free(buffer - CANARY);
}

/** A profile, that of the peer who gets the answers, and the one that written messages have to satisfy. The answer to
 * the body of a request is the body of a response, and the other way round. No peer is strict: a strict profile is for
 * reading. It refuses ids and texts that are legal, and a writer takes them. */
typedef struct pair {
  const tl_profile *own, *peer, *written;
} pair;

extern const pair profiles[22];

void fuzz_reading(const pair *profile, uint8_t way, source input);
void fuzz_writing(const pair *profile, source input);
void fuzz_text(tl_view text);
void examine_value(tl_view value, int depth);

#endif
