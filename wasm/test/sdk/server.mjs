// A server of the official SDK: `node server.mjs MAJOR TRANSPORT`, where the transport is "sdk" or "tautline".

import { StdioServerTransport } from "tautline/mcp";
import { z } from "zod";

const [major, choice] = process.argv.slice(2);
const isFirst = major === "1";
const { McpServer } = await import(
  isFirst ? "@modelcontextprotocol/sdk/server/mcp.js" : "@modelcontextprotocol/server"
);
const stdio = await import(
  isFirst ? "@modelcontextprotocol/sdk/server/stdio.js" : "@modelcontextprotocol/server/stdio"
);

function build() {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  const text = z.object({ text: z.string() });
  const inputSchema = isFirst ? text.shape : text;
  const answer = (said) => ({ content: [{ type: "text", text: said }] });
  server.registerTool("echo", { inputSchema }, ({ text }) => answer(text));
  server.registerTool("slow", { inputSchema }, async ({ text }) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return answer(text);
  });
  return server;
}

const make = () => (choice === "sdk" ? new stdio.StdioServerTransport() : new StdioServerTransport());

if (isFirst) {
  const server = build();
  server.server.onerror = (error) => console.error(`onerror: ${error.message}`);
  await server.connect(make());
} else {
  stdio.serveStdio(build, { transport: make(), onerror: (error) => console.error(`onerror: ${error.message}`) });
}
