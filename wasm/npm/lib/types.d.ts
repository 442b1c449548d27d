// The declarations of all entry points. They export the same names, and differ only in the module that they load.

import type { RuleName, Severity } from "./rules.js";

export type { RuleName, Severity };

declare global {
  // The libraries of TypeScript declare it since version 5.2, in the same way.
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}

/** The input of push() and parse(). Text is encoded as UTF-8. */
export type Bytes = string | ArrayBuffer | ArrayBufferView;

/** The names of sets of rules: JSON-RPC 2.0, LSP, and the revisions of MCP. */
export type Preset =
  | "jsonrpc"
  | "lsp"
  | "2024-11-05"
  | "2025-03-26"
  | "2025-06-18"
  | "2025-11-25"
  | "2026-07-28";

/** How messages are delimited. All but `"lines"` need `tautline/full`. */
export type Framing =
  /** One message per line, terminated by LF or CRLF. */
  | "lines"
  /** A header `Content-Length` before each message, as in LSP. */
  | "content-length"
  /** Server-sent events. */
  | "events"
  /** JSON values, one after another, with any whitespace between them. */
  | "concatenated";

export interface RulesOptions {
  /** The set of rules. The default is `"jsonrpc"`. */
  preset?: Preset | undefined;
  /**
   * Reports everything as an error that another peer could read differently. Needs `tautline/full`. The default is
   * false.
   */
  strict?: boolean | undefined;
  /** Applies the rules for bodies of HTTP requests or responses, for example about batches. */
  http?: "request" | "response" | undefined;
  /** The maximum nesting depth of arrays and objects, from 1 to 255. The default is 127. */
  maxDepth?: number | undefined;
}

/** A preset, or a preset with options. */
export type Rules = Preset | RulesOptions;

/** A limit on frames, in bytes, from 1 to 2^31 - 1. */
export type MaxFrame = number;

export interface StreamOptions {
  /** The rules for messages. The default is `"jsonrpc"`. */
  rules?: Rules | undefined;
  /** The framing. The default is `"lines"`. */
  framing?: Framing | undefined;
  /**
   * The maximum length of a frame, in bytes without its delimiter, from 1 to 2^31 - 1. A longer frame is discarded and
   * reported as {@link Oversized}. The default is 16 MiB.
   */
  maxFrame?: MaxFrame | undefined;
}

/** A number that JavaScript would not preserve as it was written, such as the id `1.0`. */
export declare class JsonNumber {
  constructor(text: string);
  /** The number as it was written. */
  readonly text: string;
  /** Returns {@link text}. */
  toString(): string;
  /** Returns the nearest number. */
  toJSON(): number;
}

/**
 * An id with its exact value: a string; a safe integer as a number; a larger integer as a bigint; any other number, or
 * an integer of more than 1000 digits, as a {@link JsonNumber}; or null.
 *
 * `JSON.stringify` throws a `TypeError` for a bigint. {@link Request.answer} writes any id. As a key of a `Map`, use
 * `text("id")`.
 */
export type Id = string | number | bigint | JsonNumber | null;

/** A range in a frame, in bytes. */
export interface Span {
  /** The offset of the first byte. */
  readonly start: number;
  /** The offset after the last byte. */
  readonly end: number;
}

/** Something that was found in a frame. */
export interface Finding {
  readonly severity: Severity;
  /** Its offset in the frame, in bytes. For an element of a batch, the offset in the batch's frame. */
  readonly at: number;
  readonly rule: RuleName;
  /** The finding, in one line. */
  readonly message: string;
  /** The section of the specification. */
  readonly clause: string;
  /** Advice for the sender. */
  readonly help: string;
}

/**
 * Members of every item. `Always` are the names of the message members that are always present, `Sometimes` the names
 * of the others.
 *
 * Items of a stream are valid until the next push(), finish() or free() of it, as long as the chunk is not overwritten.
 * After that, every access that would read the bytes throws an `Error`. {@link detach} keeps an item valid. Items of
 * parse() are valid until the message is overwritten.
 */
