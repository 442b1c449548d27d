// The client's transport: a child process and its pipes.

import { spawn } from "node:child_process";
import process from "node:process";
import { PassThrough } from "node:stream";

import { StdioTransport } from "./transport.js";

/** The time for a child to exit before the next step of the shutdown, in milliseconds. */
const GRACE = 2000;

const isWindows = process.platform === "win32";

/** The variables that a server inherits. Others may contain secrets. */
export const DEFAULT_INHERITED_ENV_VARS = isWindows
  ? [
      "APPDATA",
      "COMSPEC",
      "HOMEDRIVE",
      "HOMEPATH",
      "LOCALAPPDATA",
      "PATH",
      "PATHEXT",
      "PROCESSOR_ARCHITECTURE",
      "PROGRAMDATA",
      "PROGRAMFILES",
      "PROGRAMFILES(X86)",
      "PROGRAMW6432",
      "SYSTEMDRIVE",
      "SYSTEMROOT",
      "TEMP",
      "USERNAME",
      "USERPROFILE",
      "WINDIR",
    ]
  : ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/** Returns the inherited variables, without exported shell functions, which some shells would run. */
export function getDefaultEnvironment() {
  const inherited = DEFAULT_INHERITED_ENV_VARS.map((name) => [name, process.env[name]]);
  return Object.fromEntries(inherited.filter(([, value]) => value !== undefined && !value.startsWith("()")));
}

/**
 * Returns the function that starts a server. On Windows, commands such as npx are scripts, which only cross-spawn
 * finds. The SDK depends on cross-spawn.
 */
async function spawner() {
  if (!isWindows) return spawn;
  // Without the comment, webpack would refuse to build a program that does not have it.
  return import(/* webpackIgnore: true */ "cross-spawn").then(
    (module) => module.default,
    () => spawn,
  );
}

const hasExited = (child) => child.exitCode !== null || child.signalCode !== null;

/** Waits for an event, but not longer than the grace period. */
function within(grace, child, event) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, grace);
    child.once(event, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export class StdioClientTransport extends StdioTransport {
  #child;
  #hasStarted = false;
  #closing;
  #hasClosed = false;
  #stderr = null;
  // The SDK's client starts a second transport with the same parameters to detect the server's era. It looks for them
  // here.
  _serverParams;

  constructor(server) {
    super(server);
    this._serverParams = server;
    if (server.stderr === "pipe" || server.stderr === "overlapped") this.#stderr = new PassThrough();
  }

  get _isClient() {
    return true;
  }

  /** The standard error of the server, if it is piped, or null. It may be read before start(). */
  get stderr() {
    return this.#stderr ?? this.#child?.stderr ?? null;
  }

  get pid() {
    return this.#child?.pid ?? null;
  }

  async start() {
    if (this.#hasStarted) throw new Error("the transport has started already: connect() calls start()");
    this.#hasStarted = true;
    const { command, args = [], env, cwd, stderr = "inherit" } = this._serverParams;
    const start = this._serverParams.spawn ?? (await spawner());
    if (this._wantsFindings) await this._loadJudge();
    if (this._hasEnded) throw new Error("the transport was closed before the server was started");
    const child = start(command, args, {
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ["pipe", "pipe", stderr],
      shell: false,
      windowsHide: isWindows,
      cwd,
    });
    this.#child = child;
    const report = (error) => this._report(error);
    child.stdin?.on("error", report);
    child.stdout?.on("error", report);
    child.stdout?.on("data", (chunk) => this._read(chunk));
    child.stdout?.on("end", () => {
      this._finish();
      // Without the server's output, no more answers can arrive.
      this._shut();
    });
    if (this.#stderr !== null) child.stderr?.pipe(this.#stderr);
    child.on("close", () => this.#closed());
    await new Promise((resolve, reject) => {
      child.on("error", (error) => {
        reject(error);
        report(error);
      });
      child.on("spawn", resolve);
    });
  }

  /** Ends the server's input. If the server does not exit by itself, ends the server. */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    const child = this.#child;
    if (child !== undefined) {
      child.stdin?.end();
      for (const signal of ["SIGTERM", "SIGKILL"]) {
        if (!hasExited(child)) await within(GRACE, child, "close");
        if (!hasExited(child)) child.kill(signal);
      }
      if (!hasExited(child)) await within(GRACE, child, "exit");
      // Processes that the server has started may hold its pipes.
      this.#destroy(child);
    }
    this.#closed();
  }

  /** Called by the SDK's client for a transport that it started itself. */
  async _dispose() {
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined) {
      child.stdin?.end();
      for (const signal of ["SIGTERM", "SIGKILL"]) {
        if (hasExited(child)) break;
        child.kill(signal);
        await within(GRACE / 2, child, "exit");
      }
      this.#destroy(child);
    }
    this._end();
  }

  #destroy(child) {
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
  }

  #closed() {
    this.#child = undefined;
    this._end();
    if (this.#hasClosed) return;
    this.#hasClosed = true;
    this.onclose?.();
  }

  async _write(text) {
    const input = this.#child?.stdin;
    if (!input?.writable) throw new Error("not connected: the server is not running");
    await this._writeTo(input, text);
  }
}
