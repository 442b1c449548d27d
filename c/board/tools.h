/*
 * The tools that the board offers to a model, and a resource with its status. A tool takes its arguments, acts on the
 * board, and says what happened. It knows nothing of MCP but the list of the tools.
 */
#ifndef TOOLS_H
#define TOOLS_H

#include "tautline.h"
#include "text.h"

/** The list of the tools, in JSON. */
extern const char tools_list[];

/** How a call has ended. */
typedef enum tool_outcome {
  /** There is no such tool. */
  TOOL_UNKNOWN,
  /** The text is the result. */
  TOOL_SAID,
  /** The tool returns a string that it was given, as it was written: `echo`. */
  TOOL_ECHO,
  /** The tool failed, and the text says why. That is a result, too, for the model to read. */
  TOOL_FAILED,
  /** The result comes later: `sampling` is set. */
  TOOL_SAMPLING
} tool_outcome;

/** Readings of the sensor that are taken one by one, while the board does other things. */
typedef struct sampling {
  uint32_t count;
  uint32_t taken;
  uint32_t interval_ms;
  uint32_t last_at;
  int32_t lowest;
  int32_t highest;
  int32_t sum;
} sampling;

/** Calls the tool with this name. `arguments` is an object, or NULL. Sets `said`, `echo` or `later`. */
tool_outcome tools_call(tl_view name, tl_view arguments, text *said, tl_view *echo, sampling *later);

/** Takes a reading if it is time to. Returns 1 if it did. */
int sampling_step(sampling *of);

/** Appends the result, and returns 1, if all readings are taken. */
int sampling_result(const sampling *of, text *to);

/** What the server has counted since the board was started. All wrap around. */
typedef struct counters {
  /** Lines that arrived, without blank ones. */
  uint32_t frames;
  /** Of these, messages. */
  uint32_t messages;
  /** Of these, lines that are no message. */
  uint32_t faults;
  /** Of these, lines that are too long. */
  uint32_t oversized;
  /** Lines that were sent. */
  uint32_t sent;
} counters;

/** Appends the text of the resource, which is JSON. */
void tools_info(const counters *counted, text *to);

#endif