export interface Item<Always extends string = never, Sometimes extends string = never> {
  /**
   * The number of bytes of the stream before the frame. It is 0 for items of parse(). An element of a batch has the
   * offset of the batch.
   */
  readonly offset: number;
  /** True if the frame ended before the stream did, and for items of parse(). */
  readonly isTerminated: boolean;
  /**
   * The bytes of the frame, without its delimiter: a view of the chunk, or of a copy if the frame spans chunks. An
   * element of a batch has its own bytes. Items without a frame have none.
   *
   * @throws Error if the item is no longer valid.
   */
  readonly bytes: Uint8Array;
  /**
   * Returns the range of a member's value, in bytes from the start of the frame. For an element of a batch, it counts
   * from the start of the batch's frame. Strings include their quotes.
   *
   * @throws Error if the item is no longer valid.
   */
  span(name: Always): Span;
  span(name: Always | Sometimes): Span | undefined;
  /** Returns the text of the frame. Bytes that are not UTF-8 are replaced by U+FFFD. */
  text(): string;
  /**
   * Returns a member's value as it was written, or undefined if there is none. Strings include their quotes.
   *
   * @throws Error if the item is no longer valid.
   */
  text(name: Always): string;
  text(name: Always | Sometimes): string | undefined;
  /**
   * Returns a member's value, parsed with `JSON.parse`, or undefined if there is none. Without a name, returns the
   * value of the frame. It is parsed with each call.
   *
   * @throws SyntaxError if the frame of a fault is not JSON.
   * @throws Error if the item is no longer valid.
   */
  value(name?: Always | Sometimes): unknown;
  /**
   * Copies the bytes of the frame, so that the item stays valid. Elements of a batch share one copy of the batch.
   *
   * @returns the item.
   * @throws Error if the item is no longer valid.
   */
  detach(): this;
  /**
   * Returns everything that is found in the frame: errors, warnings and notes, in the order of the table of rules. If the
   * cause of the fault is known, such as a line of a log, it comes first, in the place of what the fault breaks. The frame
   * is read again. A batch and its elements have separate findings.
   *
   * @throws Error if the item is no longer valid, or the build is not the one of `tautline/full`.
   */
  findings(): Finding[];
  /** Returns a summary for logs: the kind, the place, and the text of the id. */
  toJSON(): object;
}

/** Members of everything that has a frame. */
interface Placed {
  /**
   * The number of the line, counted from 1. For an event, it is the first line of data. In the framings
   * `"content-length"` and `"concatenated"`, it is the number of the frame. An element of a batch has the line of the
   * batch.
   */
  readonly line: number;
}

/** Members of messages. */
interface Message {
  /** The number of members with names that JSON-RPC does not define. */
  readonly unknownMembers: number;
}

interface Call extends Placed, Message {
  /** The name of the method. */
  readonly method: string;
  /** The parameters, an array or an object, parsed with `JSON.parse` on each access. Undefined if there are none. */
  readonly params: unknown;
}

/** A call that expects an answer. */
export interface Request extends Item<"id" | "method", "params">, Call {
  readonly kind: "request";
  readonly id: Id;
  /**
   * Returns the response with this result, as JSON without a line end. The id is written exactly as it was received. A
   * result of undefined becomes null.
   *
   * @throws TypeError if `JSON.stringify` can't write the result.
   */
  answer(result: unknown): string;
  /**
   * Returns the response with this error, as JSON without a line end.
   *
   * @throws TypeError if `JSON.stringify` can't write the data.
   */
  answerError(code: number, message: string, data?: unknown): string;
}

/** A call that expects no answer. */
export interface Notification extends Item<"method", "id" | "params">, Call {
  readonly kind: "notification";
  /** Undefined, unless the rules allow a notification to have an id of null. */
  readonly id: Id | undefined;
}

/** A response with a result. */
export interface ResultResponse extends Item<"id" | "result">, Placed, Message {
  readonly kind: "result";
  readonly id: Id;
  /** The result, parsed with `JSON.parse` on each access. */
  readonly result: unknown;
}

/** A response with an error. */
export interface ErrorResponse extends Item<"code" | "message", "id" | "data">, Placed, Message {
  readonly kind: "error";
  /** The id. It is null, or under some rules undefined, if the peer could not read the id of the request. */
  readonly id: Id | undefined;
  /** The code. It is a number, unless the peer wrote one that is not exact or not plain, such as `-32600.0`. */
  readonly code: number | bigint | JsonNumber;
  /** The message. */
  readonly message: string;
  /** The data, parsed with `JSON.parse` on each access. Undefined if there is none. */
  readonly data: unknown;
}

/** An element of a batch. */
export type Element = Request | Notification | ResultResponse | ErrorResponse | Fault;

/** Several messages in one frame. They need not all be valid. */
export interface Batch extends Item, Placed, Iterable<Element> {
  readonly kind: "batch";
  /** The number of elements. */
  readonly length: number;
  /** Always undefined, because a batch has no id. */
  readonly id: undefined;
  /**
   * Reads the elements, each with its own verdict.
   *
   * @throws Error if the batch is no longer valid when the first element is read.
   * @throws RangeError if the module has no memory for the batch.
   */
  elements(): Generator<Element, void, undefined>;
  /** The same as {@link elements}. */
  [Symbol.iterator](): Generator<Element, void, undefined>;
}

interface Broken extends Placed {
  /** The rule that is broken. */
  readonly rule: RuleName;
  /** The offset of the fault in the frame, in bytes. For an element of a batch, the offset in the batch's frame. */
  readonly at: number;
  /** The violation, in one line. */
  readonly message: string;
  /** The section of the specification. */
  readonly clause: string;
  /** Advice for the sender. */
  readonly help: string;
  readonly severity: "error";
  /** The id, if one could be read. */
  readonly id: Id | undefined;
  /**
   * The error reply to send, as JSON without a line end, or undefined if no reply may be sent. If you have not answered
   * another request with its id yet, do not send it: it would answer that request.
   */
  readonly reply: string | undefined;
}

