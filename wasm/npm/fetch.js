// The module in a file beside this one, which pages fetch: the fast build if the engine has SIMD, otherwise the small
// one. It has a top-level await.

import { bind } from "./lib/bind.js";
import { hasSimd, read } from "./lib/load.js";

const isFast = hasSimd();
// Bundlers recognise URLs in this form.
const file = isFast
  ? new URL("./fast.wasm", import.meta.url)
  : new URL("./small.wasm", import.meta.url);

export const { MessageStream, MessageTransform, parse, build } = bind(
  await read(file),
  isFast ? "fast" : "small",
);
export { JsonNumber } from "./lib/text.js";
