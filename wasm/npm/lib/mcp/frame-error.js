// The error that onerror gets for a frame that is not a message, or breaks a rule and is a message all the same.

import { decode } from "../text.js";

/** The number of bytes of a frame that an error shows. */
const EXCERPT = 120;

/** A frame that breaks a rule. The connection continues after it. */
export class FrameError extends Error {
  constructor({ line, at, message, rule, clause, help, bytes }, reply) {
    super(`line ${line}, byte ${at}: ${message} (${rule}, ${clause})`);
    this.name = "FrameError";
    this.rule = rule;
    this.at = at;
    this.line = line;
    this.clause = clause;
    this.help = help;
    this.reply = reply;
    this.excerpt = decode(bytes.subarray(0, EXCERPT));
  }
}
