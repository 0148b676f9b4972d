// A stage for working on the page without the engine: the built files, a small story and every kind of trouble.
// node dev/server.mjs [port]. Choices: 1 goes well, 2 rolls dice, 3 meets a failing skill, 4 exhausts the planner.
import { createServer } from "node:http";
import { readFileSync, existsSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { WebSocketServer } from "ws";
import * as fixtures from "./fixtures.mjs";

const STATIC = new URL("../../src/narratoria/web/static/", import.meta.url).pathname;
const PORT = Number(process.argv[2] ?? 8720);
const SLOW = Number(process.env.SLOW ?? 1);
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const HEADERS = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data: blob:; media-src 'self'; style-src 'self'; script-src 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

const world = fixtures.world();
const log = [];
const sockets = new Set();
const wait = (ms) => new Promise((done) => setTimeout(done, ms * SLOW));

function emit(type, fields = {}) {
  const event = { id: log.length + 1, turn: world.scenes.length + 1, at: new Date().toISOString(), type, ...fields };
  log.push(event);
  for (const socket of sockets) socket.send(JSON.stringify(event));
}

async function tell(choice, index) {
  world.busy = true;
  world.begun = log.length;
  emit("turn_started", { choice });
  await wait(250);
  const plan = fixtures.plan();
  const attempts = index === 3 ? 5 : index === 2 ? 2 : 1;
  const errors = [];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    emit("plan_made", {
      plan,
      attempt,
      planner: attempt === 1 ? "scorer" : "patterns",
      reasons: attempt > 1 ? ["torch-lighter failed"] : [],
    });
    for (const tool of plan.tools) {
      const fails = attempt < attempts && tool.toolId === "t3";
      emit("tool_started", { toolId: tool.toolId, skill: tool.skill, script: tool.script, attempt: 1 });
      emit("tool_log", { toolId: tool.toolId, level: "debug", message: "read the request" });
      await wait(90);
      emit("tool_log", {
        toolId: tool.toolId,
        level: fails ? "warn" : "info",
        message: fails ? "the wick is damp" : `answered for ${choice.text.slice(0, 30)}`,
      });
      if (fails) {
        emit("tool_retrying", {
          toolId: tool.toolId,
          error: { code: "DAMP", message: "the wick is damp" },
          delayMs: 100,
        });
        await wait(100);
        emit("tool_started", { toolId: tool.toolId, skill: tool.skill, script: tool.script, attempt: 2 });
        errors.push(`torch-lighter: the wick is damp (attempt ${attempt})`);
      }
      emit("tool_finished", {
        toolId: tool.toolId,
        state: fails ? "failed" : "success",
        ms: 40 + Math.round(Math.random() * 300),
        error: fails ? { code: "DAMP", message: "The wick is damp and does not take the flame." } : null,
      });
      if (fails) break;
    }
  }
  if (index === 2) {
    emit("notice", {
      kind: "tool_failure",
      skill: "torch-lighter",
      message: "The torch-lighter skill failed. The story continues without it…",
      details: { code: "DAMP", message: "The wick is damp and does not take the flame.", attempts: 2 },
    });
    emit("protocol_violation", {
      toolId: "t3",
      message: "line 4: type 'glow' is not one of log, state_patch, asset, ui_event, error, done",
    });
  }
  if (index === 3) emit("replan_exhausted", { attempts: 5, errors });
  if (index === 1)
    emit("dice_rolled", {
      formula: "2d6",
      total: 10,
      rolls: [5, 4],
      outcome: "success",
      modifiers: { "perfect pitch": 1 },
    });
  if (index === 0)
    emit("ui", { event: "weather_front", payload: { from: "north-west", snow: true, hours: 3 }, toolId: "t2" });
  const scene = fixtures.scene(world.scenes.length + 1, choice.text, index);
  for (const word of scene.paragraphs.join("\n\n").match(/\S+\s*/g)) {
    emit("narration_delta", { text: word });
    await wait(28);
    if (world.cancelled) break;
  }
  world.busy = false;
  if (world.cancelled) {
    world.cancelled = false;
    return emit("turn_cancelled");
  }
  emit("state_changed", { patch: { weather: "snow" } });
  world.scenes.push(scene);
  emit("scene_ready", { scene });
}

