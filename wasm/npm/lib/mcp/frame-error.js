// The error that onerror gets for a frame that is not a message.

import { decode } from "../text.js";

/** The number of bytes of a frame that an error shows. */
const EXCERPT = 120;

/** A frame that is not a valid message. The connection continues after it. */
export class FrameError extends Error {
  constructor(fault) {
    super(`line ${fault.line}, byte ${fault.at}: ${fault.message} (${fault.rule}, ${fault.clause})`);
    this.name = "FrameError";
    this.rule = fault.rule;
    this.at = fault.at;
    this.line = fault.line;
    this.clause = fault.clause;
    this.help = fault.help;
    this.reply = fault.reply;
    this.excerpt = decode(fault.bytes.subarray(0, EXCERPT));
  }
}
