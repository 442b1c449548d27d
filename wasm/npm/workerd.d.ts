// The module as an import, for Cloudflare Workers.

export * from "./lib/types.js";
