import { createInterface } from "node:readline";

export const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** Serves the client on stdin, which may initialize the session and ping. For any other request, calls `call`. */
export async function serveTools(name, call) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    if (method === "initialize") {
      const { protocolVersion } = params;
      const serverInfo = { name, version: "1" };
      write({ jsonrpc: "2.0", id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    } else if (method === "ping") {
      write({ jsonrpc: "2.0", id, result: {} });
    } else {
      call(id, params);
    }
  }
}
