// The full build: every framing, the strict rules, and findings.

export * from "./lib/types.js";
