// The small build, in a file beside this one.

export * from "./lib/types.js";
