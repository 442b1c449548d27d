/*
 * tautline: JSON-RPC 2.0 and MCP, from bytes to messages and back. No allocation, no callbacks, no state of its own, no
 * locale, no errno. c/README.md is the guide. This file is generated.
 *
 * Memory
 *
 *   You own all of it: states, events, buffers and inputs. A view (tl_view) is a pointer and a length into memory of
 *   yours; each function says how long its views live.
 *
 * Results
 *
 *   A function that returns int32_t returns 0 or more if it did what it was asked, and else a negative number of
 *   tl_error. Then its results are unchanged, except a length that it reports with TL_ERROR_FULL, and an event id that
 *   tl_sse_last_event_id could not keep. A broken frame is no error but an event. Every function can return
 *   TL_ERROR_STATE for a pointer that is misaligned.
 *
 * What the library checks, and what is up to you
 *
 *   It checks for NULL, for lengths that memory can't hold, for states that are misaligned, too small or never
 *   initialised (zeros, for example), for inputs that lie where it writes, for calls that are out of order, and for a
 *   header of another version. It can't check that a pointer points to what it should, that a view is readable, or that
 *   the memory behind a view has not changed: that is your duty, as always in C.
 *
 *   Of a message that it writes, it checks the id, the types of params and result, and that JSON is JSON and text
 *   UTF-8, and that no line is nested deeper than the reader allows. It does not check what _strict profiles look for
 *   inside values, repeated names, or whether a batch is allowed.
 *
 *   The checked build (the cargo feature "checked"), for your tests, has the same header, and reports more:
 *
 *   - a view that should be a JSON value and is none, or has whitespace around it: TL_ERROR_JSON. Functions without
 *     errors treat it as no value: tl_type_of returns TL_TYPE_ABSENT, tl_text_eq returns 0.
 *   - a message that its profile does not allow: TL_ERROR_PROFILE.
 *   - a name that an object of a message repeats: TL_ERROR_REPEATED.
 *   - a stream (TL_ERROR_STATE) or a writer (TL_ERROR_ORDER) of which another copy was used since. Moving one is fine:
 *     the one that was left behind is then an old copy. A stream is only checked while its room has 4 bytes left.
 *     Copies of a tl_out or a tl_batch are not found.
 *   - input of a stream that lies in its room: TL_ERROR_OVERLAP.
 *
 * Threads
 *
 *   Functions share nothing, so they may run at the same time with different states and buffers.
 *
 * Linking
 *
 *   A program links the profiles and framings that it names, if it is linked with -Wl,--gc-sections.
 */
