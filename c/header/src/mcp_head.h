/*
 * tautline: sessions of MCP. What a message means, given the messages before it, for servers, clients and gateways: who
 * may send it, which request it answers, which error it is owed. The archive is the same. This file is generated.
 *
 * A server shows each event of its stream to tl_session_observe, serves the requests that are left, lets
 * tl_session_refuse answer the others, and sends what tl_session_take returns:
 *
 *   while (tl_push(&stream, &input, &event) > 0) {
 *     if (tl_session_observe(&session, TL_ROLE_CLIENT, &event, &seen, NULL) != TL_MEANING_REQUEST)
 *       tl_session_refuse(&session, &out, &event, &seen);               // writes what is owed, if anything is
 *     else if (serve(&session, &out, &event, &seen) != 0)               // writes a result or an error
 *       tl_write_error(&out, mcp, event.id, -32603, tl_text("Internal error"), tl_none());   // it did not fit
 *     if (tl_session_take(&session, TL_ROLE_SERVER, &out, &bytes, NULL) == 0)    // shows the answers to the session
 *       send(bytes);
 *   }
 *
 * Memory, results, checks, threads: as in tautline.h. A session has no clock, does no I/O and never ends a connection.
 */
