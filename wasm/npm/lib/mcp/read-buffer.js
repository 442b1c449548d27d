// A replacement for the SDK's ReadBuffer, for programs that have their own transport.

import { MessageStream } from "../../index.js";
import { BadFrame, mended } from "./bad-frame.js";
import { FrameError } from "./frame-error.js";
import { FIRST_RULES, plainMessageOf } from "./messages.js";

/** Turns chunks into messages. Each byte is read once, however many chunks a message spans. */
export class ReadBuffer {
  #options;
  #replyData;
  #stream;
  #queue = [];
  #next = 0;

  constructor({ rules = FIRST_RULES, maxFrame, maxBufferSize, replyData } = {}) {
    this.#replyData = replyData;
    this.#options = { rules, maxFrame: maxFrame ?? maxBufferSize };
    this.#stream = new MessageStream(this.#options);
  }

  /** Appends the next bytes. For frames over the limit, readMessage() throws an error. */
  append(chunk) {
    for (const received of this.#stream.push(chunk)) this.#add(received);
  }

  #add(received) {
    if (received.kind === "batch") {
      for (const element of received) this.#add(element);
    } else if ("rule" in received) {
      const message = mended(received, this.#options.rules);
      this.#queue.push(message === undefined ? new BadFrame(received, this.#replyData).error : new FrameError(received));
      if (message !== undefined) this.#add(message);
    } else {
      this.#queue.push(plainMessageOf(received));
    }
  }

  /** Returns the next message, or null if there is none. Throws a FrameError for a frame that is not a message. */
  readMessage() {
    if (this.#next === this.#queue.length) {
      this.#queue = [];
      this.#next = 0;
      return null;
    }
    const message = this.#queue[this.#next++];
    if (message instanceof FrameError) throw message;
    return message;
  }

  /** Discards everything that was appended. */
  clear() {
    this.#queue = [];
    this.#next = 0;
    this.#stream.free();
    this.#stream = new MessageStream(this.#options);
  }
}
