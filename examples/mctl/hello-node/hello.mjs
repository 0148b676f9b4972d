#!/usr/bin/env node
// Greets somebody: an m-control tool in JavaScript, without dependencies.

const toolId = "hello-node";
const emit = (type, payload = {}) =>
  process.stdout.write(JSON.stringify({ type, ts: new Date().toISOString(), toolId, payload }) + "\n");

function greet({ context = {}, input = {} }) {
  const greeting = context.config?.["hello.greeting"] ?? "Hello";
  if (input === null || typeof input !== "object" || Array.isArray(input)) {
    emit("error", { message: 'input must be an object: {"name": "Ada"}', code: "BAD_INPUT", recoverable: true });
    return 1;
  }
  const name = input.name ?? "world";
  if (typeof name !== "string" || !name) {
    emit("error", { message: "name must be a text, as in name=Ada", code: "BAD_NAME", recoverable: true });
    return 1;
  }
  emit("log", { level: "info", message: `Greeting ${name}` });
  emit("result", { greeting: `${greeting}, ${name}!` });
  return 0;
}

emit("started");
let request = "";
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) request += chunk;

// Exit code 0: it worked; 1: it did not, and an `error` says why; 2 or more is a crash.
// Set rather than process.exit(): that would cut off lines still on their way.
try {
  process.exitCode = greet(JSON.parse(request || "{}"));
} catch {
  emit("error", { message: "the request is not what mctl sends", code: "BAD_REQUEST", recoverable: false });
  process.exitCode = 1;
}
