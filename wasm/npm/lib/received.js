// What a stream yields, and what parse() returns. An item knows its row of numbers and its bytes, and makes values of
// them when it is asked.

import { decode, idOf, stringOf } from "./text.js";
import { DESYNCS, describe, RULES, SEVERITIES } from "./rules.js";

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
 * The rows of one call, and the bytes that they are about. `shift` is the place in `bytes` that the rows count from.
 */
export class Rows {
  constructor(table, engine, rules, owner) {
    this.words = new Uint32Array(table);
    this.floats = new Float64Array(table);
    this.bytes = undefined;
    this.shift = 0;
    /** The bytes of the last row, if they are not in the chunk. */
    this.lent = undefined;
    /** The frame of the batch, if the rows are its elements. */
    this.frame = undefined;
    this.engine = engine;
    this.rules = rules;
    this.owner = owner;
    this.generation = owner === undefined ? 0 : owner.generation;
  }

  /** The same rows, valid from now on. */
  renewed() {
    const rows = Object.assign(Object.create(Rows.prototype), this);
    rows.generation = rows.owner.generation;
    return rows;
  }

  /** Throws if the owner has gone on, and may have overwritten the bytes. */
  check() {
    if (this.owner !== undefined && this.owner.generation !== this.generation) {
      throw new Error("this item was valid until the next push(): call detach() on what you keep");
    }
  }
}

/** What is common to all items. */
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
    const span = this._span(place);
    return span && this._frame().subarray(span.start, span.end);
  }

  _text(place) {
    const part = this._part(place);
    return part && decode(part);
  }

  /** The bytes that spans count from: the frame, or for elements of a batch the frame of the batch. */
  _frame() {
    const rows = this._rows;
    rows.check();
    if (rows.frame !== undefined) return rows.frame;
    const start = rows.words[this._at + START];
    const length = rows.words[this._at + LENGTH];
    if ((this._flags() & LENT) !== 0) return rows.lent;
    return rows.bytes.subarray(rows.shift + start, rows.shift + start + length);
  }

  /** The bytes of the frame, without its delimiter; of an element of a batch, its own. */
  get bytes() {
    const { frame, words } = this._rows;
    if (frame === undefined) return this._frame();
    this._rows.check();
    const start = words[this._at + START];
    return frame.subarray(start, start + words[this._at + LENGTH]);
  }

  /** How many bytes of the stream come before the frame. */
  get offset() {
    return this._rows.floats[(this._at >> 1) + OFFSET];
  }

  /** The number of the line, or in framings without lines of the frame, counted from 1. */
  get line() {
    return this._rows.floats[(this._at >> 1) + LINE];
  }

  /** Whether the frame ended before the stream did. */
  get isTerminated() {
    return (this._flags() & TERMINATED) !== 0;
  }

  /** Where in the frame a member is, in bytes, or undefined. */
  span(name) {
    this._rows.check();
    const place = this._places()[name];
    return place === undefined ? undefined : this._span(place);
  }

  /** A member as it is written, or undefined. Without a name, the whole frame. */
  text(name) {
    if (name === undefined) return decode(this.bytes);
    const place = this._places()[name];
    return place === undefined ? undefined : this._text(place);
  }

  /** A member by way of JSON.parse, or undefined. Without a name, the whole frame. */
  value(name) {
    const text = this.text(name);
    return text === undefined ? undefined : JSON.parse(text);
  }

  _places() {
    return NO_PLACES;
  }

  /** Copies the bytes of the frame, so that the item stays valid. Returns the item. */
  detach() {
    const old = this._rows;
    if (old.owner === undefined) return this;
    const frame = this._frame().slice();
    const table = new ArrayBuffer(WORDS * 4);
    const rows = new Rows(table, old.engine, old.rules, undefined);
    rows.words.set(old.words.subarray(this._at, this._at + WORDS));
    if (old.frame === undefined) {
      rows.bytes = frame;
      rows.lent = frame;
      rows.words[START] = 0;
    } else {
      rows.frame = frame;
    }
    this._rows = rows;
    this._at = 0;
    return this;
  }

  /** Everything that is found in the frame: errors, warnings and notes. Only the full build can tell. */
  findings() {
    return [];
  }

  toJSON() {
    return { kind: this.kind, offset: this.offset, line: this.line };
  }
}

const NO_PLACES = Object.freeze({});
const CALL_PLACES = Object.freeze({ id: ID, method: FIRST, params: SECOND });
const RESULT_PLACES = Object.freeze({ id: ID, result: SECOND });
const ERROR_PLACES = Object.freeze({ id: ID, code: FIRST, message: SECOND, data: THIRD });
const FAULT_PLACES = Object.freeze({ id: ID });
const OVERSIZED_PLACES = Object.freeze({ id: ID, method: FIRST });

