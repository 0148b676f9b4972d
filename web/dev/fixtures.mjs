// What the stage plays: a few scenes at a drowned abbey, and a row of everything the panels can show.
import { readFileSync } from "node:fs";

const bundled = (name, file) =>
  JSON.parse(readFileSync(new URL(`../../src/narratoria/bundled/campaigns/${name}/${file}`, import.meta.url)));
const template = bundled("harrowmere", "characters/player/template.json");
const creation = {
  mode: template.character_creation.mode,
  guidance: template.character_creation.guidance,
  races: template.allowed_races,
  classes: template.allowed_classes,
  backgrounds: template.allowed_backgrounds,
  presets: template.presets,
  requiredAttributes: [],
  optionalAttributes: [{ name: "keepsake", prompt: "What do you carry that is of no use?" }],
  startingStats: template.starting_stats,
  statPoints: template.stat_points ?? 4,
  statRange: { min: 1, max: 10 },
  startingItems: template.starting_items ?? [],
  prompts: {},
};
const card = (name, extra) => {
  const manifest = bundled(name, "manifest.json");
  return {
    name,
    title: manifest.title,
    description: manifest.description,
    author: manifest.author,
    genre: manifest.genre,
    tone: manifest.tone,
    contentRating: manifest.content_rating,
    beyondLimits: "",
    warnings: manifest.content_warnings ?? [],
    cover: null,
    hours: manifest.estimated_playtime_hours,
    palette: [],
    generatedCount: 0,
    problems: { errors: 0, warnings: 0 },
    playable: true,
    creation: { mode: "freeform", guidance: "Whoever you are, it is snowing.", startingStats: {}, prompts: {} },
    ...extra,
  };
};
export const campaigns = [
  card("harrowmere", { creation }),
  card("tomorrows-post", {}),
  card("comet-tea-room", { generatedCount: 4, problems: { errors: 0, warnings: 2 } }),
];

