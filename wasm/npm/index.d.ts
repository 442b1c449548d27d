// The module as text in JavaScript, so that every loader and every bundler has it: the fast build if the engine has
// SIMD, otherwise the small one.

export * from "./lib/types.js";
