// The module as text in JavaScript, for single-file programs, and for environments that can't fetch files.

export * from "./lib/types.js";
