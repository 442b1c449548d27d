// The common part of both transports: reading, answering messages that the SDK would drop, and writing.

import { MessageStream } from "../../index.js";
import { REVISIONS } from "../options.js";
import { REWRITTEN } from "../rules.js";
import { encode } from "../text.js";
import { BadFrame, mended } from "./bad-frame.js";
import { Fragments } from "./fragments.js";
import { FrameError } from "./frame-error.js";
import { AskedIds, OwedIds } from "./ids.js";
import { FIRST_RULES, hasLegalMeta, idFor, INTERNAL_ERROR, messageOf, serializeMessage } from "./messages.js";

const INVALID_PARAMS = -32602;

const errorTo = (id, code, message, data) => ({ jsonrpc: "2.0", id, error: { code, message, data } });

export class StdioTransport {
  onclose = undefined;
  onerror = undefined;
  onmessage = undefined;
  #stream;
  #rules;
  /** The rules in force. */
  #current;
  #replyData;
  #hasEnded = false;
  #fragments = new Fragments();
  #onFinding;
  /** The judge of the session, if findings are wanted and it is loaded. */
  #judge;
  /** True if invalid requests are answered. */
  #answers = true;
  /** The requests in flight: ours, and those of the peer. */
  #asked = new AskedIds();
  #owed = new OwedIds();
  /** The id of the peer's request "initialize". */
  #initialize;

  constructor({ rules, maxFrame, maxBufferSize, replyData, onFinding } = {}) {
    this.#onFinding = onFinding;
    this.#rules = rules;
    this.#current = rules ?? FIRST_RULES;
    this.#replyData = replyData;
    this.#stream = new MessageStream({ rules: this.#current, maxFrame: maxFrame ?? maxBufferSize });
  }

