#!/usr/bin/env node
// Keeps what it is told and recalls what it knows, through the host: needs `store:read` and `store:write`.

import net from "node:net";
import readline from "node:readline";

const emit = (type, fields) => process.stdout.write(JSON.stringify({ version: "0", type, ...fields }) + "\n");

// The host channel: one JSON-RPC message a line, over a socket that this process was given
function openHost({ NARRATORIA_HOST_FD: fd, NARRATORIA_HOST_PORT: port, NARRATORIA_HOST_TOKEN: token }) {
  if (!fd && !port) throw Object.assign(new Error("not started by Narratoria as part of a skill"), { code: "NO_HOST" });
  const socket = fd ? new net.Socket({ fd: Number(fd) }) : net.connect(Number(port), "127.0.0.1");
  const waiting = new Map();
  let last = 0;

  const giveUp = (problem) => {
    for (const { reject } of waiting.values()) reject(problem);
    waiting.clear();
  };
  socket.on("error", giveUp);
  socket.on("close", () => giveUp(new Error("the host closed the channel")));
  readline.createInterface({ input: socket, crlfDelay: Infinity }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(Object.assign(new Error(error.message), { code: error.data.reason }));
    else call?.resolve(result);
  });

  const ask = (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      socket.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    });
  if (!fd) ask("host.hello", { token }).catch(giveUp); // a port takes the token first
  return { ask, close: () => socket.end() };
}

let request = "";
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) request += chunk;

let host;
try {
  const { note, place = "", about = note } = JSON.parse(request || "{}").input ?? {};
  host = openHost(process.env);
  if (note) {
    await host.ask("store.store", { dataType: "memory", record: { summary: note, location: place } });
    emit("log", { level: "info", message: `Remembered: ${note}` });
  }
  const { records } = await host.ask("store.semanticSearch", { query: about, dataType: "memory", limit: 3 });
  emit("done", { ok: true, output: { recalled: records.map(({ record }) => record.summary) } });
} catch (problem) {
  emit("error", { errorCode: problem.code ?? "FAILED", errorMessage: problem.message });
  emit("done", { ok: false });
} finally {
  host?.close();
}
