// Text and numbers, as JSON writes them, in the types of JavaScript.

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** The length up to which ASCII is decoded without a TextDecoder, which has a cost for each call. */
const SHORT = 24;

/** Decodes bytes that are UTF-8. */
export function decode(bytes) {
  if (bytes.length <= SHORT) {
    let text = "";
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte >= 0x80) return decoder.decode(bytes);
      text += String.fromCharCode(byte);
    }
    return text;
  }
  return decoder.decode(bytes);
}

export const isAscii = (text) => !/[^\x00-\x7f]/.test(text);

/** Node's buffers, which other runtimes for servers have, too. Bundlers for pages do not add it under this name. */
const { Buffer } = globalThis;
const hasLatin1 = typeof Buffer?.prototype?.latin1Slice === "function";

/**
 * Returns bytes as a text whose indexes are those of the bytes, and whether all of it is ASCII. Units beyond ASCII have
 * no meaning. The text is null if that takes too long in this runtime, and the buffer is undefined if it has none.
 */
export function indexed(bytes) {
  if (hasLatin1) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const text = buffer.latin1Slice();
    return { text, isAscii: Buffer.byteLength(text) === text.length, buffer };
  }
  const text = decoder.decode(bytes);
  // No byte becomes more than one unit, so the length is the same only if each of them became one.
  const isSame = text.length === bytes.length && !text.includes("\ufffd");
  return { text: isSame ? text : null, isAscii: isSame, buffer: undefined };
}

/** The names that were seen, by their JSON strings. */
const names = new Map();
const MOST_NAMES = 256;
const LONGEST_NAME = 64;

/** The name that was read last, which is often the next one, too. */
let last = { json: "", name: "" };

/**
 * Returns the value of a JSON string in a text, without decoding it again if it was seen before. A string that is seen
 * for the first time is remembered. Returns undefined for a long one, and if it is not ASCII.
 */
export function nameAt(text, start, length) {
  if (length === last.json.length && text.startsWith(last.json, start)) return last.name;
  if (length > LONGEST_NAME) return undefined;
  const json = text.slice(start, start + length);
  let known = names.get(json);
  if (known === undefined) {
    if (!isAscii(json)) return undefined;
    if (names.size === MOST_NAMES) names.clear();
    // Engines represent a part of a long text by a reference to that text. This copies it.
    const copy = decoder.decode(encode(json));
    known = { json: copy, name: stringOf(copy) };
    names.set(copy, known);
  }
  last = known;
  return known.name;
}

/** The number of digits of which every number is exact. */
const EXACT = 15;

/** Returns the number that a range of bytes is, if they are few digits, and undefined otherwise. */
export function digitsOf(bytes, from, length) {
  if (length > EXACT || (length > 1 && bytes[from] === 0x30)) return undefined;
  let number = 0;
  for (let at = from; at < from + length; at++) {
    const digit = bytes[at] - 0x30;
    // The comparison is false for bytes that do not exist.
    if (!(digit >= 0 && digit <= 9)) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

export function encode(text) {
  return encoder.encode(text);
}

/** Returns the value of a JSON string, which is passed with its quotes. */
export function stringOf(json) {
  return json.includes("\\") ? JSON.parse(json) : json.slice(1, -1);
}

/** The text of a number that has no exact value in JavaScript, or is not written as an integer. */
export class JsonNumber {
  constructor(text) {
    this.text = text;
    Object.freeze(this);
  }

  toString() {
    return this.text;
  }

  toJSON() {
    return Number(this.text);
  }
}

const PLAIN_INTEGER = /^(0|-?[1-9][0-9]*)$/;

/** Creating a bigint with millions of digits takes long, and some engines refuse it. */
const MOST_DIGITS = 1000;

/** Returns an id: a string, a number if it is exact, a bigint for a large integer, otherwise a JsonNumber, or null. */
export function idOf(json) {
  if (json === "null") return null;
  if (json.startsWith('"')) return stringOf(json);
  if (json.length > MOST_DIGITS || !PLAIN_INTEGER.test(json)) {
    return /^[-0-9]/.test(json) ? new JsonNumber(json) : undefined;
  }
  const number = Number(json);
  return Number.isSafeInteger(number) ? number : BigInt(json);
}
