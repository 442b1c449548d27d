/* The job on a host: standard input to standard output, in chunks of 7 bytes. */
#include "job.h"
#include <stdio.h>

void job_send(const char *bytes, size_t count) {
  fwrite(bytes, 1, count, stdout);
}

int main(void) {
  char chunk[7];
  for (size_t count; (count = fread(chunk, 1, sizeof chunk, stdin)) > 0;) {
    job(chunk, count);
  }
  return 0;
}
