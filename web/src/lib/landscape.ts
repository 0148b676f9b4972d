/** A quiet night view for a name: the same name is always the same place. */
export interface View {
  hue: number;
  stars: [number, number, number, number][];
  moon: { x: number; y: number; r: number };
  ridges: string[];
  near: string;
  windows: [number, number, number, number][];
  water: [number, number, number][] | null;
}

export const WIDTH = 960;
export const HEIGHT = 540;

function seeded(text: string): () => number {
  let h = 2166136261;
  for (const letter of text) h = Math.imul(h ^ letter.codePointAt(0)!, 16777619);
  return () => {
    h = Math.imul(h ^ (h >>> 15), 2246822519);
    h = Math.imul(h ^ (h >>> 13), 3266489917);
    return ((h ^= h >>> 16) >>> 0) / 4294967296;
  };
}

type Ridge = (x: number) => number;

function ridge(random: () => number, height: number, rough: number): Ridge {
  const waves = Array.from({ length: 6 }, (_, i) => ({
    f: (i + 0.6 + random() * 0.8) * 0.0055 * (i + 1),
    a: (rough * (0.5 + random())) / (i + 1) ** 1.25,
    p: random() * 6.3,
  }));
  return (x) =>
    height -
    waves.reduce(
      (sum, { f, a, p }) =>
        sum + a * (1 - 2 * Math.abs(Math.sin(x * f + p))) * 0.5 + a * 0.4 * Math.sin(x * f * 1.7 + p),
      0,
    );
}

function outline(y: Ridge, step = 12): string {
  let path = `M0 ${HEIGHT}`;
  for (let x = 0; x <= WIDTH; x += step) path += `L${x} ${y(x).toFixed(1)}`;
  return `${path}L${WIDTH} ${HEIGHT}Z`;
}

function pine(x: number, base: number, h: number): string {
  const w = h * 0.2;
  let path = "";
  for (let i = 0; i < 3; i++) {
    const top = base - h + i * h * 0.24;
    const half = w * (0.55 + i * 0.3);
    path += `M${x.toFixed(1)} ${top.toFixed(1)}l${half.toFixed(1)} ${(h * 0.46).toFixed(1)}h${(-2 * half).toFixed(1)}z`;
  }
  const at = (value: number) => value.toFixed(1);
  const trunk = `M${at(x - h * 0.02)} ${at(base - h * 0.3)}h${at(h * 0.04)}v${at(h * 0.36)}h${at(-h * 0.04)}z`;
  return path + trunk;
}

function house(random: () => number, x: number, base: number, windows: View["windows"]): string {
  const w = 26 + random() * 34;
  const h = 30 + random() * 60;
  const roof = 14 + random() * 22;
  for (let row = 0; row < Math.floor(h / 26); row++) {
    for (let column = 0; column < Math.floor(w / 18); column++) {
      if (random() < 0.55) windows.push([x + 7 + column * 17, base - h + 10 + row * 24, 6, 9]);
    }
  }
  const chimney = `M${x + w * 0.7} ${base - h - roof}h6v${roof}h-6z`;
  const gable = `M${x - 4} ${base - h}L${x + w / 2} ${base - h - roof}L${x + w + 4} ${base - h}`;
  const walls = `L${x + w} ${base - h}V${base + 60}H${x}V${base - h}Z`;
  return gable + walls + (random() < 0.5 ? chimney : "");
}

const SEA = /sea|harbou?r|ship|river|lake|shore|coast|island|water|tide|bay|ferry|canal/i;
const BUILDINGS = "inn|office|tower|house|hall|hut|castle|library|room|shop|post|guild|keep|temple|tavern";
const TOWN = new RegExp(`town|city|street|market|fire|village|${BUILDINGS}`, "i");
const STEEP = /mountain|gorge|stair|bridge|cliff|peak|pass|ravine|canyon|crag|summit/i;

export function view(name: string, hue?: number): View {
  const random = seeded(name || "narratoria");
  const own = 250 + random() * 110;
  const steep = STEEP.test(name) ? 1.7 : 1;
  const sea = SEA.test(name);
  const heights = sea ? [300, 330, 352] : [300, 350, 405];
  const ridges = heights.map((height, i) => outline(ridge(random, height, (sea ? 26 : 86 - i * 18) * steep)));
  const ground = ridge(random, sea ? 486 : 462, sea ? 14 : 26);
  const windows: View["windows"] = [];
  let near = outline(ground);
  if (TOWN.test(name)) {
    const start = 90 + random() * 480;
    for (let x = start, n = 3 + Math.floor(random() * 4); n > 0; n--, x += 44 + random() * 34)
      near += house(random, Math.round(x), Math.round(ground(x)) + 4, windows);
  }
  const trees = 14 + Math.floor(random() * 26);
  for (let i = 0; i < trees; i++) {
    const edge = random() ** 1.6 * 0.42 * WIDTH;
    const x = random() < 0.5 ? edge : WIDTH - edge;
    near += pine(x, ground(x) + 6, 34 + random() * 74);
  }
  return {
    hue: hue ?? own,
    stars: Array.from(
      { length: 70 },
      () =>
        [random() * WIDTH, random() ** 1.4 * 300, 0.5 + random() ** 3 * 1.5, 0.25 + random() * 0.7] as [
          number,
          number,
          number,
          number,
        ],
    ),
    moon: { x: 180 + random() * 600, y: 158 + random() * 58, r: 26 + random() * 22 },
    ridges,
    near,
    windows,
    water: sea
      ? Array.from(
          { length: 34 },
          () => [random() * WIDTH, 372 + random() ** 1.2 * 110, 20 + random() * 90] as [number, number, number],
        )
      : null,
  };
}
