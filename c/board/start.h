/* What comes before `main` on a board without an operating system, and how much of the stack was ever in use. */
#ifndef START_H
#define START_H

#include <stdint.h>

/**
 * Paints the free stack, sets the initial values of variables, and calls `main`, which does not return. The first thing
 * after a reset. No interrupt may be enabled.
 */
void start(void);

/** The most bytes of stack that were in use at once since the start. It is 0 if no paint is left. */
uint32_t start_stack_used(void);

int main(void);

#endif
