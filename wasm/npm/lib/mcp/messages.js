// Messages in the SDK's form: objects whose ids are strings or safe integers.

import { parse } from "../../index.js";
import { BadFrame } from "./bad-frame.js";
import { idOf } from "../text.js";

export const INTERNAL_ERROR = -32603;

/** The rules for messages before a revision is negotiated. */
export const FIRST_RULES = "2025-11-25";

/**
 * The prefix of a string that represents an id which the SDK can't handle, such as 9007199254740993 or 1.0. The rest is
 * the text of the id, so the answer has the same id. Strings that begin with the prefix are represented in the same
 * way.
 */
const WRITTEN = "tautline:";

/** Returns the id that the SDK gets for an id with this text. */
export function idFor(text) {
  if (text === undefined || text === "null") return undefined;
  const id = idOf(text);
  const isKept = typeof id === "number" || (typeof id === "string" && !id.startsWith(WRITTEN));
  return isKept ? id : WRITTEN + text;
}

const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/;

/** Returns the text that an id of the SDK represents, if it begins with the prefix. */
export function written(id) {
  if (typeof id !== "string" || !id.startsWith(WRITTEN)) return undefined;
  const text = id.slice(WRITTEN.length);
  return NUMBER.test(text) || isString(text) ? text : undefined;
}

/** Returns whether a text is exactly one JSON string. */
function isString(text) {
  if (!text.startsWith('"') || !text.endsWith('"')) return false;
  try {
    return typeof JSON.parse(text) === "string";
  } catch {
    return false;
  }
}

/** Returns a code that the SDK accepts. It silently drops errors with other codes. */
function codeFor(code) {
  const number = Number(code);
  return Number.isSafeInteger(number) ? number : INTERNAL_ERROR;
}

/** Returns a request, a notification or a response, with only the members that the specification defines. */
export function messageOf(received) {
  const message = { jsonrpc: "2.0" };
  const id = idFor(received.text("id"));
  if (id !== undefined) message.id = id;
  switch (received.kind) {
    case "result":
      message.result = received.value("result");
      return message;
    case "error": {
      const { code, data } = received;
      message.error = { code: codeFor(code), message: received.message };
      if (data !== undefined) message.error.data = data;
      return message;
    }
    default: {
      message.method = received.method;
      const params = received.value("params");
      if (params !== undefined) message.params = params;
      return message;
    }
  }
}

/**
 * Returns the same for programs that match responses themselves. The id of a response is the number that JSON.parse reads
 * if that is exact: peers write `1.0` for 1.
 */
export function plainMessageOf(received) {
  const message = messageOf(received);
  if (received.kind !== "result" && received.kind !== "error") return message;
  const number = Number(written(message.id));
  return Number.isSafeInteger(number) ? { ...message, id: number } : message;
}

/** Parses one line. Throws a FrameError if it is not one message. */
export function deserializeMessage(line) {
  const received = parse(line, FIRST_RULES);
  if (received.kind === "fault") throw new BadFrame(received).error;
  return plainMessageOf(received);
}

/** Writes a message as one line. */
export function serializeMessage(message) {
  const id = written(message.id);
  if (id === undefined) return `${JSON.stringify(message)}\n`;
  const { id: _, ...rest } = message;
  return `${JSON.stringify(rest).slice(0, -1)},"id":${id}}\n`;
}

const RELATED_TASK = "io.modelcontextprotocol/related-task";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Returns whether params or a result have metadata that the SDK accepts. It silently drops messages with other
 * metadata.
 */
export function hasLegalMeta(payload) {
  const meta = payload?._meta;
  if (meta === undefined) return true;
  if (!isObject(meta)) return false;
  const { progressToken: token, [RELATED_TASK]: task } = meta;
  const isToken = token === undefined || typeof token === "string" || Number.isSafeInteger(token);
  return isToken && (task === undefined || (isObject(task) && typeof task.taskId === "string"));
}
