/* Fails to compile if the compiler lays out the states in another way than the library. */
typedef char tl_assert_slot[sizeof(tl_slot) == 100 ? 1 : -1];
typedef char tl_assert_session[sizeof(tl_session) == 14 * 8 + 6 * sizeof(size_t) ? 1 : -1];
typedef char tl_assert_finding[sizeof(tl_finding) == 8 ? 1 : -1];
typedef char tl_assert_session_event[sizeof(tl_session_event) == 32 + 14 * sizeof(size_t) ? 1 : -1];

/** An array for findings. */
static inline tl_findings tl_findings_of(tl_finding *ptr, size_t room) {
  tl_findings findings;
  findings.ptr = ptr;
  findings.room = room;
  findings.count = 0;
  return findings;
}
