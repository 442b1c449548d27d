/* How much stack a call needs: the stack below is painted, the call is made, and the paint that is gone is counted. */
#ifndef PAINT_H
#define PAINT_H

enum { PAINTED = 6000, MARGIN = 64, PAINT = 0xA5 };

/** Paints the stack. The margin is for this function and the one below, which are not inlined: their frames are where
 * that of the call is. */
__attribute__((noinline)) static void paint(void) {
  volatile unsigned char *top = (volatile unsigned char *)__builtin_frame_address(0) - MARGIN;
  for (int at = 1; at <= PAINTED; at++) {
    top[-at] = PAINT;
  }
}

/** Returns the number of bytes that a call has needed since, or 0 if they are fewer than the margin. */
__attribute__((noinline)) static int depth(void) {
  volatile unsigned char *top = (volatile unsigned char *)__builtin_frame_address(0) - MARGIN;
  int at = PAINTED;
  while (at > 0 && top[-at] == PAINT) {
    at--;
  }
  return at == 0 ? 0 : at + MARGIN;
}

static int most;

/** Does some work, and notes what it needs. */
#define MEASURE(work) \
  do { \
    paint(); \
    work; \
    int needed = depth(); \
    most = needed > most ? needed : most; \
  } while (0)

#endif
