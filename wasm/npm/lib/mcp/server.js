// The server's transport: the pipes of this process.

import process from "node:process";

import { StdioTransport } from "./transport.js";

/** The time for requests in flight after the end of the input, in milliseconds. */
const DRAIN_TIMEOUT = 10_000;

/** Writes may fail after the transport was closed. Without a listener, that would end the process. */
const ignore = () => {};

export class StdioServerTransport extends StdioTransport {
  #stdin;
  #stdout;
  #drainTimeout;
  #isDraining = false;
  #hasStarted = false;
  #timer;

  #ondata = (chunk) => this._read(chunk);
  #onerror = (error) => this._report(error);
  #onend = () => this.#drain();
  #onstdouterror = (error) => {
    this._report(error);
    this._shut();
  };

  constructor(stdin = process.stdin, stdout = process.stdout, options = {}) {
    super(options);
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#drainTimeout = options.drainTimeout ?? DRAIN_TIMEOUT;
  }

  get _isClient() {
    return false;
  }

  async start() {
    if (this.#hasStarted) throw new Error("the transport has started already: connect() calls start()");
    if (this._hasEnded) throw new Error("the transport is closed");
    this.#hasStarted = true;
    if (this._wantsFindings) await this._loadJudge();
    if (this._hasEnded) throw new Error("the transport was closed before it was ready");
    const [stdin, stdout] = [this.#stdin, this.#stdout];
    stdout.off("error", ignore);
    stdout.on("error", this.#onstdouterror);
    stdin.on("data", this.#ondata);
    stdin.on("error", this.#onerror);
    stdin.on("end", this.#onend);
    stdin.on("close", this.#onend);
    if (stdin.readableEnded || stdin.destroyed) setImmediate(this.#onend);
  }

  async close() {
    if (!this._end()) return;
    if (this.#hasStarted) this.#detach();
    this.onclose?.();
  }

  #detach() {
    clearTimeout(this.#timer);
    const [stdin, stdout] = [this.#stdin, this.#stdout];
    stdin.off("data", this.#ondata);
    stdin.off("error", this.#onerror);
    stdin.off("end", this.#onend);
    stdin.off("close", this.#onend);
    stdout.off("error", this.#onstdouterror);
    if (!stdout.listeners("error").includes(ignore)) stdout.on("error", ignore);
    // Other listeners may still read from it.
    if (stdin.listenerCount("data") === 0) stdin.pause();
  }

  /** After the end of the input, waits until requests in flight are answered, but no longer than the drain timeout. */
  #drain() {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this._finish();
    if (this._owesAnswers) {
      this.#timer = setTimeout(() => this._shut(), this.#drainTimeout);
      this.#timer.unref?.();
    } else {
      this._shut();
    }
  }

  _answeredAll() {
    if (this.#isDraining) this._shut();
  }

  async _write(text) {
    if (!this.#stdout.writable) throw new Error("stdout is closed");
    await this._writeTo(this.#stdout, text);
  }
}
