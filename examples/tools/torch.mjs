#!/usr/bin/env node
// Lights a torch, or puts it out: a tool in JavaScript, without dependencies.

const emit = (type, fields) => process.stdout.write(JSON.stringify({ version: "0", type, ...fields }) + "\n");

function light({ operation, input = {} }) {
  const name = input.name || "torch";
  const lit = operation !== "douse";

  emit("log", { level: "info", message: `${lit ? "Lighting" : "Dousing"} the ${name}` });
  emit("state_patch", { patch: { flags: { torchLit: lit } } });
  emit("ui_event", { event: "torch", payload: { lit } });
  emit("done", { ok: true, summary: `The ${name} ${lit ? "burns" : "is out"}.`, output: { name, lit } });
}

let request = "";
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) request += chunk;

try {
  light(JSON.parse(request || "{}"));
} catch (problem) {
  emit("error", { errorCode: "BAD_REQUEST", errorMessage: String(problem) });
  emit("done", { ok: false });
}
