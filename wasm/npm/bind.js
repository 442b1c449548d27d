// The API over a module that the caller has compiled.

export { bind } from "./lib/bind.js";
export { JsonNumber } from "./lib/text.js";