export const face = (name) => {
  const hue = [...name].reduce((sum, letter) => sum + letter.codePointAt(0) * 7, 0) % 360;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="hsl(${hue} 35% 32%)"/><path d="M18 100c0-26 16-36 32-36s32 10 32 36z" fill="hsl(${hue + 40} 30% 22%)"/><circle cx="50" cy="44" r="21" fill="hsl(28 45% 72%)"/><path d="M27 44c0-22 12-30 23-30s23 8 23 30c-6-10-14-13-23-13s-17 3-23 13z" fill="hsl(${hue + 180} 25% 20%)"/><circle cx="43" cy="46" r="2.2" fill="#222"/><circle cx="57" cy="46" r="2.2" fill="#222"/><path d="M44 56q6 4 12 0" stroke="#633" fill="none" stroke-width="2"/></svg>`;
};

const because = [
  { kind: "memory", id: "m-3", text: "You promised Wren, on the causeway, that the bell would be hers to ring." },
  { kind: "standing", id: "wren", text: "Wren trusts you (+46)." },
];
const choices = [
  {
    text: "Ask Wren what her mother heard under the water",
    kind: "talk",
    hint: "She has not said it aloud in seven years.",
    because,
    difficulty: "easy",
  },
  {
    text: "Climb the scaffold and sound the cracked bell yourself",
    kind: "beat",
    difficulty: "risky",
    hint: "Your ear is good; the ladder is not.",
    because: [{ kind: "state", id: "inventory.tuning fork", text: "You carry a tuning fork." }],
  },
  { text: "Light a torch and go down into the flooded crypt", kind: "go", difficulty: "hard", because: [] },
  {
    text: "Tell Prior Odo that the third bell was never cast",
    kind: "beat",
    difficulty: "unlikely",
    hint: "He has written the opposite to the bishop.",
    because,
  },
];
const TEXTS = [
  [
    "The causeway goes under twice a day, and the carter who brought you has timed it so that neither of you need speak. When the abbey comes up out of the mist it does so from the top: first the tower, with its scaffold like a second, worse tower around it; then the roofs; and last the people, six of them, standing where the stones meet the grass as if they had been told to form a line.",
    "“You are the founder,” says the tallest, who wears a prior's ring and a fisherman's boots. “You are *late*, or the tide is early. In Harrowmere it comes to the same.”",
    "Behind him a girl of perhaps twelve is looking not at you but at the long case on your back, the one with the tuning forks in it, as though she could hear them through the leather.",
  ],
  [
    "You ask, and Wren considers the question the way she considers everything, by looking at the water until it gives in.",
    "“She said it was ringing,” she tells you. “The one that fell. She said it rings when somebody is about to lie.” A pause, in which the lake does nothing at all. “The Prior said she'd had a fever. He said it quite *loudly*.”",
    "From the tower, where no one is, comes a sound like a coin settling on a table. Wren does not turn her head. She has remembered, you see, what you promised her on the causeway, and she is waiting to find out what sort of promise it was.",
  ],
  [
    "The ladder holds, and then it holds again, and on the ninth rung it holds in a way that you feel in your teeth. Up here the wind has a grain to it, like wood. The bell hangs in its timbers with the crack running up one side, neat as a parting in a boy's hair.",
    "You set the fork to the lip and strike. What comes back is not one note but two, a hair apart, beating against each other slowly; and under them, from a direction that is not a direction, a third.",
    "Brother Aldous has come out into the yard below with his hands over his ears. He is the only one of them who has heard it. He is also, you notice, the only one who is not surprised.",
  ],
];
export function scene(number, action, index) {
  const paragraphs = TEXTS[number === 1 ? 0 : 1 + (index % 2)];
  return {
    number,
    action: number === 1 ? "Begin" : action,
    place: number === 1 ? "the-causeway" : index === 1 ? "bell-tower" : "abbey-yard",
    paragraphs,
    choices,
    type: "dialogue",
    mood: ["quiet wonder", "warm", "tense"][(number - 1) % 3],
    gameTime: 60 * number * 3,
    people: ["wren"],
    portraits: number === 1 ? {} : index === 1 ? { "brother-aldous": "/api/art/Aldous" } : { wren: "/api/art/Wren" },
    assets: [],
    beats: [],
    source: "storyteller",
    passages: paragraphs.map((_, i) => ({
      by: i === 0 ? "author" : "composer",
      because: i === 2 && number > 1 ? because : [],
    })),
    ...(index === 1
      ? {
          roll: {
            formula: "2d6",
            total: 10,
            rolls: [5, 4],
            outcome: "success",
            modifier: 1,
            modifiers: { "perfect pitch": 1 },
          },
        }
      : {}),
  };
}
export const plan = () => ({
  requestId: "r1",
  narrative: "Wren is asked about her mother; what she remembers colours the answer.",
  parallel: true,
  tools: [
    { toolId: "t1", skill: "memory", script: "recall", toolPath: "memory/recall", dependencies: [] },
    {
      toolId: "t2",
      skill: "npc-perception",
      script: "read-npc",
      toolPath: "npc-perception/read-npc",
      dependencies: [],
    },
    { toolId: "t3", skill: "torch-lighter", script: "light", toolPath: "torch-lighter/light", dependencies: ["t1"] },
    {
      toolId: "t4",
      skill: "storyteller",
      script: "narrate",
      toolPath: "storyteller/narrate",
      dependencies: ["t1", "t2", "t3"],
    },
    {
      toolId: "t5",
      skill: "player-choices",
      script: "offer-choices",
      toolPath: "player-choices/offer-choices",
      dependencies: ["t4"],
    },
  ],
});
const now = Date.now();
const story = (id, title, campaign, campaignTitle, place, scenes, minutes, days, extra = {}) => ({
  id,
  title,
  campaign,
  campaignTitle,
  cover: null,
  place,
  scenes,
  minutesPlayed: minutes,
  createdAt: new Date(now - days * 9e7).toISOString(),
  playedAt: new Date(now - days * 8.6e7).toISOString(),
  parent: null,
  branchedAt: null,
  ended: "",
  ...extra,
});
export const world = () => ({
  busy: false,
  begun: 0,
  cancelled: false,
  scenes: [scene(1, "Begin", 0), scene(2, choices[0].text, 0)],
  settings: {
    freeText: true,
    showEffects: true,
    textSize: 1,
    spacing: 1,
    theme: "dark",
    music: { volume: 0.5, on: true },
    readAloud: { voice: "", rate: 1 },
    motion: "system",
    contentLimits: { violence: "full", fear: "full", romance: "full", children: false },
  },
  stories: [
    story(
      "s1",
      "The Bells of Harrowmere",
      "harrowmere",
      "The Drowned Bells of Harrowmere",
      "The abbey yard",
      2,
      34,
      0.02,
    ),
    story("s2", "The snow letter", "tomorrows-post", "Tomorrow's Post", "The telegraph hut", 14, 96, 1),
    story("s3", "What Isak heard", "harrowmere", "The Drowned Bells of Harrowmere", "Bell tower", 9, 51, 3, {
      parent: "s1",
      branchedAt: 4,
    }),
    story("s4", "One more cup", "comet-tea-room", "The Comet Tea Room", "The tea room by the harbour", 22, 140, 9, {
      ended: "dawn",
    }),
  ],
});
export const state = {
  place: "abbey-yard",
  weather: "snow",
  persona: {
    name: "Isak Ven",
    race: "Fen-born",
    class: "Tuner",
    background: "Failed novice",
    stats: { strength: 3, stealth: 5, charisma: 4, craft: 4, lore: 8 },
    traits: ["at home on the water", "knows the offices"],
  },
  inventory: { "tuning fork": 1, "letter of engagement": 1, torch: { count: 2, lit: false } },
  perception: { wren: 46, "prior-odo": -22, "brother-aldous": 12 },
  reputation: { "the-abbey": 8, "the-lake-people": -5 },
  flags: { "arrived-late": true, "promised-wren": true },
};
const line = (...points) => points.map(([turn, score, reason]) => ({ turn, score, reason }));
export const standings = {
  people: [
    {
      id: "wren",
      name: "Wren",
      score: 46,
      words: "trusts you",
      portrait: "/api/art/Wren",
      history: line(
        [1, 4, "You bowed to her first"],
        [2, 12, ""],
        [3, 38, "A promise"],
        [5, 46, "You let her hold the fork"],
      ),
    },
    {
      id: "prior-odo",
      name: "Prior Odo",
      score: -22,
      words: "is wary of you",
      portrait: "/api/art/Odo",
      history: line([1, -8, "Late"], [3, 6, "Good manners at table"], [5, -22, "You asked about the third bell"]),
    },
    {
      id: "brother-aldous",
      name: "Brother Aldous",
      score: 12,
      words: "has not made up his mind",
      portrait: "/api/art/Aldous",
      history: line([2, 4, ""], [5, 12, "You heard it too"]),
    },
  ],
  factions: [
    {
      id: "the-abbey",
      name: "The Abbey of Harrowmere",
      score: 8,
      words: "tolerates you",
      history: line([1, 0, ""], [5, 8, "Work begun"]),
    },
    {
      id: "the-lake-people",
      name: "The lake people",
      score: -35,
      words: "avoid you",
      history: line([2, -10, ""], [4, -35, "You measured the drowned bell without asking"]),
    },
  ],
};
export const memories = [
  {
    id: "m-3",
    summary: "You promised Wren, on the causeway, that the new bell would be hers to ring.",
    turn: 3,
    episodic: true,
    characters: ["wren"],
    witnesses: ["brother-aldous"],
  },
  {
    id: "m-5",
    summary: "The cracked bell gave back two notes, and a third from nowhere; only Brother Aldous heard it with you.",
    turn: 5,
    episodic: true,
    characters: ["brother-aldous"],
    witnesses: [],
  },
  {
    id: "m-1",
    summary: "You came late over the causeway, and Prior Odo remarked on it.",
    turn: 1,
    episodic: false,
    characters: ["prior-odo"],
    witnesses: ["wren"],
  },
  {
    id: "m-2",
    summary: "Wren's mother heard the fallen bell ring before someone lied.",
    turn: 2,
    episodic: false,
    characters: ["wren"],
    witnesses: [],
  },
];
export const assets = [
  {
    assetId: "p1",
    kind: "portrait",
    mediaType: "image/svg+xml",
    url: "/api/art/Wren",
    metadata: { name: "Wren", style: "lorelei", seed: 12 },
    generated: true,
    provenance: { model: "dicebear", generatedAt: "2026-11-14" },
    turn: 2,
  },
  {
    assetId: "p2",
    kind: "portrait",
    mediaType: "image/svg+xml",
    url: "/api/art/Aldous",
    metadata: { name: "Brother Aldous" },
    generated: true,
    turn: 3,
  },
  {
    assetId: "p3",
    kind: "portrait",
    mediaType: "image/svg+xml",
    url: "/api/art/Odo",
    metadata: { name: "Prior Odo" },
    generated: false,
    turn: 1,
  },
  {
    assetId: "a1",
    kind: "ambience",
    mediaType: "audio/ogg",
    url: "/api/art/none",
    metadata: { title: "Wind over the lake" },
    generated: false,
    turn: 1,
  },
  {
    assetId: "m1",
    kind: "map",
    mediaType: "model/gltf+json",
    url: "/api/art/none",
    metadata: { title: "The abbey in three dimensions" },
    generated: true,
    turn: 2,
  },
];
export const turns = [
  { turn: 1, choice: { text: "Begin" }, ms: 1840, tools: 4, failed: 0 },
  { turn: 2, choice: { text: choices[0].text }, ms: 2630, tools: 5, failed: 1 },
];
export const past = {
  turn: 2,
  plan: plan(),
  failures: ["torch-lighter: the wick is damp"],
  tools: plan().tools.map((tool, i) => ({
    ...tool,
    state: i === 2 ? "failed" : "success",
    ms: 40 + i * 130,
    attempts: i === 2 ? 3 : 1,
    logs: [
      { level: "info", message: "read the request" },
      { level: i === 2 ? "error" : "info", message: i === 2 ? "the wick is damp" : "done" },
    ],
    error: i === 2 ? { code: "DAMP", message: "The wick is damp and does not take the flame." } : null,
  })),
  events: [],
};
export const nodes = [
  { id: "s1", title: "The Bells of Harrowmere", parent: null, branchedAt: null, scenes: 11 },
  { id: "s3", title: "What Isak heard", parent: "s1", branchedAt: 4, scenes: 9 },
  { id: "s5", title: "The honest way", parent: "s3", branchedAt: 6, scenes: 8 },
];
export const comparison = {
  common: 4,
  left: [
    {
      number: 5,
      action: "Tell Prior Odo the truth",
      place: "chapter-house",
      opening: "He listens with his eyes shut, which you take at first for prayer.",
    },
  ],
  right: [
    {
      number: 5,
      action: "Say nothing, and sound the bell",
      place: "bell-tower",
      opening: "The ladder holds, and then it holds again.",
    },
    {
      number: 6,
      action: "Climb down to Aldous",
      place: "abbey-yard",
      opening: "He is the only one who is not surprised.",
    },
  ],
};
export const problems = [
  {
    severity: "error",
    file: "plot/beats.json",
    line: 14,
    column: 19,
    pointer: "/beats/2/priority",
    message: "'urgent' is not a priority (critical, high, medium, low, optional)",
  },
  {
    severity: "warning",
    file: "characters/npcs/wren/profile.json",
    line: 3,
    column: 3,
    pointer: "/portrait",
    message: "no such picture: art/wren.png; leave it out and one is drawn",
  },
];
export const origins = [
  { path: "plot/premise.md", type: "text", generated: false },
  { path: "plot/beats.json", type: "text", generated: false },
  {
    path: "lore/locations/abbey.md",
    type: "text",
    generated: true,
    sourceModel: "Phi-3.5-mini",
    generatedAt: "2026-11-10T09:00:00Z",
  },
  {
    path: "art/cover.png",
    type: "image",
    generated: true,
    sourceModel: "dicebear",
    generatedAt: "2026-11-10T09:00:00Z",
  },
  { path: "music/lake.ogg", type: "audio", generated: false },
];
const field = (key, type, widget, title, extra = {}) => ({
  key,
  type,
  widget,
  title,
  description: "",
  required: false,
  sensitive: false,
  category: "",
  envVar: "",
  default: null,
  enum: [],
  minimum: null,
  maximum: null,
  fields: [],
  ...extra,
});
const skill = (name, displayName, description, extra = {}) => ({
  name,
  displayName,
  version: "1.0.0",
  description,
  author: "",
  bundled: true,
  enabled: true,
  available: true,
  condition: "ready",
  health: "healthy",
  problems: [],
  warnings: [],
  permissions: [],
  scripts: [{ name: "run" }],
  config: { schema: { title: "", description: "", fields: [] }, values: {}, secretsSet: [], sources: {} },
  ...extra,
});
export const skills = [
  skill("storyteller", "Storyteller", "Turns what happened into prose, with the model or without.", {
    permissions: [
      {
        name: "network",
        granted: false,
        why: "To reach a provider that you name below. Without it the storyteller stays on this machine.",
      },
      { name: "host", granted: true, why: "To ask the model on this machine." },
    ],
    config: {
      schema: {
        title: "",
        description: "",
        fields: [
          field("provider", "string", "dropdown", "Provider", {
            category: "model",
            enum: ["local", "ollama", "openai"],
            default: "local",
            description: "Who writes the prose.",
          }),
          field("model", "string", "text", "Model", { category: "model", default: "auto" }),
          field("apiKey", "string", "password", "API key", {
            category: "model",
            sensitive: true,
            envVar: "OPENAI_API_KEY",
            description: "Kept on this machine, never shown again.",
          }),
          field("temperature", "number", "number", "Temperature", {
            category: "style",
            default: 0.8,
            minimum: 0,
            maximum: 2,
            description: "How free the telling is.",
          }),
          field("maxTokens", "integer", "number", "Longest scene", {
            category: "style",
            default: 320,
            minimum: 50,
            maximum: 2000,
            description: "In tokens.",
          }),
          field("stylePrompt", "string", "textarea", "Style", {
            category: "style",
            description: "What the prose should sound like.",
          }),
          field("avoid", "array", "list", "Words to avoid", { category: "style" }),
          field("presentTense", "boolean", "toggle", "Present tense", {
            category: "style",
            default: true,
            description: "You open the door, not: you opened it.",
          }),
        ],
      },
      values: {
        provider: "local",
        model: "",
        apiKey: "••••••••",
        temperature: 0.8,
        maxTokens: 320,
        stylePrompt: "Dry, exact, a little haunted.",
        avoid: ["suddenly", "very"],
        presentTense: true,
      },
      secretsSet: ["apiKey"],
      sources: { provider: "config" },
    },
  }),
  skill("dice-roller", "Dice roller", "Rolls what the rules ask for, and shows it."),
  skill("memory", "Memory", "Keeps what happened, and finds it when it matters.", { health: "degraded" }),
  skill("reputation", "Reputation", "What factions think of you, and how it fades."),
  skill("npc-perception", "NPC perception", "What each person saw, and what they make of it."),
  skill("torch-lighter", "Torch lighter", "Lights torches, in dry weather.", {
    bundled: false,
    health: "temporaryFailure",
    problems: ["Its last three runs failed: the wick is damp."],
  }),
  skill("weather", "Weather", "Snow, mostly.", { enabled: false, available: false, condition: "disabled" }),
];
export const models = [
  {
    name: "phi",
    title: "Phi-3.5 mini instruct",
    summary: "Tells whole scenes; needs about 4 GB of memory.",
    licence: "MIT",
    sizeBytes: 2390000000,
    installed: false,
    active: false,
    removable: false,
    recommended: true,
    tier: null,
    tokensPerSecond: null,
    state: "fetching",
    progress: 0.37,
    reason: "",
  },
  {
    name: "smollm2",
    title: "SmolLM2 135M",
    summary: "Comes with Narratoria; colours the prose.",
    licence: "Apache-2.0",
    sizeBytes: 98000000,
    installed: true,
    active: true,
    removable: false,
    recommended: false,
    tier: "embellish",
    tokensPerSecond: 57,
    state: "here",
    progress: 1,
    reason: "",
  },
  {
    name: "qwen",
    title: "Qwen2.5 1.5B",
    summary: "A capable small model.",
    licence: "Apache-2.0",
    sizeBytes: 1100000000,
    installed: false,
    active: false,
    removable: false,
    recommended: false,
    tier: null,
    tokensPerSecond: null,
    state: "absent",
    progress: 0,
    reason: "",
  },
];
export const privacy = {
  networkAttempts: [
    {
      when: new Date(now - 4e6).toISOString(),
      who: "torch-lighter",
      what: "a connection to telemetry.example",
      allowed: false,
    },
  ],
  skillsWithNetwork: [],
  ran: [
    { skill: "storyteller", runs: 41, network: false },
    { skill: "memory", runs: 82, network: false },
  ],
  sandbox: {
    kind: "bubblewrap",
    isolates: true,
    enforced: [],
    guarantees: [
      { what: "No network", held: true, note: "" },
      { what: "No file outside its own folders", held: true, note: "" },
      { what: "No other process in sight", held: true, note: "" },
    ],
    advice: "",
  },
  places: {
    stories: "/home/you/.local/share/narratoria/narratoria.db",
    models: "/home/you/.local/share/narratoria/models",
  },
};
