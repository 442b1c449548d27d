// The module in a file beside this one, which pages fetch: the fast build if the engine has SIMD, otherwise the small
// one. It has a top-level await.

export * from "./lib/types.js";
