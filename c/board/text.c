#include "text.h"

void text_add(text *to, const char *more) {
  for (; *more != '\0' && to->length < sizeof to->bytes; more++) {
    to->bytes[to->length++] = *more;
  }
}

void text_add_number(text *to, uint32_t number, int digits) {
  char reversed[10];
  int count = 0;
  do {
    reversed[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  for (; digits > count; digits--) {
    text_add(to, "0");
  }
  while (count > 0 && to->length < sizeof to->bytes) {
    to->bytes[to->length++] = reversed[--count];
  }
}

void text_add_degrees(text *to, int32_t milli) {
  uint32_t size = milli < 0 ? 0u - (uint32_t)milli : (uint32_t)milli;
  if (milli < 0) {
    text_add(to, "-");
  }
  text_add_number(to, size / 1000, 1);
  text_add(to, ".");
  text_add_number(to, size % 1000, 3);
  text_add(to, " \xC2\xB0" "C");
}
