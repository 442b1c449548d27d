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
