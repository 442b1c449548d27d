import type { Writable, Readable, Stream } from "node:stream";
import type { IOType, spawn } from "node:child_process";
import type { MaxFrame, Rules } from "./lib/types.js";

/**
 * A message as the SDK's types describe it. The type is as wide as that of every version of the SDK, so that
 * transports fit all of them.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type SdkMessage = any;

/** What both transports and the reader take. */
export interface ReaderOptions {
  /**
   * What messages are held to. By default that is the revision of MCP that the two ends agree upon, and 2025-11-25
   * before that.
   */
  rules?: Rules;
  /** The longest frame, in bytes: 16 MiB by default. A longer one is discarded, and the connection goes on. */
  maxFrame?: MaxFrame;
  /** Another name for `maxFrame`, which the SDK uses. */
  maxBufferSize?: MaxFrame;
}

/** The error that `onerror` gets for a frame that is not a valid message. The connection goes on after it. */
export class FrameError extends Error {
  readonly name: "FrameError";
  /** The name of the rule, such as `"missing-jsonrpc"`. */
  readonly rule: string;
  /** Where in the frame the fault is, in bytes. */
  readonly at: number;
  /** The number of the line in the stream, counted from 1. */
  readonly line: number;
  /** The section of the specification. */
  readonly clause: string;
  /** What the sender can do about it. */
  readonly help: string;
  /**
   * The error response that is owed for it, as JSON, or undefined if none is. The server's transport has sent it; the
   * client's has only if the frame is a call.
   */
  readonly reply: string | undefined;
  /** The first 120 bytes of the frame. */
  readonly excerpt: string;
}

/** Takes chunks and gives messages, as the SDK's class of this name does. */
export class ReadBuffer {
  constructor(options?: ReaderOptions);
  /** Takes the next bytes. A frame over the limit is an error of `readMessage()`, and the next one is read. */
  append(chunk: Uint8Array): void;
  /**
   * Returns the next message, or null if there is none yet.
   *
   * @throws {FrameError} for a frame that is not a valid message. Call it again for the one after that.
   */
  readMessage(): SdkMessage | null;
  /** Forgets what was appended, and gives the memory back. */
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

declare class StdioTransport {
  constructor(options?: ReaderOptions);
  /** Called once when the connection has closed. */
  onclose?: (() => void) | undefined;
  /** Called for errors of the pipes, and with a {@link FrameError} for each frame that is not a valid message. */
  onerror?: ((error: Error) => void) | undefined;
  /** Called for each message. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  onmessage?: ((message: SdkMessage, extra?: any) => void) | undefined;
  /** Starts to read. The SDK's `connect()` calls it. */
  start(): Promise<void>;
  /** Sends a message, and resolves when there is room for the next one. It rejects if the pipe has closed. */
  send(message: SdkMessage): Promise<void>;
  /** Closes the connection. */
  close(): Promise<void>;
  /** Holds messages to this revision from now on, unless the options name rules. */
  setProtocolVersion(version: string): void;
}

export interface StdioServerOptions extends ReaderOptions {
  /**
   * How long requests in flight may take after the end of the input, in milliseconds: 10,000 by default. The transport
   * closes when they are answered, or after this time.
   */
  drainTimeout?: number;
}

/** The server's end of the stdio transport. It reads and writes the pipes of this process unless it is given others. */
export class StdioServerTransport extends StdioTransport {
  constructor(stdin?: Readable, stdout?: Writable, options?: StdioServerOptions);
}

/** How to start a server. */
export interface StdioServerParameters extends ReaderOptions {
  /** The program. */
  command: string;
  /** Its arguments. */
  args?: string[];
  /** Variables in addition to those of {@link getDefaultEnvironment}. */
  env?: Record<string, string>;
  /** What becomes of its standard error: `"inherit"` by default. */
  stderr?: IOType | Stream | number;
  /** Its working directory: by default that of this process. */
  cwd?: string;
  /**
   * What starts it: by default `cross-spawn` on Windows, if it is installed, as it is with the SDK, and Node's `spawn`
   * elsewhere.
   */
  spawn?: typeof spawn;
}

/** The client's end of the stdio transport. It starts the server as a child process. */
export class StdioClientTransport extends StdioTransport {
  constructor(server: StdioServerParameters);
  /** The server's standard error, if that is `"pipe"` or `"overlapped"`. It may be read before `start()`. */
  get stderr(): Stream | null;
  /** The id of the server's process while it runs, or null. */
  get pid(): number | null;
}

/** The names of the variables that a server inherits. */
export const DEFAULT_INHERITED_ENV_VARS: string[];

/** The variables that a server inherits, with their values. */
export function getDefaultEnvironment(): Record<string, string>;
