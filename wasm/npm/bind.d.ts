// The API over a module that the caller has compiled.

import type { MessageStream, MessageTransform, parse } from "./lib/types.js";

export type * from "./lib/types.js";
export { JsonNumber } from "./lib/types.js";

/** What {@link bind} returns: the classes and functions of one instance of a module. */
export interface Bound<Name extends string = string> {
  MessageStream: typeof MessageStream;
  MessageTransform: typeof MessageTransform;
  parse: typeof parse;
  build: {
    /** The name that was passed to {@link bind}. */
    readonly name: Name;
    /** The size of the module's memory, in bytes. It never shrinks. */
    readonly memorySize: number;
  };
}

/**
 * Instantiates one of the package's modules, of the same version as the JavaScript, and returns the API over it. Each
 * call makes an instance with memory of its own. `name` is what `build.name` returns, `"bound"` by default.
 *
 * @throws TypeError if it is not a `WebAssembly.Module`.
 * @throws WebAssembly.LinkError or RangeError if the engine refuses to instantiate it.
 */
export declare function bind<Name extends string = "bound">(module: WebAssembly.Module, name?: Name): Bound<Name>;
