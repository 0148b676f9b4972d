#!/usr/bin/env node
// Greets somebody. One JSON object comes on standard input; each line on standard output is one event.
const emit = (type, fields) => process.stdout.write(JSON.stringify({ version: "0", type, ...fields }) + "\n");

function fail(errorCode, errorMessage) {
  emit("error", { errorCode, errorMessage });
  emit("done", { ok: false, summary: errorMessage });
}

function main({ input = {}, context = {} }) {
  const { who = "stranger", times = 1 } = input;
  if (typeof who !== "string" || who === "") return fail("BAD_WHO", "who must be a name");
  if (!Number.isInteger(times) || times < 1 || times > 10)
    return fail("BAD_TIMES", "times must be a whole number from 1 to 10");
  const said = `${context.config?.greeting ?? "Good day"}, ${who}!`;
  for (let time = 1; time <= times; time++) emit("log", { level: "info", message: said });
  emit("state_patch", { patch: { greeted: { [who]: true } } });
  emit("done", { ok: true, summary: said, output: { said, times, tell: `${who} greets you back.` } });
}

let request = "";
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) request += chunk;

try {
  const parsed = JSON.parse(request || "{}");
  if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) throw new Error("it is no object");
  main(parsed);
} catch (problem) {
  fail("BAD_REQUEST", `The request cannot be read: ${problem.message}`);
}
