// The module's memory and exports, for one instance. Everything else asks this class for bytes and rows.

import { decode } from "./text.js";

/** The layout of the answer in the module's memory, and of a row in it, in bytes (src/exports.rs, src/row.rs). */
const ROWS_AT = 8;
const ROW = 64;
const MOST_ROWS = 512;
const FINDINGS_AT = ROWS_AT + ROW * MOST_ROWS;
const FINDING = 8;
/** The flag for an element, which is passed as the only element of a batch (src/exports.rs). */
const ELEMENT = 1 << 8;

/** The maximum number of bytes that the module reads at once. */
export const INPUT = 64 * 1024;

export class Engine {
  #buffer;
  #bytes;
  #view;

  constructor(instance) {
    this.exports = instance.exports;
    /** True if the module has all framings, the strict rules and findings. */
    this.isFull = "findings" in instance.exports;
    this.inputAt = this.exports.input() >>> 0;
    this.answerAt = this.exports.answer() >>> 0;
  }

  /** The module's memory. It has a new buffer after it has grown. */
  get bytes() {
    const { buffer } = this.exports.memory;
    if (buffer !== this.#buffer) {
      this.#buffer = buffer;
      this.#bytes = new Uint8Array(buffer);
      this.#view = new DataView(buffer);
    }
    return this.#bytes;
  }

  /** The size of the instance's memory, in bytes. It never shrinks. */
  get memorySize() {
    return this.exports.memory.buffer.byteLength;
  }

  #word(at) {
    this.bytes;
    return this.#view.getUint32(at, true);
  }

  /** The number of bytes of the input that the last call has consumed. */
  get consumed() {
    return this.#word(this.answerAt);
  }

  /** Returns a copy of the bytes that the last call has lent. */
  lent(length) {
    const at = this.#word(this.answerAt + 4);
    return this.bytes.slice(at, at + length);
  }

  /** Returns a copy of the first rows of the answer. */
  rows(count) {
    const at = this.answerAt + ROWS_AT;
    return this.exports.memory.buffer.slice(at, at + count * ROW);
  }

  /** Copies a frame into the module's memory, and returns its address. */
  put(frame) {
    const at = this.exports.room(frame.length) >>> 0;
    if (at === 0) {
      throw new RangeError(
        `there is no memory for a frame of ${frame.length} bytes: call free() on the streams that are no longer needed`,
      );
    }
    this.bytes.set(frame, at);
    return at;
  }

  /** Parses a frame that belongs to no stream, and returns its row. */
  parse(frame, rules) {
    this.exports.parse(this.put(frame), frame.length, rules);
    return this.rows(1);
  }

  /** Returns the rows of all elements of a batch. */
  elements(frame, rules, count) {
    const at = this.put(frame);
    const tables = [];
    for (let from = 0; from < count; ) {
      const filled = this.exports.elements(at, frame.length, rules, from);
      if (filled === 0) break;
      tables.push({ table: this.rows(filled), count: filled });
      from += filled;
    }
    return tables;
  }

  /**
   * Returns the findings of a frame, as numbers: rule, severity, syntax, at. If the first is the cause of a fault, it has
   * words.
   */
  findings(frame, rules, flags) {
    const count = this.exports.findings(this.put(frame), frame.length, rules, flags);
    const words = count > 0 && this.consumed > 0 ? decode(this.lent(this.consumed)) : undefined;
    const found = [];
    for (let index = 0; index < count; index++) {
      const at = this.answerAt + FINDINGS_AT + index * FINDING;
      const [low, high, severity, syntax] = this.bytes.subarray(at, at + 4);
      const rule = low + 256 * high;
      found.push({ rule, severity, syntax, at: this.#word(at + 4), words: index === 0 ? words : undefined });
    }
    return found;
  }

  /** Returns the findings of an element that begins at this byte of its batch. */
  findingsOfElement(element, rules, start) {
    const batch = new Uint8Array(element.length + 2);
    batch[0] = 0x5b;
    batch.set(element, 1);
    batch[element.length + 1] = 0x5d;
    return this.findings(batch, rules, ELEMENT).map((found) => ({ ...found, at: found.at - 1 + start }));
  }
}

/** Returns the error for features that only the full build has. */
export function missing(what) {
  return new Error(`this build has no ${what}: import from "tautline/full"`);
}
