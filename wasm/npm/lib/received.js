// The items that a stream yields and parse() returns. An item has its row of numbers and its bytes, and computes values
// from them on access.

import { missing } from "./engine.js";
import { decode, digitsOf, idOf, indexed, isAscii, nameAt, stringOf } from "./text.js";
import { describe, RULES, SEVERITIES } from "./rules.js";

// Places in a row, in words of 32 bits, and the flags in its first word (src/row.rs).
const WORDS = 16;
const START = 1;
const LENGTH = 2;
const AT = 3;
const ID = 4;
const FIRST = 6;
const SECOND = 8;
const THIRD = 10;
const OFFSET = 6;
const LINE = 7;
const TERMINATED = 1;
const LENT = 2;
const REPLY = 3;

/**
 * If the messages of a call have at most this many bytes on average, their text is decoded at once when the first of
 * their names or values is read. Otherwise, each part is decoded alone, because the others may be large and unwanted.
 */
const SMALL = 512;

/**
 * The rows of one call, and the bytes that they describe. `shift` is the offset in `bytes` from which the rows count, and
 * `length` is the number of bytes from there on that the call has read.
 */
export class Rows {
  constructor(table, engine, rules, life) {
    this.words = new Uint32Array(table);
    this.floats = new Float64Array(table);
    this.bytes = undefined;
    this.shift = 0;
    this.length = 0;
    /** These bytes as one text once it was needed, or null if that is not worth it, and whether it is ASCII. */
    this.text = undefined;
    this.isAscii = false;
    /** These bytes as one of Node's buffers, which decodes parts fast, or undefined. */
    this.buffer = undefined;
    /** The bytes of the last row, if they are not in the chunk. */
    this.lent = undefined;
    /** The frame of the batch, if the rows are its elements, and the copy that they share once one is detached. */
    this.batch = undefined;
    this.engine = engine;
    this.rules = rules;
    /** The counter of the stream's pushes, if the rows belong to a stream. */
    this.life = life;
    this.generation = life === undefined ? 0 : life.generation;
    /** True if the bytes are a copy that no other code can overwrite. */
    this.isOwned = false;
  }

  /** Returns the same rows, valid from now on, with their bytes in this chunk. */
  renewed(bytes = this.bytes) {
    const rows = Object.assign(Object.create(Rows.prototype), this, { bytes });
    rows.generation = rows.life.generation;
    // The text has a view of the old chunk.
    if (bytes !== this.bytes) rows.text = undefined;
    return rows;
  }

  /** True if the bytes are still those that the rows describe, as far as the stream knows. */
  get areValid() {
    return this.life === undefined || this.life.generation === this.generation;
  }

  /** Sets the text of all the bytes that the rows describe, and returns it. Its indexes are those of the bytes. */
  index() {
    this.text = null;
    // Only rows of a stream have a length.
    if (this.length > 0 && this.length * WORDS <= SMALL * this.words.length) {
      Object.assign(this, indexed(this.bytes.subarray(this.shift, this.shift + this.length)));
    }
    return this.text;
  }

  check() {
    if (!this.areValid) {
      throw new Error("this item was valid until the next push(), finish() or free(): call detach() on what you keep");
    }
  }
}

/** The base class of all items. */
export class Received {
  constructor(rows, row) {
    this._rows = rows;
    this._at = row * WORDS;
  }

  _flags() {
    return (this._rows.words[this._at] >>> 8) & 0xff;
  }

  _span(place) {
    const { words } = this._rows;
    const length = words[this._at + place + 1];
    if (length === 0) return undefined;
    const start = words[this._at + place];
    return { start, end: start + length };
  }

  _part(place) {
    this._rows.check();
    const span = this._span(place);
    return span && this._frame().subarray(span.start, span.end);
  }

  _text(place) {
    const rows = this._rows;
    rows.check();
    const { words } = rows;
    const at = this._at;
    const length = words[at + place + 1];
    if (length === 0) return undefined;
    if (this._shared() !== null && rows.buffer !== undefined) {
      const start = words[at + START] + words[at + place];
      if (!rows.isAscii) return rows.buffer.utf8Slice(start, start + length);
      return rows.buffer.latin1Slice(start, start + length);
    }
    return decode(this._part(place));
  }

  /** Returns the text of many messages that has this one, or null if there is none. */
  _shared() {
    const rows = this._rows;
    const text = rows.text === undefined ? rows.index() : rows.text;
    return text === null || ((rows.words[this._at] >>> 8) & LENT) !== 0 ? null : text;
  }

  /** Returns the value of a string that is often the same, such as the name of a method. */
  _name(place) {
    this._rows.check();
    const text = this._shared();
    if (text !== null) {
      const { words } = this._rows;
      const at = this._at;
      const name = nameAt(text, words[at + START] + words[at + place], words[at + place + 1]);
      if (name !== undefined) return name;
    }
    return stringOf(this._text(place));
  }

