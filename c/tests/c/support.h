/* What the tests in C share. */
#ifndef TAUTLINE_TESTS_SUPPORT_H
#define TAUTLINE_TESTS_SUPPORT_H

#include "tautline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(holds)                                                  \
  do {                                                                \
    if (!(holds)) {                                                   \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #holds);     \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

static inline int view_is(tl_view view, const char *text) {
  return view.len == strlen(text) && (view.len == 0 || memcmp(view.ptr, text, view.len) == 0);
}

static inline int out_is(const tl_out *out, const char *text) {
  return out->used == strlen(text) && memcmp(out->ptr, text, out->used) == 0;
}

#endif
