// The module as text in JavaScript, for programs that are one file, and for places where nothing can be fetched.

export * from "./lib/types.js";
