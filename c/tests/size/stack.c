/* Measures the stack of each group of functions on an emulated Cortex-M3, without a C library. It prints a line each. */
#include "paint.h"
#include "tautline.h"

#define BEGIN "{\"jsonrpc\":\"2.0\",\"id\":"
#define DEEP "[{\"a\":[{\"a\":[{\"a\":[{\"a\":[{\"a\":[{\"a\":[{\"a\":["
#define SHALLOW "]}]}]}]}]}]}]}]"

/** Messages of every kind, and faults of every stage. */
static const char *const inputs[] = {
  BEGIN "1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":{\"x\":[1,-2.5e3,true,null,\"\\u0061\"]}}}",
  BEGIN "\"\\ud83d\\ude00\",\"m\\u0065thod\":\"p\\u0069ng\",\"params\":{\"_meta\":{\"progressToken\":1}}}",
  BEGIN "1,\"method\":\"a\",\"params\":{\"a\":" DEEP DEEP SHALLOW SHALLOW "}}",
  BEGIN "1,\"method\":\"a\",\"params\":{\"a\":" DEEP DEEP SHALLOW "}}",
  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
  BEGIN "1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xe2\x80\xa8\"}]}}",
  BEGIN "1,\"error\":{\"code\":-32601,\"message\":\"no\",\"data\":[1]}}",
  BEGIN "1,\"error\":{\"code\":-32601,\"code\":1e999,\"message\":5}}",
  BEGIN "1,\"id\":2,\"method\":\"a\",\"method\":\"b\"}",
  BEGIN "1.5,\"method\":\"a\",\"params\":7}",
  BEGIN "\"\\ud800\",\"method\":\"a\",\"result\":1}",
  BEGIN "1,\"method\":\"a\",\"Method\":\"b\",\"params\":{\"a\":1,\"a\":2,\"Name\":\"x\",\"name\":\"y\"}}",
  "[" BEGIN "1,\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"method\":\"b\"},7]",
  "{\"id\":1}", "[]", "{\"a\":1,}", "{\"a\":\"\xff\"}", "{\"a\":\"\t\"}", "{\"a\":01}", "{", "\"", "nul", "7 7",
};
enum { COUNT = sizeof inputs / sizeof *inputs };

static const tl_profile *const profiles[] = {&tl_mcp_2025_03_26, &tl_mcp_2025_11_25, &tl_mcp_2025_11_25_strict};
static tl_sse_stream state;
static char room[200], replies[600], text[600];

/** Calls QEMU: 4 prints a text, and 24 ends the program. */
static void call_host(int operation, const void *argument) {
  register int number __asm__("r0") = operation;
  register const void *pointer __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(number) : "r"(pointer) : "memory");
}

static void report(const char *name) {
  char line[40];
  int at = sizeof line - 1;
  line[at] = '\0';
  line[--at] = '\n';
  for (; most > 0; most /= 10) {
    line[--at] = (char)('0' + most % 10);
  }
  call_host(4, name);
  call_host(4, line + at);
}

/** Pushes every input in pieces and as a whole, with blank lines behind, which end a server-sent event. */
static void push(const tl_framing *framing, const char *before, const tl_profile *profile) {
  tl_event event;
  for (int at = 0; at < COUNT; at++) {
    const char *parts[] = {before, inputs[at], "\n\n"};
    unsigned length = 0;
    for (int part = 0; part < 3; part++) {
      for (const char *from = parts[part]; *from != '\0'; from++) {
        text[length++] = *from;
      }
    }
    for (unsigned chunk = 7; chunk <= 700; chunk *= 100) {
      int32_t kind = 0;
      (void)tl_stream_init(TL_ABI, &state.stream, sizeof state, framing, profile, room, sizeof room);
      for (unsigned done = 0; done < length && kind != TL_KIND_LOST; done += chunk) {
        tl_view input = tl_bytes(text + done, chunk < length - done ? chunk : length - done);
        do {
          MEASURE(kind = tl_push(&state.stream, &input, &event));
        } while (kind > 0 && kind != TL_KIND_LOST);
      }
      MEASURE((void)tl_finish(&state.stream, &event));
    }
  }
}

static void write(const tl_profile *profile) {
  tl_out out = tl_out_of(replies, sizeof replies);
  tl_view odd = tl_text("a\n\xe2\x80\xa8"), value = tl_text("{\"a\":[1,\n\"\\u0061\"]}"), id = tl_text("\"\\u0061\"");
  tl_event event;
  for (int at = 0; at < COUNT; at++) {
    (void)tl_check(profile, tl_text(inputs[at]), &event);
    for (out.capacity = sizeof replies; out.capacity > 0; out.capacity /= 20) {
      MEASURE((void)tl_write_reply(&out, &event));
      MEASURE((void)tl_write_result(&out, profile, event.id, value));
      MEASURE((void)tl_write_error(&out, profile, event.id, -32601, odd, value));
      MEASURE((void)tl_write_request(&out, profile, id, odd, event.params));
      MEASURE((void)tl_write_notification(&out, profile, odd, event.params));
      out.used = 0;
    }
  }
}

