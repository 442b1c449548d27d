// The full build, in a file beside this one: every framing, the strict rules, and findings.

export * from "./lib/types.js";
