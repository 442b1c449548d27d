/* Texts under construction. `snprintf` would do the same, for several kilobytes of flash. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>

/** A text under construction. What does not fit is dropped; the longest text of this server fits. */
typedef struct text {
  char bytes[192];
  size_t length;
} text;

/** Appends text that a NUL ends. */
void text_add(text *to, const char *more);

/** Appends a number in decimal, with at least `digits` digits. */
void text_add_number(text *to, uint32_t number, int digits);

/** Appends a temperature, given in thousandths of a degree. */
void text_add_degrees(text *to, int32_t milli);

#endif
