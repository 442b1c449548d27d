// What can be read of a frame that is not a message: the ids of the calls and responses in it, so that no caller waits.

import { decode } from "../text.js";

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The longest id, and the longest name of a member, in bytes, that is read. */
const LONGEST_ID = 1024;
const LONGEST_NAME = 64;

/** The maximum number of objects that are read in one frame: the elements of a batch. */
const MOST = 1024;

/** Returns whether a text is a string or an integer of JSON, which are the ids that every revision of MCP allows. */
export function isLegalId(text) {
  // The id has bytes that are not UTF-8, so it can't be repeated.
  if (text.includes("\ufffd")) return false;
  try {
    const value = JSON.parse(text);
    return typeof value === "string" || Number.isInteger(value);
  } catch {
    return false;
  }
}

/** Decodes UTF-16 that begins with ASCII characters to UTF-8, and returns other bytes as they are. */
function fromUtf16(bytes) {
  const isMarked = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  let from = isMarked ? 2 : 0;
  const hasZeros = (at) => bytes[at] === 0 && bytes[at + 2] === 0;
  if (!hasZeros(from) && !hasZeros(from + 1)) return bytes;
  // The second byte of a newline in UTF-16LE belongs to the next line.
  if (hasZeros(from) && bytes.length % 2 === 1 && bytes[bytes.length - 1] === 0) from++;
  const isLittle = hasZeros(from + 1);
  const text = new TextDecoder(isLittle ? "utf-16le" : "utf-16be").decode(bytes.subarray(from));
  return new TextEncoder().encode(text);
}

/** Returns the value of a string. It need not be one of JSON. */
function valueOf(text) {
  try {
    return text.includes("\\") ? JSON.parse(text) : text.slice(1, -1);
  } catch {
    return undefined;
  }
}

/**
 * Returns the messages that can be made out in a frame with a fault at this offset, in their order. Each has the text of
 * its `id`, or undefined without a legal one, and a `shape`: "call", "response", "unknown" if it has the version of
 * JSON-RPC but is neither, and otherwise "record", as in a log.
 *
 * The frame need not be JSON. Objects are read at the top level, and in an array that is the top level. An id after the
 * fault counts only if the brackets of its object match. Of repeated ids the last one counts, as in JSON.parse.
 */
export function salvage(frame, fault) {
  const bytes = fromUtf16(frame);
  const trusted = bytes === frame ? fault : bytes.length;
  const found = [];
  // Text before a message is no JSON, so quotes in it do not count.
  let isInArray = false;
  let objects = 0;
  for (let at = 0; at < bytes.length && objects < MOST; at++) {
    const byte = bytes[at];
    if (byte === OPEN_ARRAY) isInArray = true;
    else if (byte === CLOSE_ARRAY) isInArray = false;
    else if (byte === QUOTE && isInArray) at = endOfString(bytes, at) - 1;
    else if (byte === OPEN_OBJECT) {
      objects++;
      const object = new ObjectReader(bytes, at, trusted);
      at = object.end - 1;
      const message = object.message();
      if (message !== undefined) found.push(message);
    }
  }
  return found;
}

/** Returns the offset after a string, or after the frame if the string does not end. */
function endOfString(bytes, start) {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, bytes.length);
}

/** Reads the members of one object, whatever their values are. */
class ObjectReader {
  #bytes;
  /** The names of the members, up to their colons. */
  #names = new Set();
  /** The text of the last legal id, and the offset after it. */
  #id;
  #idEnd = 0;
  #hasMethod = false;
  #isWhole = false;
  #isFirst;
  #trusted;

  constructor(bytes, start, trusted) {
    this.#bytes = bytes;
    this.#trusted = trusted;
    this.#isFirst = /^[\s\ufeff[]*$/.test(decode(bytes.subarray(Math.max(0, start - LONGEST_NAME), start)));
    /** The offset after the object. */
    this.end = this.#read(start + 1);
  }

  #read(start) {
    const bytes = this.#bytes;
    let depth = 1;
    /** The place of the current member's name and value. */
    let name;
    let value = 0;
    for (let at = start; at < bytes.length; at++) {
      switch (bytes[at]) {
        case QUOTE: {
          const end = endOfString(bytes, at);
          if (depth === 1 && value === 0 && end - at <= LONGEST_NAME) {
            name ??= valueOf(decode(bytes.subarray(at, end)));
          }
          at = end - 1;
          break;
        }
        case COLON:
          if (depth === 1 && value === 0 && name !== undefined) {
            value = at + 1;
            this.#names.add(name);
          }
          break;
        case COMMA:
          if (depth > 1) break;
          this.#member(name, value, at);
          [name, value] = [undefined, 0];
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY:
          depth++;
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY:
          depth--;
          if (depth > 0) break;
          this.#member(name, value, at);
          this.#isWhole = true;
          return at + 1;
      }
    }
    // The value of a method may be cut, but not that of an id.
    if (name === "method" && value > 0) this.#member(name, value, bytes.length);
    return bytes.length;
  }

  #member(name, start, end) {
    if (name === "id" && end - start <= LONGEST_ID) {
      const text = decode(this.#bytes.subarray(start, end)).trim();
      if (isLegalId(text)) [this.#id, this.#idEnd] = [text, end];
    } else if (name === "method") {
      const first = this.#bytes.subarray(start, end).find((byte) => byte > 0x20);
      this.#hasMethod ||= first === QUOTE;
    }
  }

  /** Returns the message that the object is meant as, or undefined. */
  message() {
    const has = (name) => this.#names.has(name);
    // An object behind other text may be a part of a message, or of a log record.
    if (!(this.#isFirst || has("jsonrpc"))) return undefined;
    const isKnown = this.#isWhole || this.#idEnd <= this.#trusted;
    const id = isKnown ? this.#id : undefined;
    if (has("result") || has("error")) return { id, shape: "response" };
    if (this.#hasMethod) return { id, shape: "call" };
    if (!has("jsonrpc")) return { id, shape: "record" };
    return { id, shape: has("method") || has("params") ? "call" : "unknown" };
  }
}