/** A frame that is not a valid message: its first error, and the reply to send. */
export interface Fault extends Item<never, "id">, Broken {
  readonly kind: "fault";
}

/**
 * A frame that is longer than the limit, and was discarded. Its {@link bytes} are empty and its spans are undefined.
 * The id and the method are known if they are at most 64 bytes long.
 */
export interface Oversized extends Item<never, "id" | "method">, Broken {
  readonly kind: "oversized";
  /** The length of the frame, in bytes. */
  readonly length: number;
  /** The method, if one could be read. */
  readonly method: string | undefined;
}

/** A frame that is not intended as a message, such as an event without data. Its {@link bytes} are empty. */
export interface NoMessage extends Item, Placed {
  readonly kind: "no-message";
  /** The length of the frame, in bytes. */
  readonly length: number;
}

/**
 * The stream ended inside a frame. No reply may be sent. A last line without its newline is not unfinished, but a
 * message or a fault that is not terminated.
 */
export interface Unfinished extends Item {
  readonly kind: "unfinished";
  readonly line: undefined;
  /** The number of bytes of the frame that were received. */
  readonly length: number;
}

/** The start of the next frame is unknown. Nothing more is read until {@link MessageStream.resync}. */
export interface Desynchronised extends Item {
  readonly kind: "desynchronised";
  readonly line: undefined;
  /** The reason. */
  readonly cause: RuleName;
  /** The reason, in one line. */
  readonly message: string;
}

/** The result of parse(). */
export type Parsed = Request | Notification | ResultResponse | ErrorResponse | Batch | Fault;

/** An item of a stream. `kind` says which one it is. */
export type Received = Parsed | Oversized | NoMessage | Unfinished | Desynchronised;

/**
 * A stream of messages whose bytes are pushed chunk by chunk.
 *
 * All streams share the memory of one instance of the module. A stream's memory is freed when it is garbage-collected,
 * or at once with {@link free}.
 */
export declare class MessageStream {
  /**
   * @throws TypeError if an option is unknown.
   * @throws RangeError if a number is out of its range, or there is no memory for a stream until others are freed.
   * @throws Error if an option needs `tautline/full`.
   */
  constructor(options?: StreamOptions);
  /**
   * Pushes the next bytes of the stream. Returns an iterator over the messages and faults that end in them.
   *
   * Bytes are read when the iterator is advanced. If a loop is left early, the rest of the chunk is copied, and is read
   * first in the next loop. All calls of push() return the same iterator.
   *
   * @throws TypeError if the chunk is neither bytes nor a string.
   * @throws Error if the stream has ended or was freed.
   */
  push(chunk: Bytes): IterableIterator<Received>;
  /**
   * Ends the stream. Returns an iterator over the rest of it, such as a last line without its newline.
   *
   * @throws Error if the stream has ended or was freed.
   */
  finish(): IterableIterator<Received>;
  /**
   * Continues after {@link Desynchronised}, by guessing where the next frame begins. Until then, everything that is
   * pushed is discarded.
   *
   * @throws Error if the stream was freed.
   */
  resync(): void;
  /**
   * Sets the rules, for example after a handshake. They apply from the next push() on. The module reads ahead, so
   * messages of the current chunk may have been checked against the old rules.
   *
   * @throws TypeError, RangeError or Error as the constructor does, and Error if the stream was freed.
   */
  setRules(rules: Rules): void;
  /** Frees the stream's memory now. Items that were not detached are no longer valid. */
  free(): void;
  /** The same as {@link free}, for `using stream = new MessageStream()`. */
  [Symbol.dispose](): void;
}

/**
 * A transform stream from bytes to messages. Its items are detached. Nothing follows {@link Desynchronised}; use a
 * {@link MessageStream} to continue after it.
 */
export declare class MessageTransform extends TransformStream<Bytes, Received> {
  /** Throws as the constructor of {@link MessageStream} does. */
  constructor(options?: StreamOptions);
}

/**
 * Parses bytes that are one message, such as the body of an HTTP request. Whitespace around it is allowed.
 *
 * @throws TypeError if the message is neither bytes nor a string, or an option is unknown.
 * @throws RangeError if a number is out of its range, or there is no memory for the message.
 * @throws Error if an option needs `tautline/full`.
 */
export declare function parse(message: Bytes, rules?: Rules): Parsed;

/** The module that was loaded. */
export declare const build: {
  readonly name: "fast" | "small" | "full";
  /** The size of the module's memory, in bytes. It never shrinks. */
  readonly memorySize: number;
};
