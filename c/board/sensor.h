/* A sensor for boards that have none: it drifts around 21 degrees. For one file of a program. */
#ifndef SENSOR_H
#define SENSOR_H

#include <stdint.h>

static int32_t sensor_milli_celsius(void) {
  static uint32_t noise = 0x2545F491u;
  /* Marsaglia's xorshift. */
  noise ^= noise << 13;
  noise ^= noise >> 17;
  noise ^= noise << 5;
  return 20500 + (int32_t)(noise % 1000);
}

#endif
