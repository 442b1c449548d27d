// A frame that is not a valid message: what it is meant as, and the replies that its sender is owed.

import { parse } from "../../index.js";
import { decode } from "../text.js";
import { FrameError } from "./frame-error.js";
import { isLegalId, salvage } from "./salvage.js";

/** The rules about text that is not JSON. */
const TEXT_RULES = ["not-json", "invalid-utf8", "embedded-newline"];

const encoder = new TextEncoder();

/**
 * Reads a frame that is not UTF-8 as the SDK does: with U+FFFD in place of the bytes that are not. Returns the message, or
 * undefined if it is still none.
 */
export function mended(fault, rules) {
  if (fault.kind !== "fault" || fault.rule !== "invalid-utf8") return undefined;
  const message = parse(fault.text(), rules);
  return message.kind === "fault" ? undefined : message;
}

/** Returns the text of a message that was encoded twice, or undefined. */
function unquoted({ bytes, rule }) {
  if (rule !== "not-an-object" || bytes[bytes.indexOf(0x22) + 1] !== 0x7b) return undefined;
  const text = JSON.parse(decode(bytes));
  return typeof text === "string" ? encoder.encode(text) : undefined;
}

/** Returns the messages that a bad frame is meant as, like salvage(). */
function meant(fault) {
  if (fault.kind === "fault") {
    const bytes = unquoted(fault);
    return bytes === undefined ? salvage(fault.bytes, fault.at) : salvage(bytes, bytes.length);
  }
  // The content of an oversized frame was skimmed and discarded.
  const text = fault.text("id");
  const id = text !== undefined && isLegalId(text) ? text : undefined;
  if (fault.method !== undefined) return [{ id, shape: "call" }];
  return [{ id, shape: fault.reply === undefined ? "response" : "record" }];
}

export class BadFrame {
  #isText;
  #replyData;

  /** The data of an error says why, unless `replyData` is false. */
  constructor(fault, replyData = true) {
    const { rule, at, message, help } = fault;
    this.#isText = TEXT_RULES.includes(rule);
    /** What is wrong, for the data of errors. */
    this.data = { rule, at, message, help };
    this.#replyData = replyData ? `,"data":${JSON.stringify(this.data)}` : "";
    /** The messages that can be made out in it, as salvage() returns them. */
    this.messages = meant(fault);
    /** The reply for the frame as a whole, or undefined. */
    this.reply = fault.reply && this.#explained(fault.reply);
    /** The text of the id in this reply, or undefined. */
    this.replyId = fault.reply?.includes('"id":') ? fault.text("id") : undefined;
    const owed = this.messages.filter(({ id, shape }) => id !== undefined && shape !== "response");
    const replies = owed.map(({ id }) => this.replyTo(id));
    this.error = new FrameError(fault, replies.length > 0 ? replies.join("\n") : this.reply);
  }

  /** True if the id of a message can be read. */
  get hasIds() {
    return this.messages.some(({ id }) => id !== undefined);
  }

  /** True if it has a method, so that it is no log record. */
  get isCall() {
    return this.messages.some(({ shape }) => shape === "call");
  }

  /** Returns the error reply to the message with this id, which is passed as text. */
  replyTo(id) {
    const [code, message] = this.#isText ? [-32700, "Parse error"] : [-32600, "Invalid Request"];
    return this.#explained(`{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`);
  }

  #explained(reply) {
    return `${reply.slice(0, -2)}${this.#replyData}}}`;
  }
}
