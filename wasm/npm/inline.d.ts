// Another name of the main entry, whose module is inlined.

export * from "./lib/types.js";
