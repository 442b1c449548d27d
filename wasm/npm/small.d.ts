// The small build.

export * from "./lib/types.js";