  /** Returns the value of a member, or undefined if there is none. */
  _value(place) {
    const rows = this._rows;
    rows.check();
    if (rows.words[this._at + place + 1] === 0) return undefined;
    const text = this._shared();
    if (text !== null) {
      const { words } = rows;
      const start = words[this._at + START] + words[this._at + place];
      // The part may keep all of the text in memory, so it is not handed out.
      const part = text.slice(start, start + words[this._at + place + 1]);
      if (rows.isAscii || isAscii(part)) return JSON.parse(part);
    }
    return JSON.parse(this._text(place));
  }

  /** Returns the length of a frame whose bytes are not available. */
  _length() {
    const { words } = this._rows;
    return words[this._at + THIRD] + words[this._at + THIRD + 1] * 2 ** 32;
  }

  /** Returns the bytes that spans refer to: the frame or, for elements of a batch, the frame of the batch. */
  _frame() {
    const rows = this._rows;
    rows.check();
    if (rows.batch !== undefined) return rows.batch.bytes;
    const start = rows.words[this._at + START];
    const length = rows.words[this._at + LENGTH];
    if ((this._flags() & LENT) !== 0) return rows.lent;
    return rows.bytes.subarray(rows.shift + start, rows.shift + start + length);
  }

  /** The bytes of the frame, without its delimiter. An element of a batch has its own bytes. */
  get bytes() {
    const { batch, words } = this._rows;
    const frame = this._frame();
    if (batch === undefined) return frame;
    const start = words[this._at + START];
    return frame.subarray(start, start + words[this._at + LENGTH]);
  }

  /** The number of bytes of the stream before the frame. */
  get offset() {
    return this._rows.floats[(this._at >> 1) + OFFSET];
  }

  /**
   * The number of the line, of an event's first line of data, or in other framings of the frame, counted from 1.
   * Undefined if there is no frame.
   */
  get line() {
    return this._rows.floats[(this._at >> 1) + LINE] || undefined;
  }

  /** True if the frame ended before the stream did. */
  get isTerminated() {
    return (this._flags() & TERMINATED) !== 0;
  }

  /** Returns the place of a member in the frame, in bytes, or undefined. */
  span(name) {
    this._rows.check();
    const place = this._places()[name];
    return place === undefined ? undefined : this._span(place);
  }

  /** Returns the text of a member as it was written, or undefined. Without a name, returns the whole frame. */
  text(name) {
    if (name === undefined) return decode(this.bytes);
    const place = this._places()[name];
    return place === undefined ? undefined : this._text(place);
  }

  /**
   * Returns the value of a member from JSON.parse, or undefined. Without a name, returns the value of the whole frame.
   */
  value(name) {
    if (name === undefined) return JSON.parse(this.text());
    const place = this._places()[name];
    return place === undefined ? undefined : this._value(place);
  }

  _places() {
    return NO_PLACES;
  }

  /** Copies the bytes of the frame, so that the item stays valid. Returns the item. */
  detach() {
    const old = this._rows;
    if (old.isOwned) return this;
    const table = new ArrayBuffer(WORDS * 4);
    const rows = new Rows(table, old.engine, old.rules, undefined);
    rows.isOwned = true;
    rows.words.set(old.words.subarray(this._at, this._at + WORDS));
    if (old.batch === undefined) {
      rows.bytes = this._frame().slice();
      rows.lent = rows.bytes;
      rows.words[START] = 0;
    } else {
      old.check();
      const { batch } = old;
      batch.copy ??= batch.bytes.slice();
      rows.batch = { bytes: batch.copy, copy: batch.copy };
    }
    this._rows = rows;
    this._at = 0;
    return this;
  }

  /**
   * Returns everything that is found in the frame: errors, warnings and notes. Throws unless this is the full build.
   */
  findings() {
    if (!this._rows.engine.isFull) throw missing("findings");
    return this._found();
  }

  _found() {
    return [];
  }

  toJSON() {
    return { kind: this.kind, offset: this.offset, line: this.line };
  }

  /** Returns the text that console.log shows in Node. */
  [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
    const shown = this._rows.areValid ? this.toJSON() : { kind: this.kind, isValid: false };
    return inspect(shown, options);
  }
}

// These objects have no prototype, so no other names have a place.
const NO_PLACES = { __proto__: null };
const CALL_PLACES = { __proto__: null, id: ID, method: FIRST, params: SECOND };
const RESULT_PLACES = { __proto__: null, id: ID, result: SECOND };
const ERROR_PLACES = { __proto__: null, id: ID, code: FIRST, message: SECOND, data: THIRD };
const FAULT_PLACES = { __proto__: null, id: ID };
const OVERSIZED_PLACES = { __proto__: null, id: ID, method: FIRST };