/** A frame whose content is known: its id and its findings. */
class Framed extends Received {
  /** The id: a string, a number, a bigint or a JsonNumber; undefined if there is none. */
  get id() {
    const text = this._text(ID);
    return text === undefined ? undefined : idOf(text);
  }

  findings() {
    const { engine, rules } = this._rows;
    return engine.findings(this.bytes, rules, this._flags()).map((found) => ({
      ...describe(found.rule, found.syntax),
      severity: SEVERITIES[found.severity],
      offset: found.offset,
    }));
  }
}

/** A message. */
class Message extends Framed {
  /** How many members have names that JSON-RPC does not define. */
  get unknownMembers() {
    return this._rows.words[this._at + AT];
  }
}

class Call extends Message {
  /** The method to call. */
  get method() {
    return stringOf(this._text(FIRST));
  }

  /** The parameters by way of JSON.parse, or undefined. */
  get params() {
    return this.value("params");
  }

  _places() {
    return CALL_PLACES;
  }

  toJSON() {
    return { ...super.toJSON(), id: String(this.id), method: this.method };
  }
}

/** A call that is to be answered. */
export class Request extends Call {
  get kind() {
    return "request";
  }
}

/** A call that is not to be answered. */
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

  /** The result by way of JSON.parse. */
  get result() {
    return this.value("result");
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

  /** The code: a number, or a bigint if it is larger than a number can say. */
  get code() {
    return idOf(this._text(FIRST)) ?? 0;
  }

  /** The message. */
  get message() {
    return stringOf(this._text(SECOND));
  }

  /** The data by way of JSON.parse, or undefined. */
  get data() {
    return this.value("data");
  }

  _places() {
    return ERROR_PLACES;
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

  /** The elements, each with a verdict of its own. Their spans count from the frame of the batch. */
  *elements() {
    const { engine, rules, owner, generation } = this._rows;
    const frame = this._frame();
    for (const { table, count } of engine.elements(frame, rules, this.length)) {
      const rows = new Rows(table, engine, rules, owner);
      rows.generation = generation;
      rows.frame = frame;
      for (let index = 0; index < count; index++) yield item(rows, index);
    }
  }

  *[Symbol.iterator]() {
    yield* this.elements();
  }
}

const REPLY_CODES = [-32700, -32600];
const REPLY_MESSAGES = ["Parse error", "Invalid Request"];

/** A frame that is not a message: the first error in it, and the reply that is owed. */
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

  /** What is wrong, in one line. */
  get message() {
    return this._described().message;
  }

  /** The section of the specification. */
  get clause() {
    return this._described().clause;
  }

  /** What the sender can do about it. */
  get help() {
    return this._described().help;
  }

  get severity() {
    return "error";
  }

  /** Where in the frame the fault is, in bytes. */
  get at() {
    return this._rows.words[this._at + AT];
  }

  /** The error that the sender is owed, as JSON without a line end, or undefined for silence. */
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

/** A frame that is longer than the limit, which was discarded. Its id and its method were kept if they are short. */
export class Oversized extends Fault {
  get kind() {
    return "oversized";
  }

  /** The length of the frame, in bytes. */
  get length() {
    const { words } = this._rows;
    return words[this._at + THIRD] + words[this._at + THIRD + 1] * 2 ** 32;
  }

  /** The method, if it could be read. */
  get method() {
    const text = this._text(FIRST);
    return text === undefined ? undefined : stringOf(text);
  }

  get bytes() {
    return new Uint8Array();
  }

  findings() {
    const { rule, at, message, clause, help } = this;
    return [{ rule, severity: "error", offset: at, message, clause, help }];
  }

  _places() {
    return OVERSIZED_PLACES;
  }
}

/** A frame that is not meant to be a message, such as an event without data. */
export class NoMessage extends Received {
  get kind() {
    return "no-message";
  }
}

/** The stream ended inside a frame. */
export class Unfinished extends Received {
  get kind() {
    return "unfinished";
  }

  /** How many bytes of the frame there were. */
  get length() {
    const { words } = this._rows;
    return words[this._at + THIRD] + words[this._at + THIRD + 1] * 2 ** 32;
  }
}

/** The start of the next frame is unknown. Nothing more is read until resync(). */
export class Desynchronised extends Received {
  get kind() {
    return "desynchronised";
  }

  /** The name of the reason. */
  get cause() {
    return DESYNCS[this._rows.words[this._at + AT]][0];
  }

  /** The reason, in one line. */
  get message() {
    return DESYNCS[this._rows.words[this._at + AT]][1];
  }
}

/** Makes the item of a row. The kinds are in the order of their numbers. */
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

/** The length of what is lent for a row, or -1 if its bytes are in the input. */
export function lentLength(rows, row) {
  const at = row * WORDS;
  return ((rows.words[at] >>> 8) & LENT) === 0 ? -1 : rows.words[at + LENGTH];
}

/** Whether a row says that the start of the next frame is unknown. */
export function isLost(rows, row) {
  return (rows.words[row * WORDS] & 0xff) === 9;
}
