/* The job that every library does: it reads lines, classifies messages, dispatches requests, and replies what is owed,
 * with the id. `job_tautline.c` does it with tautline, and the other files with another library each. */
#ifndef JOB_H
#define JOB_H

#include <stddef.h>
#include <stdint.h>

enum { ROOM = 256, REPLIES = 512 };

/** Takes a chunk of the input, and appends the replies to what was not sent yet. */
void job(const char *chunk, size_t length);

/** Provided by the firmware or the host: sends replies. */
void job_send(const char *replies, size_t length);

#endif
