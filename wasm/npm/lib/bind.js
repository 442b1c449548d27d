// The classes and functions of one instance of the module.

import { Engine } from "./engine.js";
import { encodeRules } from "./options.js";
import { item, Rows } from "./received.js";
import { bytesOf, streamClass } from "./stream.js";
import { transformClass } from "./transform.js";

/** Instantiates a module, and returns the API for users. `name` is the name of the build. */
export function bind(module, name = "bound") {
  // Synchronous instantiation is fine here, because the module is already compiled.
  const engine = new Engine(new WebAssembly.Instance(module));
  const MessageStream = streamClass(engine);

  /**
   * Parses bytes that are one message, such as the body of an HTTP request. The item is valid until the bytes are
   * overwritten.
   */
  function parse(message, rules) {
    const frame = bytesOf(message);
    const choice = encodeRules(engine, rules);
    const rows = new Rows(engine.parse(frame, choice), engine, choice, undefined);
    rows.bytes = frame;
    rows.isOwned = typeof message === "string";
    return item(rows, 0);
  }

  /** The name of the build, and the memory that it has taken. */
  const build = {
    name,
    get memorySize() {
      return engine.memorySize;
    },
  };
  return { MessageStream, MessageTransform: transformClass(MessageStream), parse, build };
}
