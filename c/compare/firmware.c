/* The job in an image without start-up code. The input comes from memory, and replies go there. */
#include "job.h"

const char *volatile input;
volatile size_t length, output;
const char *volatile sent;

void job_send(const char *bytes, size_t count) {
  sent = bytes;
  output = count;
}

/* Nothing returns from here. */
void _exit(int status);
void _exit(int status) {
  (void)status;
  for (;;) {
  }
}

void start(void);
void start(void) {
  for (;;) {
    job(input, length);
  }
}
