// Writes src/styles/tokens.css: Material 3 colour roles from the deep-purple seed, and one tint for each mood.
// deep paths: the package's own index does not load in Node, and its exports hide these
import { Hct } from "./node_modules/@material/material-color-utilities/hct/hct.js";
import { argbFromHex, hexFromArgb } from "./node_modules/@material/material-color-utilities/utils/string_utils.js";
import { writeFileSync } from "node:fs";

const SEED = Hct.fromInt(argbFromHex("#673ab7"));
const MOODS = { warm: 68, hope: 88, danger: 26, dread: 350, sorrow: 262, wonder: 322, calm: 196, wild: 142, cold: 228 };

const tone = (hue, chroma, t) => hexFromArgb(Hct.from(((hue % 360) + 360) % 360, chroma, t).toInt());

function roles(hue, dark, seeded) {
  const neutral = dark ? 9 : 7;
  const t = (d, l) => (dark ? d : l);
  const c = (chroma, d, l, h = hue) => tone(h, chroma, t(d, l));
  return {
    primary: c(seeded ? 48 : 44, 80, 40),
    "on-primary": c(48, 20, 100),
    "primary-container": c(seeded ? 44 : 30, seeded ? 30 : 27, 90),
    "on-primary-container": c(40, 90, 12),
    secondary: c(18, 80, 40),
    "secondary-container": c(20, 26, 90),
    "on-secondary-container": c(20, 90, 14),
    tertiary: c(34, 80, 40, hue + 60),
    "tertiary-container": c(34, 30, 90, hue + 60),
    "on-tertiary-container": c(34, 90, 12, hue + 60),
    surface: c(neutral, 5, 98),
    "surface-lowest": c(neutral, 3, 100),
    "surface-low": c(neutral, 9, 96),
    "surface-container": c(neutral, 12, 94),
    "surface-high": c(neutral, 16, 91.5),
    "surface-highest": c(neutral, 21, 89),
    "on-surface": c(6, 91, 10),
    "on-surface-variant": c(12, 78, 32),
    outline: c(12, 60, 48),
    "outline-variant": c(12, 28, 80),
  };
}

function fixed(dark) {
  const t = (h, c, d, l) => tone(h, c, dark ? d : l);
  return {
    error: t(25, 84, 80, 40),
    "on-error": t(25, 84, 20, 100),
    "error-container": t(25, 42, 24, 92),
    "on-error-container": t(25, 84, 90, 16),
    good: t(150, 44, 80, 36),
    "good-container": t(150, 32, 24, 91),
    "on-good-container": t(150, 32, 90, 16),
    warn: t(78, 60, 82, 38),
    "warn-container": t(78, 24, 20, 92),
    "on-warn-container": t(78, 40, 90, 16),
  };
}

const rows = (values) =>
  Object.entries(values)
    .map(([name, value]) => `  --${name}: ${value};`)
    .join("\n");
const blocks = ["/* written by theme.mjs */"];
for (const name of Object.keys(roles(0, true))) {
  if (/^(primary|secondary|on-primary|on-secondary)/.test(name)) {
    blocks.push(`@property --${name} { syntax: "<color>"; inherits: true; initial-value: #000; }`);
  }
}
for (const [theme, dark] of [
  ["dark", true],
  ["light", false],
]) {
  blocks.push(
    `:root[data-theme="${theme}"] {\n  color-scheme: ${theme};\n${rows({ ...roles(SEED.hue, dark, true), ...fixed(dark) })}\n}`,
  );
  for (const [mood, hue] of Object.entries(MOODS)) {
    // a mood tints what shines; the room stays the seed's
    const tinted = Object.entries(roles(hue, dark, false)).filter(([name]) => !/surface|outline/.test(name));
    blocks.push(`:root[data-theme="${theme}"][data-mood="${mood}"] {\n${rows(Object.fromEntries(tinted))}\n}`);
  }
}
writeFileSync(new URL("src/styles/tokens.css", import.meta.url), blocks.join("\n") + "\n");
