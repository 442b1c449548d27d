#include "tools.h"

#include "port.h"

#define SCHEMA(properties, required) \
  "\"inputSchema\":{\"type\":\"object\",\"properties\":{" properties "},\"required\":[\"" required "\"]}}"

const char tools_list[] =
    "[{\"name\":\"read_temperature\",\"description\":\"Reads the temperature\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"sample_temperature\",\"description\":\"Samples the temperature and reports progress\","
    SCHEMA("\"count\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":255},"
           "\"interval_ms\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":65535}", "count") ","
    "{\"name\":\"set_led\",\"description\":\"Switches the LED\","
    SCHEMA("\"on\":{\"type\":\"boolean\"}", "on") ","
    "{\"name\":\"read_led\",\"description\":\"Reads the LED\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"echo\",\"description\":\"Echoes a text\","
    SCHEMA("\"text\":{\"type\":\"string\"}", "text") "]";

static tool_outcome read_temperature(text *said) {
  text_add_degrees(said, port_milli_celsius());
  return TOOL_SAID;
}

static tool_outcome read_led(text *said) {
  text_add(said, port_led() ? "The LED is on." : "The LED is off.");
  return TOOL_SAID;
}

static tool_outcome set_led(tl_view arguments, text *said) {
  tl_view on;
  int32_t is_on = tl_member(arguments, "on", &on) == 1 ? tl_bool(on) : -1;
  if (is_on < 0) {
    text_add(said, "on must be true or false");
    return TOOL_FAILED;
  }
  port_set_led(is_on);
  return read_led(said);
}

/* The text is returned as it was written, so it needs no room, and may be as long as a line. */
static tool_outcome echo_text(tl_view arguments, text *said, tl_view *echo) {
  if (tl_member(arguments, "text", echo) != 1 || tl_type_of(*echo) != TL_TYPE_STRING) {
    text_add(said, "text must be a string");
    return TOOL_FAILED;
  }
  return TOOL_ECHO;
}

/* Reads an integer from `least` to `most`, in any notation: to JSON Schema, `2e1` and `20.0` are 20. */
static int read_integer(tl_view value, uint32_t least, uint32_t most, uint32_t *number) {
  uint64_t read;
  if (tl_uint64(value, &read) != 0 || read < least || read > most) {
    return 0;
  }
  *number = (uint32_t)read;
  return 1;
}

static tool_outcome sample_temperature(tl_view arguments, text *said, sampling *later) {
  static const sampling none = {0, 0, 0, 0, INT32_MAX, INT32_MIN, 0};
  tl_view count, interval;
  /* 0 if there is no interval, and negative if there are two, which is as wrong as none of the two being a number. */
  int32_t has_interval = tl_member(arguments, "interval_ms", &interval);
  *later = none;
  if (tl_member(arguments, "count", &count) != 1 || !read_integer(count, 1, 255, &later->count) ||
      has_interval == TL_ERROR_REPEATED ||
      (has_interval == 1 && !read_integer(interval, 0, 65535, &later->interval_ms))) {
    text_add(said, "count must be 1 to 255, and interval_ms 0 to 65535");
    return TOOL_FAILED;
  }
  later->last_at = port_milliseconds();
  return TOOL_SAMPLING;
}

tool_outcome tools_call(tl_view name, tl_view arguments, text *said, tl_view *echo, sampling *later) {
  if (tl_text_eq(name, "read_temperature")) {
    return read_temperature(said);
  }
  if (tl_text_eq(name, "sample_temperature")) {
    return sample_temperature(arguments, said, later);
  }
  if (tl_text_eq(name, "set_led")) {
    return set_led(arguments, said);
  }
  if (tl_text_eq(name, "read_led")) {
    return read_led(said);
  }
  if (tl_text_eq(name, "echo")) {
    return echo_text(arguments, said, echo);
  }
  return TOOL_UNKNOWN;
}

int sampling_step(sampling *of) {
  uint32_t now = port_milliseconds();
  int32_t reading;
  if (now - of->last_at < of->interval_ms) {
    return 0;
  }
  reading = port_milli_celsius();
  of->last_at = now;
  of->taken++;
  of->lowest = reading < of->lowest ? reading : of->lowest;
  of->highest = reading > of->highest ? reading : of->highest;
  of->sum += reading; /* At most 255 readings, each of which has at most seven digits. */
  return 1;
}

int sampling_result(const sampling *of, text *to) {
  if (of->taken < of->count) {
    return 0;
  }
  text_add_degrees(to, of->sum / (int32_t)of->taken);
  text_add(to, ", from ");
  text_add_degrees(to, of->lowest);
  text_add(to, " to ");
  text_add_degrees(to, of->highest);
  return 1;
}

static void add_figure(text *to, const char *name, uint32_t figure) {
  text_add(to, ",\"");
  text_add(to, name);
  text_add(to, "\":");
  text_add_number(to, figure, 1);
}

void tools_info(const counters *counted, text *to) {
  uint32_t stack = port_stack_used();
  text_add(to, "{\"board\":\"");
  text_add(to, port_name);
  text_add(to, "\"");
  add_figure(to, "uptimeMs", port_milliseconds());
  if (stack == 0) {
    text_add(to, ",\"stackBytes\":null");
  } else {
    add_figure(to, "stackBytes", stack);
  }
  add_figure(to, "frames", counted->frames);
  add_figure(to, "messages", counted->messages);
  add_figure(to, "faults", counted->faults);
  add_figure(to, "oversized", counted->oversized);
  add_figure(to, "sent", counted->sent);
  text_add(to, "}");
}
