// A message that spans several lines, as pretty-printed JSON does. Each line is a bad frame, and together they have an id.

import { RULES } from "../rules.js";

/** The maximum length of the lines together, in bytes. */
const MOST = 1024 * 1024;

/** The first line ends where JSON is indented. */
const FIRST = /^\s*[{[](.*[{[,])?\s*$/s;

export class Fragments {
  #lines = [];
  #length = 0;
  /** The number of brackets that are open. */
  #depth = 0;

  /** Discards the lines, because a message has followed. */
  clear() {
    this.#lines = [];
    this.#length = 0;
    this.#depth = 0;
  }

  /**
   * Takes a bad frame, and returns the frame of the lines up to it, in the form of a fault, if the brackets of the first
   * line are closed now. `isRead` tells whether the frame has the id of a message by itself.
   */
  push(fault, isRead) {
    if (fault.kind !== "fault" || isRead) return this.clear();
    const { bytes } = fault;
    if (this.#lines.length === 0 && !FIRST.test(bytes.length > MOST ? "" : fault.text())) return undefined;
    this.#length += bytes.length + 1;
    if (this.#length > MOST) return this.clear();
    this.#lines.push({ text: fault.text(), line: fault.line });
    this.#depth += balance(bytes);
    if (this.#depth > 0) return undefined;
    const [{ line }] = this.#lines;
    const whole = new TextEncoder().encode(this.#lines.map(({ text }) => text).join("\n"));
    this.clear();
    const [rule, message, clause, help] = RULES.find(([name]) => name === "embedded-newline");
    return { kind: "fault", rule, at: 0, message, clause, help, line, bytes: whole };
  }
}

/** Returns the number of brackets that a line opens and does not close. Brackets in strings do not count. */
function balance(bytes) {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) isInString = !isInString;
    else if (isInString) at += byte === 0x5c ? 1 : 0;
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return depth;
}
