/* Measures the stack of the job on an emulated Cortex-M3. picolibc has the start-up code, and prints by way of QEMU. */
#include "../tests/size/paint.h"
#include "inputs.h"
#include "job.h"
#include <stdio.h>

void job_send(const char *bytes, size_t count) {
  (void)bytes, (void)count;
}

int main(void) {
  for (unsigned at = 0; at < sizeof inputs / sizeof *inputs; at++) {
    MEASURE((job(inputs[at].text, inputs[at].length), job("\n", 1)));
  }
  printf("job %d\n", most);
  return 0;
}
