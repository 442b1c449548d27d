import type { Writable, Readable, Stream } from "node:stream";
import type { IOType, spawn } from "node:child_process";
import type { MaxFrame, Rules, Severity } from "./lib/types.js";

/**
 * A message as the SDK's types describe it. The type is wide enough for every version of the SDK, so that the
 * transports fit all of them.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type SdkMessage = any;

/** The options of both transports and of the reader. */
export interface ReaderOptions {
  /**
   * The rules for messages. The default is the revision of MCP that the two ends agree on, and 2025-11-25 before that.
   */
  rules?: Rules;
  /**
   * The maximum length of a frame, in bytes: 16 MiB by default. A longer frame is discarded, and the connection
   * continues.
   */
  maxFrame?: MaxFrame;
  /** The SDK's name for `maxFrame`. */
  maxBufferSize?: MaxFrame;
  /**
   * Whether error replies have the member `data`, an object with the `rule` that is broken, the offset `at` in the frame
   * in bytes, the `message`, and the remedy `help`: true by default.
   */
  replyData?: boolean;
}

/**
 * The error that `onerror` gets for a frame that breaks a rule. The connection continues after it. The frame is not a valid
 * message, or it is delivered all the same: its text is not UTF-8, or its id is written differently from that of the
 * request.
 */
export class FrameError extends Error {
  readonly name: "FrameError";
  /** The name of the rule, such as `"missing-jsonrpc"`. */
  readonly rule: string;
  /** The offset of the fault in the frame, in bytes. */
  readonly at: number;
  /** The number of the line in the stream, counted from 1. */
  readonly line: number;
  /** The section of the specification. */
  readonly clause: string;
  /** Advice for the sender. */
  readonly help: string;
  /**
   * The error reply, as JSON, or undefined if no reply may be sent. If several messages of the frame are owed a reply, one
   * on each line. The server's transport sends it, unless the frame answers a request of the server. The client's
   * transport sends it only if the frame is a call. Neither sends an error with the id of a request in flight, because the
   * error would answer that request. If you have your own transport, send none either.
   */
  readonly reply: string | undefined;
  /** The first 120 bytes of the frame. */
  readonly excerpt: string;
}

/** Turns chunks into messages, like the SDK's class of the same name. */
export class ReadBuffer {
  constructor(options?: ReaderOptions);
  /**
   * Appends the next bytes. For a frame over the limit, `readMessage()` throws an error, and then continues with the
   * next one.
   */
  append(chunk: Uint8Array): void;
  /**
   * Returns the next message, or null if there is none yet.
   *
   * @throws {FrameError} for a frame that is not a valid message. Call it again for the one after that. It also throws
   * one before a message in which U+FFFD replaces bytes that are not UTF-8.
   */
  readMessage(): SdkMessage | null;
  /** Discards everything that was appended, and frees the memory. */
  clear(): void;
}

/**
 * Parses one line.
 *
 * @throws {FrameError} if it is not one valid message.
 */
export function deserializeMessage(line: string): SdkMessage;

/** Writes a message as one line, with its newline. */
export function serializeMessage(message: SdkMessage): string;

/** Something that the judge of the session has found. */
export interface SessionFinding {
  /** The side that has sent the message. */
  readonly from: "client" | "server";
  /** The name of the rule, such as `"response-duplicate"`. */
  readonly rule: string;
  readonly severity: Severity;
  /** The offset in the frame, in bytes. Undefined if the finding is about a message that was due and did not come. */
  readonly at: number | undefined;
  /** The path of the place, such as `"result.tools[0]"`, if it is in the payload. */
  readonly path: string | undefined;
  /** The finding, in one line. */
  readonly message: string;
  /** The section of the specification. */
  readonly clause: string;
  /** Advice for the sender. */
  readonly help: string;
}

/** The options of both transports. */
export interface TransportOptions extends ReaderOptions {
  /**
   * Called for everything that is found in the messages of both sides: in the frame, in the payload by the schema of the
   * revision, and in view of the messages before it. The judge is a module of its own, which `start()` loads from the file
   * `judge.wasm` of the package. If that fails, `onerror` gets the reason and the transport works without findings.
   */
  onFinding?: (finding: SessionFinding) => void;
}

declare class StdioTransport {
  constructor(options?: TransportOptions);
  /** Called once when the connection has closed. */
  onclose?: (() => void) | undefined;
  /** Called for errors of the pipes, and with a {@link FrameError} for each frame that is not a valid message. */
  onerror?: ((error: Error) => void) | undefined;
  /** Called for each message. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  onmessage?: ((message: SdkMessage, extra?: any) => void) | undefined;
  /** Starts reading. The SDK's `connect()` calls it. */
  start(): Promise<void>;
  /** Sends a message. Resolves when there is room for the next one, and rejects if the pipe has closed. */
  send(message: SdkMessage): Promise<void>;
  /** Closes the connection. */
  close(): Promise<void>;
  /** Checks messages against this revision from now on, unless the options name rules. */
  setProtocolVersion(version: string): void;
}

export interface StdioServerOptions extends TransportOptions {
  /**
   * The time for requests in flight after the end of the input, in milliseconds: 10,000 by default. The transport
   * closes when they are answered, or after this time.
   */
  drainTimeout?: number;
}

/** The server's end of the stdio transport. By default, it reads and writes the pipes of this process. */
export class StdioServerTransport extends StdioTransport {
  constructor(stdin?: Readable, stdout?: Writable, options?: StdioServerOptions);
}

/** How to start a server. */
export interface StdioServerParameters extends TransportOptions {
  /** The program. */
  command: string;
  /** Its arguments. */
  args?: string[];
  /** Environment variables in addition to {@link getDefaultEnvironment}. */
  env?: Record<string, string>;
  /** The destination of its standard error: `"inherit"` by default. */
  stderr?: IOType | Stream | number;
  /** Its working directory. The default is the working directory of this process. */
  cwd?: string;
  /**
   * The function that starts it. The default is Node's `spawn`. On Windows, it is `cross-spawn` if that is installed,
   * as it is with the SDK.
   */
  spawn?: typeof spawn;
}

/** The client's end of the stdio transport. It starts the server as a child process. */
export class StdioClientTransport extends StdioTransport {
  constructor(server: StdioServerParameters);
  /**
   * The server's standard error, if the option `stderr` is `"pipe"` or `"overlapped"`. It may be read before `start()`.
   */
  get stderr(): Stream | null;
  /** The id of the server's process while it runs, or null. */
  get pid(): number | null;
}

/** The names of the variables that a server inherits. */
export const DEFAULT_INHERITED_ENV_VARS: string[];

/** Returns the variables that a server inherits, with their values. */
export function getDefaultEnvironment(): Record<string, string>;
