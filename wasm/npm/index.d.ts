// The module in files beside this one: the fast build where the engine has SIMD, the small one elsewhere.

export * from "./lib/types.js";
