// Messages as the SDK has them: objects whose ids are strings or safe integers.

import { parse } from "../../inline.js";
import { FrameError } from "./frame-error.js";
import { idOf } from "../text.js";

export const INTERNAL_ERROR = -32603;

/** What a message is held to before a revision is negotiated. */
export const FIRST_RULES = "2025-11-25";

/**
 * Begins an id that stands for one that the SDK can't take, such as 9007199254740993 or 1.0. The rest is how it was
 * written, so the answer has the same id. Strings that begin like this are written so, too.
 */
const WRITTEN = "tautline:";

/** The id that the SDK gets for one that is written like this. */
export function idFor(text) {
  if (text === undefined || text === "null") return undefined;
  const id = idOf(text);
  const isKept = typeof id === "number" || (typeof id === "string" && !id.startsWith(WRITTEN));
  return isKept ? id : WRITTEN + text;
}

const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/;

/** How an id of the SDK is written, if that is not how JSON writes it. */
function written(id) {
  if (typeof id !== "string" || !id.startsWith(WRITTEN)) return undefined;
  const text = id.slice(WRITTEN.length);
  return NUMBER.test(text) || isString(text) ? text : undefined;
}

/** Whether a text is a JSON string, and nothing else. */
function isString(text) {
  if (!text.startsWith('"') || !text.endsWith('"')) return false;
  try {
    return typeof JSON.parse(text) === "string";
  } catch {
    return false;
  }
}

/** A code that the SDK takes. It drops errors with other codes in silence. */
function codeFor(code) {
  const number = Number(code);
  return Number.isSafeInteger(number) ? number : INTERNAL_ERROR;
}

/** A request, a notification or a response, with nothing but the members that the specification knows. */
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

/** Parses one line. Throws a FrameError if it is not one message. */
export function deserializeMessage(line) {
  const received = parse(line, FIRST_RULES);
  if (received.kind === "fault") throw new FrameError(received);
  return messageOf(received);
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

/** Whether params or a result have metadata that the SDK takes. It drops messages with other metadata in silence. */
export function hasLegalMeta(payload) {
  const meta = payload?._meta;
  if (meta === undefined) return true;
  if (!isObject(meta)) return false;
  const { progressToken: token, [RELATED_TASK]: task } = meta;
  const isToken = token === undefined || typeof token === "string" || Number.isSafeInteger(token);
  return isToken && (task === undefined || (isObject(task) && typeof task.taskId === "string"));
}
