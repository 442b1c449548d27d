/*
 * What the server needs of a board. A port to another board is one file with these functions, start-up code and a
 * linker script: see port_lm3s6965.c.
 */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>
#include <stdint.h>

/** The name of the board, for people: ASCII without quotes. */
extern const char port_name[];

/** Starts the clock, the wire and the tick. Called once, first. */
void port_start(void);

/**
 * Copies what has arrived, at most `size` bytes, and returns its length. If nothing has arrived, waits for the next
 * byte or the next tick, whichever comes first, and may then return 0.
 */
size_t port_read(char *bytes, size_t size);

/** Sends all bytes. Waits for as long as that takes. */
void port_write(const char *bytes, size_t length);

/** The time since the start, in milliseconds. It wraps around. */
uint32_t port_milliseconds(void);

/** The temperature in thousandths of a degree Celsius. A double would cost more flash than all the tools. */
int32_t port_milli_celsius(void);

/** Switches the LED. */
void port_set_led(int is_on);

/** Returns 1 if the LED is on, and 0 otherwise, according to its register. */
int port_led(void);

/** The most bytes of stack that were ever in use, or 0 if that is unknown. */
uint32_t port_stack_used(void);

#endif
