// The declarations of all entry points, which differ in the module that they load and not in their names.

import type { DesyncCause, RuleName, Severity } from "./rules.js";

export type { DesyncCause, RuleName, Severity };

/** What push() and parse() take. Text is encoded as UTF-8. */
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
  /** One message in each line, which LF or CRLF ends. */
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
  /** Makes everything an error that another peer could read differently. Needs `tautline/full`. The default is false. */
  strict?: boolean | undefined;
  /** Applies the rules for bodies of HTTP requests or responses, for example about batches. */
  http?: "request" | "response" | undefined;
  /** How deep arrays and objects may be nested, from 1 to 255. The default is 127. */
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
   * The longest frame, in bytes without its delimiter, from 1 to 2^31 - 1. A longer one is discarded and reported as
   * {@link Oversized}. The default is 16 MiB.
   */
  maxFrame?: MaxFrame | undefined;
}

/** A number that JavaScript would not keep as it is written, such as the id `1.0`. */
export declare class JsonNumber {
  constructor(text: string);
  /** The number as it is written. */
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

/** Where something is in a frame, in bytes. */
export interface Span {
  /** The offset of the first byte. */
  readonly start: number;
  /** The offset after the last byte. */
  readonly end: number;
}

/** Something that was found in a frame. */
export interface Finding {
  readonly severity: Severity;
  /** Where it is, in bytes from the start of the frame; in an element of a batch, of the batch's frame. */
  readonly at: number;
  readonly rule: RuleName;
  /** What was found, in one line. */
  readonly message: string;
  /** The section of the specification. */
  readonly clause: string;
  /** What the sender can do about it. */
  readonly help: string;
}

/**
 * Members of every item. `Always` are the names of the members of the message that are always there, `Sometimes` the
 * others.
 *
 * Items of a stream are valid until the next push(), finish() or free() of it, as long as the chunk is not overwritten.
 * After that, whatever would read the bytes throws an `Error`. {@link detach} keeps an item. Items of parse() are valid
 * until the message is overwritten.
 */
export interface Item<Always extends string = never, Sometimes extends string = never> {
  /**
   * How many bytes of the stream come before the frame; 0 for items of parse(). An element of a batch has the offset of
   * the batch.
   */
  readonly offset: number;
  /** Whether the frame ended before the stream did. It is true for items of parse(). */
  readonly isTerminated: boolean;
  /**
   * The bytes of the frame, without its delimiter: a view of the chunk, or of a copy if the frame spans chunks. An
   * element of a batch has its own bytes. Items without a frame have none.
   *
   * @throws Error if the item is no longer valid.
   */
  readonly bytes: Uint8Array;
  /**
   * Returns where a member's value is, in bytes from the start of the frame; in an element of a batch, of the batch's
   * frame. Strings include their quotes.
   *
   * @throws Error if the item is no longer valid.
   */
  span(name: Always): Span;
  span(name: Always | Sometimes): Span | undefined;
  /** Returns the text of the frame. Bytes that are not UTF-8 are replaced by U+FFFD. */
  text(): string;
  /**
   * Returns a member's value as it is written, or undefined if there is none. Strings include their quotes.
   *
   * @throws Error if the item is no longer valid.
   */
  text(name: Always): string;
  text(name: Always | Sometimes): string | undefined;
  /**
   * Returns a member's value by way of `JSON.parse`, or undefined if there is none. Without a name, the value of the
   * frame. It is parsed with each call.
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
   * Returns everything that is found in the frame: errors, warnings and notes, in the order of the table of rules. The
   * frame is read once more. A batch and its elements have findings of their own.
   *
   * @throws Error if the item is no longer valid, or the build is not the one of `tautline/full`.
   */
  findings(): Finding[];
  /** Returns what logs need: the kind, the place, and the id as its text. */
  toJSON(): object;
}

/** Members of everything that has a frame. */
interface Placed {
  /**
   * The number of the line, counted from 1. For an event, its first line of data. In the framings `"content-length"` and
   * `"concatenated"`, the number of the frame. An element of a batch has the line of the batch.
   */
  readonly line: number;
}

/** Members of messages. */
interface Message {
  /** How many members have names that JSON-RPC does not define. */
  readonly unknownMembers: number;
}

interface Call extends Placed, Message {
  /** The method to call. */
  readonly method: string;
  /** The parameters, an array or an object, by way of `JSON.parse` with each access; undefined if there are none. */
  readonly params: unknown;
}

/** A call that is to be answered. */
export interface Request extends Item<"id" | "method", "params">, Call {
  readonly kind: "request";
  readonly id: Id;
  /**
   * Returns the response with this result, as JSON without a line end. The id is written as it came. A result of
   * undefined becomes null.
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

/** A call that is not to be answered. */
export interface Notification extends Item<"method", "id" | "params">, Call {
  readonly kind: "notification";
  /** Undefined, unless the rules allow a notification to have an id of null. */
  readonly id: Id | undefined;
}

/** A response with a result. */
export interface ResultResponse extends Item<"id" | "result">, Placed, Message {
  readonly kind: "result";
  readonly id: Id;
  /** The result, by way of `JSON.parse` with each access. */
  readonly result: unknown;
}

/** A response with an error. */
export interface ErrorResponse extends Item<"code" | "message", "id" | "data">, Placed, Message {
  readonly kind: "error";
  /** The id. Null, or under some rules undefined, if the peer could not read the id of the request. */
  readonly id: Id | undefined;
  /** The code. It is a number, unless a peer writes one that is not exact or plain, such as `-32600.0`. */
  readonly code: number | bigint | JsonNumber;
  /** The message. */
  readonly message: string;
  /** The data, by way of `JSON.parse` with each access; undefined if there are none. */
  readonly data: unknown;
}

/** An element of a batch. */
export type Element = Request | Notification | ResultResponse | ErrorResponse | Fault;

/** Several messages in one frame. Not all of them need be valid. */
export interface Batch extends Item, Placed, Iterable<Element> {
  readonly kind: "batch";
  /** The number of elements. */
  readonly length: number;
  /** Undefined: a batch has no id. */
  readonly id: undefined;
  /**
   * Reads the elements, each with a verdict of its own.
   *
   * @throws Error if the batch is no longer valid, when the first element is asked for.
   * @throws RangeError if the module has no memory for the batch.
   */
  elements(): Generator<Element, void, undefined>;
  /** The same as {@link elements}. */
  [Symbol.iterator](): Generator<Element, void, undefined>;
}

interface Broken extends Placed {
  /** The rule that is broken. */
  readonly rule: RuleName;
  /** Where in the frame, in bytes; in an element of a batch, in the batch's frame. */
  readonly at: number;
  /** What is wrong, in one line. */
  readonly message: string;
  /** The section of the specification. */
  readonly clause: string;
  /** What the sender can do about it. */
  readonly help: string;
  readonly severity: "error";
  /** The id, if one could be read. */
  readonly id: Id | undefined;
  /** The error that the sender is owed, as JSON without a line end; undefined if it is owed none. */
  readonly reply: string | undefined;
}

/** A frame that is not a valid message: its first error, and the reply that is owed. */
export interface Fault extends Item<never, "id">, Broken {
  readonly kind: "fault";
}

/**
 * A frame that is longer than the limit, which was discarded. Its {@link bytes} are empty and its spans undefined. The id
 * and the method are known if they are at most 64 bytes long.
 */
export interface Oversized extends Item<never, "id" | "method">, Broken {
  readonly kind: "oversized";
  /** The length of the frame, in bytes. */
  readonly length: number;
  /** The method, if one could be read. */
  readonly method: string | undefined;
}

/** A frame that is not meant to be a message, such as an event without data. Its {@link bytes} are empty. */
export interface NoMessage extends Item, Placed {
  readonly kind: "no-message";
  /** The length of the frame, in bytes. */
  readonly length: number;
}

/**
 * The stream ended inside a frame. No reply is owed. A last line without its newline is not unfinished, but a message or
 * a fault that is not terminated.
 */
export interface Unfinished extends Item {
  readonly kind: "unfinished";
  readonly line: undefined;
  /** How many bytes of the frame there were. */
  readonly length: number;
}

/** The start of the next frame is unknown. Nothing more is read until {@link MessageStream.resync}. */
export interface Desynchronised extends Item {
  readonly kind: "desynchronised";
  readonly line: undefined;
  /** The reason. */
  readonly cause: DesyncCause;
  /** The reason, in one line. */
  readonly message: string;
}

/** What parse() returns. */
export type Parsed = Request | Notification | ResultResponse | ErrorResponse | Batch | Fault;

/** What a stream yields. `kind` tells which. */
export type Received = Parsed | Oversized | NoMessage | Unfinished | Desynchronised;

/**
 * A stream of messages whose bytes are pushed, chunk by chunk.
 *
 * All streams share the memory of one instance of the module. A stream gives its memory back when it is collected, or at
 * once with {@link free}.
 */
export declare class MessageStream {
  /**
   * @throws TypeError if an option is unknown.
   * @throws RangeError if a number is out of its range, or there is no memory for a stream.
   * @throws Error if an option needs `tautline/full`.
   */
  constructor(options?: StreamOptions);
  /**
   * Takes the next bytes of the stream. Returns an iterator over the messages and faults that end in them.
   *
   * Bytes are read when the iterator is advanced. If a loop is left early, the rest of the chunk is copied, and comes
   * first in the next loop. Calls of push() return the same iterator.
   *
   * @throws TypeError if the chunk is neither bytes nor a string.
   * @throws Error if the stream has ended or was freed.
   */
  push(chunk: Bytes): IterableIterator<Received>;
  /**
   * Ends the stream. Returns an iterator over what is left of it, such as a last line without its newline.
   *
   * @throws Error if the stream has ended or was freed.
   */
  finish(): IterableIterator<Received>;
  /**
   * Continues after {@link Desynchronised}, by a guess where the next frame begins. Without it, what is pushed is
   * discarded.
   *
   * @throws Error if the stream was freed.
   */
  resync(): void;
  /**
   * Sets the rules, for example after a handshake. They are in force from the next push() on. The module reads ahead, so
   * messages of the current chunk may have been judged by the old ones.
   *
   * @throws TypeError, RangeError or Error as the constructor does, and Error if the stream was freed.
   */
  setRules(rules: Rules): void;
  /** Gives the stream's memory back now. Items that were not detached are no longer valid. */
  free(): void;
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
 * Parses bytes that are one message, such as the body of an HTTP request. Whitespace may be around it.
 *
 * @throws TypeError if the message is neither bytes nor a string, or an option is unknown.
 * @throws RangeError if a number is out of its range, or there is no memory for the message.
 * @throws Error if an option needs `tautline/full`.
 */
export declare function parse(message: Bytes, rules?: Rules): Parsed;

/** The module that was loaded. */
export declare const build: {
  readonly name: "fast" | "small" | "full";
  /** How much memory the module has, in bytes. It never shrinks. */
  readonly memorySize: number;
};