static void write_pieces(const tl_profile *profile) {
  tl_view odd = tl_text("a\n\xe2\x80\xa8"), id = tl_text("\"\\u0061\"");
  tl_writer writer;
  for (int kind = 0; kind < 4; kind++) {
    tl_out out = tl_out_of(replies, kind == 3 ? 40 : sizeof replies);
    MEASURE((void)(kind == 0   ? tl_begin_request(&writer, &out, profile, id, odd)
                   : kind == 1 ? tl_begin_notification(&writer, &out, profile, odd)
                   : kind == 2 ? tl_begin_result(&writer, &out, profile, id)
                               : tl_begin_error(&writer, &out, profile, id, -1, odd)));
    MEASURE((void)tl_open_object(&writer));
    MEASURE((void)tl_key(&writer, odd));
    MEASURE((void)tl_open_array(&writer));
    MEASURE((void)tl_put_text(&writer, odd));
    MEASURE((void)tl_put_json(&writer, tl_text("{\"a\":[1,\n\"\\u0061\"]}")));
    MEASURE((void)tl_put_int64(&writer, INT64_MIN));
    MEASURE((void)tl_put_uint64(&writer, UINT64_MAX));
    MEASURE((void)tl_put_bool(&writer, 1));
    MEASURE((void)tl_put_null(&writer));
    MEASURE((void)tl_close(&writer));
    MEASURE((void)tl_close(&writer));
    MEASURE((void)tl_end(&writer));
  }
}

static void read_batch(void) {
  tl_event event;
  tl_batch batch;
  for (int at = 0; at < COUNT; at++) {
    int32_t status;
    (void)tl_check(&tl_mcp_2025_03_26, tl_text(inputs[at]), &event);
    MEASURE(status = tl_batch_init(&batch, &tl_mcp_2025_03_26, &event));
    for (int count = 0; status == 0 && count < 4; count++) {
      MEASURE((void)tl_batch_next(&batch, &event));
    }
  }
}

static void read_values(void) {
  tl_view object = tl_text("{\"a\":{\"\\u0062\":[1,2,\"x\\\"\"]},\"n\":123e2}"), name, value;
  tl_view string = tl_text("\"a\\u0062\\ud83d\\ude00\"");
  tl_iter iter;
  int64_t number;
  uint64_t other;
  MEASURE((void)tl_members(object, &iter));
  MEASURE((void)tl_next_member(&iter, &name, &value));
  MEASURE((void)tl_member(object, "n", &value));
  MEASURE((void)tl_int64(value, &number));
  MEASURE((void)tl_uint64(value, &other));
  MEASURE((void)tl_text_decode(string, replies, sizeof replies, NULL));
  MEASURE((void)tl_text_eq(string, "ab"));
  MEASURE((void)tl_elements(tl_text("[[1],{\"a\":\"\\\"\"}]"), &iter));
  MEASURE((void)tl_next_element(&iter, &value));
}

static void doubles(void) {
  static const char *const numbers[] = {"1", "-0.1", "123456789012345678901234567890e-20", "2.2250738585072014e-308", "1e999"};
  for (int at = 0; at < 5; at++) {
    tl_out out = tl_out_of(replies, sizeof replies);
    tl_writer writer;
    double number = 0;
    MEASURE((void)tl_double(tl_text(numbers[at]), &number));
    (void)tl_begin_result(&writer, &out, &tl_json_rpc, tl_text("1"));
    MEASURE((void)tl_put_double(&writer, number));
  }
}

static void check(const tl_profile *profile) {
  tl_event event;
  for (int at = 0; at < COUNT; at++) {
    MEASURE((void)tl_check(profile, tl_text(inputs[at]), &event));
    MEASURE((void)tl_check_line(profile, tl_text(inputs[at]), &event));
  }
}

static void push_all(const tl_profile *profile) {
  push(&tl_framing_lines_skimming, "", profile);
  push(&tl_framing_content_length_skimming, "Content-Length: 60\r\n\r\n", profile);
  push(&tl_framing_sse_skimming, "id: 1\ndata: ", profile);
  push(&tl_framing_concatenated_skimming, "", profile);
}

void start(void) {
  check(profiles[0]);
  check(profiles[1]);
  report("`tl_check`|");
  check(profiles[2]);
  report("`tl_check`, under a strict profile|");
  push(&tl_framing_lines, "", profiles[0]);
  push(&tl_framing_lines, "", profiles[1]);
  report("`tl_push`, lines|");
  push_all(profiles[0]);
  push_all(profiles[1]);
  report("`tl_push`, any framing, with a skimmer|");
  push_all(profiles[2]);
  report("`tl_push`, the same under a strict profile|");
  for (int at = 0; at < 3; at++) {
    write(profiles[at]);
  }
  report("`tl_write_...`|");
  write_pieces(&tl_mcp_2025_11_25);
  write_pieces(&tl_json_rpc);
  report("`tl_begin_...` to `tl_end`, each call|");
  read_batch();
  report("`tl_batch_init`, `tl_batch_next`|");
  read_values();
  report("values: members, elements, texts, integers|");
  doubles();
  report("`tl_double`, `tl_put_double`|");
  call_host(24, (const void *)0x20026);
}

/** Where the processor finds the stack and the first instruction. */
struct vectors {
  void *stack;
  void (*start)(void);
};
extern const struct vectors vectors;
__attribute__((section(".vectors"))) const struct vectors vectors = {(void *)0x20010000, start};
