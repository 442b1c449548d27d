// Ways to get a module.

/** A module of 29 bytes with one SIMD instruction, which engines without SIMD reject. */
const SIMD = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 17, 26, 11,
);

/** Returns whether the engine has SIMD. */
export function hasSimd() {
  return WebAssembly.validate(SIMD);
}

/** Reads a module from a file or the network, depending on the URL. */
export async function read(url) {
  if (url.protocol === "file:") {
    // Bundlers for browsers lack this module, and resolve names that are literals in the import.
    const name = "node:fs/promises";
    const { readFile } = await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} can't be fetched: status ${response.status}`);
  // Streaming fails if the server sends the wrong content type.
  const isTyped = response.headers.get("content-type")?.startsWith("application/wasm");
  return isTyped && WebAssembly.compileStreaming
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Compiles a module from Base64. It is small enough to be compiled in the main thread of a page, so no caller has to wait
 * for a promise.
 */
export function moduleOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return new WebAssembly.Module(bytes);
}
