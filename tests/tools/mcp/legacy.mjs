// A server in another language that knows only the protocol's first handshake, and no SDK.
import { createInterface } from "node:readline";

const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "legacy", version: "1" };
    answer(id, { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo });
  } else if (method === "tools/list") {
    answer(id, { tools: [{ name: "ask", inputSchema: { type: "object" } }] });
  } else if (method === "tools/call") {
    const tell = `You said: ${params.arguments.action}.`;
    answer(id, { content: [{ type: "text", text: JSON.stringify({ tell, about: "echo" }) }] });
  } else if (id !== undefined) {
    console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "not known here" } }));
  }
}
