/*
 * tautline: JSON-RPC 2.0 and MCP, from bytes to messages and back. No allocation, no callbacks, no globals, no locale,
 * no errno. c/README.md is the guide. This file is generated.
 *
 * Memory
 *
 *   You own all of it: states, events, buffers and inputs. A view (tl_view) is a pointer and a length into memory of
 *   yours; each function says how long its views live.
 *
 * Results
 *
 *   A function that returns int32_t returns 0 or more if it did what it was asked, and else a negative number of
 *   tl_error. Then nothing has changed, unless it says otherwise. A broken frame is no error but an event.
 *
 * What the library checks, and what is up to you
 *
 *   It checks for NULL, for lengths that memory can't hold, for states that are misaligned, too small or never
 *   initialised (all zeros, for example), and for a header of another version. It can't check that a pointer points to
 *   what it should, that a view is readable, or that a copied state is used once: that is your duty, as always in C.
 *
 * Threads
 *
 *   Functions share nothing, so they may run at the same time with different states and buffers.
 *
 * Linking
 *
 *   A program links the profiles and framings that it names, if it is linked with -Wl,--gc-sections.
 */