  /** Checks messages against the negotiated revision from now on, unless the options named rules. */
  setProtocolVersion(version) {
    if (this.#hasEnded || !REVISIONS.includes(version)) return;
    // Since 2026-07-28, servers send no requests, so clients have nothing to answer.
    this.#answers = !this._isClient || version < "2026-07-28";
    if (this.#rules !== undefined) return;
    this.#current = version;
    this.#stream.setRules(version);
  }

  /** Sends a message, and resolves when there is room for the next one. */
  async send(message) {
    if (this.#hasEnded) throw new Error("the transport is closed");
    const { id, method } = message;
    if (method === undefined) {
      const { protocolVersion } = message.result ?? {};
      if (id === this.#initialize && protocolVersion !== undefined) this.setProtocolVersion(protocolVersion);
    } else if (id !== undefined) {
      this.#asked.add(id);
    } else if (method === "notifications/cancelled") {
      this.#asked.delete(message.params?.requestId);
    }
    const text = serializeMessage(message);
    this.#observeOwn(text);
    await this._write(text);
    if (method === undefined) this.#settle(id);
  }

  /** True if there are requests of the peer that have no answer yet. */
  get _owesAnswers() {
    return this.#owed.size > 0;
  }

  /** Called when the last request of the peer has its answer. */
  _answeredAll() {}

  _read(chunk) {
    if (!this.#hasEnded) this.#takeAll(this.#stream.push(chunk));
  }

  /** Reads the rest at the end of the input. */
  _finish() {
    if (!this.#hasEnded) this.#takeAll(this.#stream.finish());
  }

  get _hasEnded() {
    return this.#hasEnded;
  }

  /** Stops reading, and frees the memory. Returns whether the transport was open. */
  _end() {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    this.#stream.free();
    const judge = this.#judge;
    this.#judge = undefined;
    if (judge !== undefined) this.#pass(() => judge.finish());
    return true;
  }

  /** True if the judge must be loaded before the transport starts. */
  get _wantsFindings() {
    return this.#onFinding !== undefined;
  }

  /** Loads the judge. Without it, the transport works all the same. */
  async _loadJudge() {
    try {
      // Programs that want no findings load neither this code nor the module.
      const { newJudge } = await import("./judge.js");
      this.#judge = await newJudge();
    } catch (error) {
      this._report(error);
    }
  }

  /** Passes findings on. */
  #pass(find) {
    try {
      for (const finding of find()) this.#onFinding(finding);
    } catch (error) {
      this._report(error);
    }
  }

  /** Lets the judge observe a line of this side. */
  #observeOwn(line) {
    const from = this._isClient ? "client" : "server";
    if (this.#judge !== undefined) this.#pass(() => this.#judge.observe(from, encode(line.trimEnd())));
  }

  /** Lets the judge observe a frame of the peer. */
  #observe(received) {
    if (this.#judge === undefined || received.kind === "oversized") return;
    const from = this._isClient ? "server" : "client";
    // Such a frame may be served, and then it has an answer.
    const line = received.rule === "invalid-utf8" ? encode(received.text()) : received.bytes;
    this.#pass(() => this.#judge.observe(from, line));
  }

  /** Writes to a stream, and resolves when there is room for more, or rejects. */
  _writeTo(output, text) {
    return new Promise((resolve, reject) => {
      const hasRoom = output.write(text, (error) => (error ? reject(error) : resolve()));
      if (hasRoom) resolve();
    });
  }

  _report(error) {
    this.onerror?.(error);
  }

  /** Closes without waiting, and reports errors. */
  _shut() {
    this.close().catch((error) => this._report(error));
  }

  /**
   * Processes items. Handlers may close the transport, so everything is read from an item before a handler is called.
   */
  #takeAll(items) {
    for (const received of items) {
      const records = this.#records(received);
      this.#observe(received);
      for (const record of records) {
        if (this.#hasEnded) return;
        this.#take(record);
      }
    }
  }

  /** Returns the data of an item that is needed later, for each message in it. */
  #records(received) {
    if (!("rule" in received)) this.#fragments.clear();
    switch (received.kind) {
      case "batch":
        return Array.from(received).flatMap((each) => this.#records(each));
      case "fault":
      case "oversized": {
        const message = mended(received, this.#current);
        if (message === undefined) return this.#badRecords(received);
        return [{ kind: "trap", error: new FrameError(received) }, ...this.#records(message)];
      }
      case "result":
      case "error":
        return this.#answerRecords(received);
      default:
        return [{ kind: received.kind, message: messageOf(received) }];
    }
  }

  /** Returns the same for a bad frame, and for the message whose last line it is. */
  #badRecords(fault) {
    const bad = new BadFrame(fault, this.#replyData);
    const whole = this.#fragments.push(fault, bad.hasIds);
    const frames = whole === undefined ? [bad] : [bad, new BadFrame(whole, this.#replyData)];
    return frames.map((bad) => ({ kind: "fault", bad }));
  }

  /** Returns the same for a response, with the id of the request that it answers. */
  #answerRecords(received) {
    const { kind } = received;
    const message = messageOf(received);
    const text = received.text("id");
    const asked = this.#asked.like(message.id, text);
    if (asked === undefined || asked === message.id) return [{ kind, message }];
    const [rule, summary, clause, help] = REWRITTEN;
    const trap = { line: received.line, at: received.span("id").start, rule, clause, help, bytes: received.bytes };
    const error = new FrameError({ ...trap, message: `${summary}: ${text}` });
    return [{ kind: "trap", error }, { kind, message: { ...message, id: asked } }];
  }

  #take({ kind, message, bad, error }) {
    switch (kind) {
      case "fault":
        this.#fail(bad);
        break;
      case "trap":
        this._report(error);
        break;
      case "request":
        this.#request(message);
        break;
      case "notification":
        this.#notification(message);
        break;
      default:
        this.#response(message);
    }
  }

  #request(message) {
    const { id, method, params } = message;
    if (!hasLegalMeta(params)) {
      const text = `Invalid params: ${method} has illegal _meta`;
      this._report(new Error(text));
      if (!this.#hasEnded) this.#refuse(serializeMessage(errorTo(id, INVALID_PARAMS, text)), id);
      return;
    }
    if (method === "initialize") this.#initialize = id;
    this.#owed.add(id);
    this.#deliver(message);
  }

  #notification(message) {
    if (message.method !== "notifications/cancelled") return this.#deliver(message);
    // The SDK may know the request by another id.
    const requestId = this.#owed.likeValue(message.params?.requestId);
    this.#deliver(requestId === undefined ? message : { ...message, params: { ...message.params, requestId } });
    // A cancelled request is not answered.
    this.#settle(requestId);
  }

  #response(message) {
    const { id, result } = message;
    this.#asked.delete(id);
    const isLegal = hasLegalMeta(result);
    this.#deliver(isLegal ? message : errorTo(id, INTERNAL_ERROR, "the result has illegal _meta"));
  }

  /**
   * Handles a frame that is not a message: answers the invalid requests in it, and fails the requests that invalid
   * responses in it answer.
   */
  #fail(bad) {
    this._report(bad.error);
    let isSettled = false;
    for (const { id, shape } of bad.messages) {
      if (this.#hasEnded) return;
      if (id === undefined) continue;
      const isAnswer = shape === "response" || shape === "unknown";
      const asked = isAnswer ? this.#asked.like(idFor(id), id) : undefined;
      if (asked !== undefined) this.#reject(asked, bad);
      else if (shape === "call" || (shape !== "response" && !this._isClient)) this.#refuse(`${bad.replyTo(id)}\n`, idFor(id));
      else continue;
      isSettled = true;
    }
    if (!isSettled && !this.#hasEnded && bad.reply !== undefined && (!this._isClient || bad.isCall)) {
      this.#refuse(`${bad.reply}\n`, idFor(bad.replyId));
    }
  }

  /** Fails our request with this id. */
  #reject(id, { error, data }) {
    this.#asked.delete(id);
    this.#deliver(errorTo(id, INTERNAL_ERROR, `the response is invalid: ${error.message}`, data));
  }

  /**
   * Sends an error with this id, unless the error would answer a request in flight. The peer finds the request that an
   * answer is for by the id alone (JSON-RPC 2.0, section 5).
   */
  #refuse(line, id) {
    if (!this.#answers || this.#owed.isAnsweredBy(id)) return;
    this._write(line).catch((error) => this._report(error));
  }

  #deliver(message) {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this._report(error);
    }
  }

  #settle(id) {
    if (this.#owed.delete(id) && this.#owed.size === 0) this._answeredAll();
  }
}
