import { createInterface } from "node:readline";

/** The lines of a stream, with a time limit for each read. */
export class Lines {
  #lines = [];
  #wake = () => {};
  #hasEnded = false;

  constructor(input) {
    const reader = createInterface({ input });
    reader.on("line", (line) => this.#lines.push(line) && this.#wake());
    reader.on("close", () => {
      this.#hasEnded = true;
      this.#wake();
    });
  }

  /** Whether the stream has ended. Lines may still be unread. */
  get hasEnded() {
    return this.#hasEnded;
  }

  /** Returns the next line, or undefined if none comes in time or the stream ends. */
  async next(timeout = 60_000) {
    if (this.#lines.length === 0 && !this.#hasEnded) {
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, timeout);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#lines.shift();
  }
}
