// The common part of both transports: reading, answering messages that the SDK would drop, and writing.

import { MessageStream } from "../../index.js";
import { REVISIONS } from "../options.js";
import { FrameError } from "./frame-error.js";
import { FIRST_RULES, hasLegalMeta, idFor, INTERNAL_ERROR, messageOf, serializeMessage } from "./messages.js";

const INVALID_PARAMS = -32602;

/** Returns whether an invalid frame is meant as a call. A log line in JSON is not. */
function isCall(fault) {
  if (fault.kind === "oversized") return fault.method !== undefined;
  try {
    return typeof JSON.parse(fault.text()).method === "string";
  } catch {
    return false;
  }
}

const errorTo = (id, code, message, data) => ({ jsonrpc: "2.0", id, error: { code, message, data } });

export class StdioTransport {
  onclose = undefined;
  onerror = undefined;
  onmessage = undefined;
  #stream;
  #rules;
  #hasEnded = false;
  /** True if invalid requests are answered. */
  #answers = true;
  /** The ids of our requests that the peer has not answered, and of the peer's requests that we have not answered. */
  #asked = new Set();
  #owed = new Set();
  /** The id of the peer's request "initialize". */
  #initialize;

  constructor({ rules, maxFrame, maxBufferSize } = {}) {
    this.#rules = rules;
    this.#stream = new MessageStream({ rules: rules ?? FIRST_RULES, maxFrame: maxFrame ?? maxBufferSize });
  }

  /** Checks messages against the negotiated revision from now on, unless the options named rules. */
  setProtocolVersion(version) {
    if (this.#hasEnded || !REVISIONS.includes(version)) return;
    // Since 2026-07-28, servers send no requests, so clients have nothing to answer.
    this.#answers = !this._isClient || version < "2026-07-28";
    if (this.#rules === undefined) this.#stream.setRules(version);
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
    await this._write(serializeMessage(message));
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
    return true;
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
      const isBatch = received.kind === "batch";
      const records = isBatch ? Array.from(received, (each) => this.#record(each)) : [this.#record(received)];
      for (const record of records) {
        if (this.#hasEnded) return;
        this.#take(record);
      }
    }
  }

  /** Returns the data of an item that is needed later. */
  #record(received) {
    const { kind } = received;
    if (kind !== "fault" && kind !== "oversized") return { kind, message: messageOf(received) };
    const error = new FrameError(received);
    const answers = error.reply !== undefined && this.#answers && (!this._isClient || isCall(received));
    return { kind: "fault", error, answers, id: idFor(received.text("id")) };
  }

  #take({ kind, message, ...fault }) {
    switch (kind) {
      case "fault":
        this.#fail(fault);
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
      if (!this.#hasEnded) this.#reply(serializeMessage(errorTo(id, INVALID_PARAMS, text)));
      return;
    }
    if (method === "initialize") this.#initialize = id;
    this.#owed.add(id);
    this.#deliver(message);
  }

  #notification(message) {
    this.#deliver(message);
    // A cancelled request is not answered.
    if (message.method === "notifications/cancelled") this.#settle(message.params?.requestId);
  }

  #response(message) {
    const { id, result } = message;
    this.#asked.delete(id);
    const isLegal = hasLegalMeta(result);
    this.#deliver(isLegal ? message : errorTo(id, INTERNAL_ERROR, "the result has illegal _meta"));
  }

  /**
   * Handles a frame that is not a message: answers an invalid request, or fails the request that an invalid response
   * answers.
   */
  #fail({ error, answers, id }) {
    this._report(error);
    if (this.#hasEnded) return;
    if (answers) {
      this.#reply(`${error.reply}\n`);
    } else if (error.reply === undefined && id !== undefined && this.#asked.delete(id)) {
      const { rule, at } = error;
      this.#deliver(errorTo(id, INTERNAL_ERROR, `the response is invalid: ${error.message}`, { rule, at }));
    }
  }

  #reply(line) {
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