/** A frame whose content was examined, with its id. */
class Framed extends Received {
  /** The id: a string, a number, a bigint or a JsonNumber. Undefined if there is none. */
  get id() {
    const rows = this._rows;
    rows.check();
    const { words } = rows;
    const at = this._at;
    const length = words[at + ID + 1];
    if (length === 0) return undefined;
    if (rows.batch === undefined && ((words[at] >>> 8) & LENT) === 0) {
      const number = digitsOf(rows.bytes, rows.shift + words[at + START] + words[at + ID], length);
      if (number !== undefined) return number;
    }
    return idOf(this._text(ID));
  }

  _found() {
    const { engine, rules, batch, words } = this._rows;
    const { bytes } = this;
    const found =
      batch === undefined
        ? engine.findings(bytes, rules, this._flags())
        : engine.findingsOfElement(bytes, rules, words[this._at + START]);
    return found.map(({ rule, severity, syntax, at, words }) => {
      const described = describe(rule, syntax);
      return { severity: SEVERITIES[severity], at, ...described, message: words ?? described.message };
    });
  }

  toJSON() {
    return { ...super.toJSON(), id: this.text("id") };
  }
}

/** A message. */
class Message extends Framed {
  /** The number of members with names that JSON-RPC does not define. */
  get unknownMembers() {
    return this._rows.words[this._at + AT];
  }
}

class Call extends Message {
  /** The name of the method. */
  get method() {
    return this._name(FIRST);
  }

  /** The parameters, parsed with JSON.parse, or undefined. */
  get params() {
    return this._value(SECOND);
  }

  _places() {
    return CALL_PLACES;
  }

  toJSON() {
    return { ...super.toJSON(), method: this.method };
  }
}

/** Returns any value as JSON. Undefined becomes null, which is the closest value in JSON. */
function json(value) {
  return JSON.stringify(value) ?? "null";
}

/** A call that expects an answer. */
export class Request extends Call {
  get kind() {
    return "request";
  }

  /**
   * Returns the response with this result, as JSON without a line end. The id is written exactly as it was received.
   */
  answer(result) {
    return `{"jsonrpc":"2.0","id":${this.text("id")},"result":${json(result)}}`;
  }

  /** Returns the response with this error, in the same form. */
  answerError(code, message, data) {
    if (!Number.isInteger(code)) throw new TypeError("the code of an error has to be an integer");
    if (typeof message !== "string") throw new TypeError("the message of an error has to be a string");
    return `{"jsonrpc":"2.0","id":${this.text("id")},"error":${json({ code, message, data })}}`;
  }
}

/** A call that expects no answer. */
export class Notification extends Call {
  get kind() {
    return "notification";
  }
}

/** A response with a result. */
export class ResultResponse extends Message {
  get kind() {
    return "result";
  }

  /** The result, parsed with JSON.parse. */
  get result() {
    return this._value(SECOND);
  }

  _places() {
    return RESULT_PLACES;
  }
}

/** A response with an error. */
export class ErrorResponse extends Message {
  get kind() {
    return "error";
  }

  /** The code: a number, or, as for an id, a bigint or a JsonNumber if a number would not be exact. */
  get code() {
    return idOf(this._text(FIRST));
  }

  /** The message. */
  get message() {
    return stringOf(this._text(SECOND));
  }

  /** The data, parsed with JSON.parse, or undefined. */
  get data() {
    return this._value(THIRD);
  }

  _places() {
    return ERROR_PLACES;
  }

  toJSON() {
    const { message } = this;
    return { ...super.toJSON(), code: this.text("code"), message };
  }
}

/** Several messages in one frame. */
export class Batch extends Framed {
  get kind() {
    return "batch";
  }

  /** The number of elements. */
  get length() {
    return this._rows.words[this._at + AT];
  }

  /** Yields the elements, each with its own verdict. Their spans count from the start of the batch's frame. */
  *elements() {
    const { engine, rules, life, generation, isOwned } = this._rows;
    const { offset, line } = this;
    const batch = { bytes: this._frame(), copy: undefined };
    const flags = (this._flags() & TERMINATED) << 8;
    for (const { table, count } of engine.elements(batch.bytes, rules, this.length)) {
      const rows = Object.assign(new Rows(table, engine, rules, life), { generation, batch, isOwned });
      for (let index = 0; index < count; index++) {
        // An element has the position of its batch in the stream.
        rows.words[index * WORDS] |= flags;
        rows.floats[((index * WORDS) >> 1) + OFFSET] = offset;
        rows.floats[((index * WORDS) >> 1) + LINE] = line;
        yield item(rows, index);
      }
    }
  }

  [Symbol.iterator]() {
    return this.elements();
  }

  toJSON() {
    return { ...super.toJSON(), length: this.length };
  }
}

