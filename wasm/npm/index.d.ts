// The module in files beside this one: the fast build if the engine has SIMD, otherwise the small one.

export * from "./lib/types.js";