function api(method, path, query, body) {
  const p = path.split("/").slice(2);
  if (path === "/api/home")
    return {
      version: "0.9.0",
      campaigns: fixtures.campaigns,
      stories: world.stories,
      model: { name: "smollm2", title: "SmolLM2", tier: "embellish", state: "ready", progress: 1 },
      freeText: true,
    };
  if (p[0] === "campaigns") {
    const card = fixtures.campaigns.find((one) => one.name === p[1]);
    if (p[2] === "validation") return { problems: fixtures.problems };
    if (p[2] === "provenance") return { assets: fixtures.origins };
    return card;
  }
  if (path === "/api/settings") return method === "PUT" ? Object.assign(world.settings, body) : world.settings;
  if (path === "/api/skills") return fixtures.skills;
  if (p[0] === "skills" && p[2] === "config")
    return body.values.temperature > 2
      ? [
          422,
          {
            error: {
              code: "invalid",
              message: "Not saved",
              fields: [{ field: "temperature", message: "2.5 is more than 2; choose a number from 0 to 2." }],
            },
          },
        ]
      : fixtures.skills[0];
  if (p[0] === "skills") return {};
  if (path === "/api/models") return { models: fixtures.models };
  if (path === "/api/privacy") return fixtures.privacy;
  if (path === "/api/stories") return world.stories[0];
  if (p[0] !== "stories") return [404, { error: { code: "no_such_route", message: "There is nothing here." } }];
  switch (p[2]) {
    case undefined:
      return {
        story: world.stories[0],
        scenes: world.scenes,
        first: 1,
        state: fixtures.state,
        busy: world.busy,
        lastEventId: world.busy ? world.begun : log.length,
        palette: [],
        interrupted: null,
        kept: true,
        ownWords: true,
      };
    case "choose":
      if (world.busy) return [409, { error: { code: "busy", message: "A scene is being told." } }];
      void tell(world.scenes.at(-1).choices[body.choice], body.choice);
      return [202, { turn: world.scenes.length + 1 }];
    case "say":
      if (!/[aeiou]{1}[a-z]* /i.test(`${body.text} `)) {
        emit("asked_back", {
          words: body.text,
          question: "Wren waits for you to say it again.",
          readings: ["Ask Wren about it", "Look at the bell rope", "Wait and see"],
        });
        return [202, { turn: 1 }];
      }
      void tell({ text: body.text }, 0);
      return [202, { turn: 1 }];
    case "retry":
      world.scenes.pop();
      void tell({ text: "Again" }, 0);
      return [202, { turn: 1 }];
    case "cancel":
      world.cancelled = true;
      return {};
    case "undo":
      world.scenes.pop();
      return {};
    case "tree":
      return { nodes: fixtures.nodes };
    case "compare":
      return fixtures.comparison;
    case "turns":
      return p[3] ? fixtures.past : fixtures.turns;
    case "assets":
      return fixtures.assets;
    case "state":
      return { state: fixtures.state, changed: ["/weather", "/inventory/tuning fork", "/flags/promised-wren"] };
    case "standings":
      return fixtures.standings;
    case "memories":
      return fixtures.memories.map((memory, i) => ({
        ...memory,
        relevance: query.get("query") ? [0.94, 0.81, 0.55, 0.31][i % 4] : null,
      }));
    case "why":
      return {
        kind: p[3],
        id: p[4],
        title: "A promise on the causeway",
        text: "You promised Wren that the bell would be hers to ring.",
        turn: 3,
        record: { witnesses: ["Wren", "Brother Aldous"], significance: "high" },
      };
    default:
      return {};
  }
}

const server = createServer((request, response) => {
  const url = new URL(request.url, "http://x");
  let raw = "";
  request.on("data", (chunk) => (raw += chunk));
  request.on("end", () => {
    const send = (status, type, content) =>
      response.writeHead(status, { ...HEADERS, "content-type": type }).end(content);
    if (url.pathname.startsWith("/api/art/"))
      return send(200, "image/svg+xml", fixtures.face(decodeURIComponent(url.pathname.slice(9))));
    if (url.pathname.startsWith("/api/")) {
      let body = {};
      try {
        body = JSON.parse(raw || "{}");
      } catch {
        /* a file */
      }
      const answer = api(request.method, url.pathname, url.searchParams, body);
      const [status, data] = Array.isArray(answer) && typeof answer[0] === "number" ? answer : [200, answer];
      return send(status, "application/json", JSON.stringify(data));
    }
    const file = join(STATIC, url.pathname);
    const path = existsSync(file) && statSync(file).isFile() ? file : join(STATIC, "index.html");
    send(200, TYPES[extname(path)] ?? "application/octet-stream", readFileSync(path));
  });
});
new WebSocketServer({ server }).on("connection", (socket, request) => {
  const after = Number(new URL(request.url, "http://x").searchParams.get("after") ?? 0);
  for (const event of log.slice(after)) socket.send(JSON.stringify(event));
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
});
server.listen(PORT, "127.0.0.1", () => console.log(`http://127.0.0.1:${PORT}`));