const REPLY_CODES = [-32700, -32600];
const REPLY_MESSAGES = ["Parse error", "Invalid Request"];

/** A frame that is not a message: its first error, and the reply to send. */
export class Fault extends Framed {
  get kind() {
    return "fault";
  }

  _number() {
    return (this._rows.words[this._at] >>> 16) & 0xff;
  }

  _described() {
    return describe(this._number(), this._rows.words[this._at] >>> 24);
  }

  /** The name of the rule that is broken. */
  get rule() {
    return RULES[this._number()][0];
  }

  /** The violation, in one line. */
  get message() {
    return this._described().message;
  }

  /** The section of the specification. */
  get clause() {
    return this._described().clause;
  }

  /** Advice for the sender. */
  get help() {
    return this._described().help;
  }

  get severity() {
    return "error";
  }

  /** The offset of the fault in the frame, in bytes. */
  get at() {
    return this._rows.words[this._at + AT];
  }

  /** The error reply to send, as JSON without a line end, or undefined if no reply may be sent. */
  get reply() {
    const owed = this._flags() >>> REPLY;
    if (owed === 0) return undefined;
    const invalid = owed >>> 2;
    const id = ["", "", '"id":null,', `"id":${this._text(ID)},`][owed & 3];
    const error = `{"code":${REPLY_CODES[invalid]},"message":"${REPLY_MESSAGES[invalid]}"}`;
    return `{"jsonrpc":"2.0",${id}"error":${error}}`;
  }

  _places() {
    return FAULT_PLACES;
  }

  toJSON() {
    const { rule, at, message } = this;
    return { ...super.toJSON(), rule, at, message };
  }
}

/** A frame that is longer than the limit, and was discarded. Its id and its method were kept if they are short. */
export class Oversized extends Fault {
  get kind() {
    return "oversized";
  }

  /** The length of the frame, in bytes. */
  get length() {
    return this._length();
  }

  /** The method, if it could be read. */
  get method() {
    const text = this._text(FIRST);
    return text === undefined ? undefined : stringOf(text);
  }

  /** Empty, because the frame was discarded. */
  get bytes() {
    this._rows.check();
    return new Uint8Array();
  }

  /** Returns undefined, because the frame was discarded. */
  span() {
    this._rows.check();
    return undefined;
  }

  /** Returns the text of the id or the method. The text of the frame is empty. */
  text(name) {
    return name === undefined ? "" : super.text(name);
  }

  _found() {
    const { severity, at, rule, message, clause, help } = this;
    return [{ severity, at, rule, message, clause, help }];
  }

  _places() {
    return OVERSIZED_PLACES;
  }

  toJSON() {
    return { ...super.toJSON(), length: this.length, method: this.method };
  }
}

/** A frame that is not intended as a message, such as an event without data. */
export class NoMessage extends Received {
  get kind() {
    return "no-message";
  }

  /** The length of the frame, in bytes. */
  get length() {
    return this._length();
  }
}

/** The stream ended inside a frame. */
export class Unfinished extends Received {
  get kind() {
    return "unfinished";
  }

  /** The number of bytes of the frame that were received. */
  get length() {
    return this._length();
  }

  toJSON() {
    return { ...super.toJSON(), length: this.length };
  }
}

/** The start of the next frame is unknown. Nothing more is read until resync(). */
export class Desynchronised extends Received {
  get kind() {
    return "desynchronised";
  }

  /** The name of the rule that is broken. */
  get cause() {
    return RULES[this._rows.words[this._at + AT]][0];
  }

  /** The reason, in one line. */
  get message() {
    return RULES[this._rows.words[this._at + AT]][1];
  }

  toJSON() {
    const { cause, message } = this;
    return { ...super.toJSON(), cause, message };
  }
}

/** Creates the item of a row. The kinds are in the order of their numbers. */
export function item(rows, row) {
  switch (rows.words[row * WORDS] & 0xff) {
    case 0:
      return new Request(rows, row);
    case 1:
      return new Notification(rows, row);
    case 2:
      return new ResultResponse(rows, row);
    case 3:
      return new ErrorResponse(rows, row);
    case 4:
      return new Batch(rows, row);
    case 5:
      return new Fault(rows, row);
    case 6:
      return new Oversized(rows, row);
    case 8:
      return new Unfinished(rows, row);
    case 9:
      return new Desynchronised(rows, row);
    default:
      return new NoMessage(rows, row);
  }
}

/** Returns the length of the bytes that are lent for a row, or -1 if its bytes are in the input. */
export function lentLength(rows, row) {
  const at = row * WORDS;
  return ((rows.words[at] >>> 8) & LENT) === 0 ? -1 : rows.words[at + LENGTH];
}

/** Returns whether a row means that the start of the next frame is unknown. */
export function isLost(rows, row) {
  return (rows.words[row * WORDS] & 0xff) === 9;
}
