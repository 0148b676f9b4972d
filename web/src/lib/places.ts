/** Lays places out in rows by how many ways they are from where the story began. */
import type { MapPlace } from "./schema";

export interface Layout {
  at: Record<string, { x: number; y: number }>;
  ways: { id: string; path: string; isFaint: boolean }[];
  width: number; // of the room for one place
  height: number;
}

const ROW = 112;

export function layOut(places: MapPlace[], wide: number): Layout {
  const known = new Map(places.map((place) => [place.id, place]));
  const next = new Map<string, Set<string>>(places.map((place) => [place.id, new Set()]));
  for (const place of places)
    for (const to of place.ways) {
      next.get(place.id)?.add(to);
      next.get(to)?.add(place.id);
    }
  const depth = new Map<string, number>();
  for (const place of places) {
    if (depth.has(place.id)) continue;
    depth.set(place.id, depth.size ? Math.max(...depth.values()) + 1 : 0);
    const queue = [place.id];
    for (let id = queue.shift(); id !== undefined; id = queue.shift())
      for (const to of next.get(id) ?? [])
        if (!depth.has(to)) {
          depth.set(to, depth.get(id)! + 1);
          queue.push(to);
        }
  }
  const most = Math.max(1, Math.min(4, Math.floor(wide / 118)));
  const rows: string[][] = [];
  for (let level = 0; level <= Math.max(0, ...depth.values()); level++) {
    const ids = places.map((place) => place.id).filter((id) => depth.get(id) === level);
    for (let from = 0; from < ids.length; from += most) rows.push(ids.slice(from, from + most));
  }
  const at: Layout["at"] = {};
  rows.forEach((row, index) => {
    // rows of one are set off from the middle in turn, so that a long way is no ladder
    const lean = row.length === 1 && rows.length > 2 ? (index % 2 ? 0.16 : -0.16) * wide : 0;
    row.forEach((id, column) => {
      at[id] = { x: ((column + 0.5) / row.length) * wide + lean, y: ROW * index + ROW / 2 };
    });
  });
  const ways: Layout["ways"] = [];
  for (const place of places)
    for (const to of next.get(place.id) ?? []) {
      const [a, b] = [at[place.id], at[to]];
      if (!a || !b || place.id > to) continue;
      const middle = (a.y + b.y) / 2;
      const bend = a.y === b.y ? 46 : 0;
      const path = `M${a.x} ${a.y}C${a.x} ${middle + bend} ${b.x} ${middle + bend} ${b.x} ${b.y}`;
      ways.push({ id: `${place.id} ${to}`, path, isFaint: !known.get(place.id)?.isSeen || !known.get(to)?.isSeen });
    }
  const widest = Math.max(1, ...rows.map((row) => row.length));
  return { at, ways, width: Math.min(220, wide / widest - 10), height: Math.max(1, rows.length) * ROW };
}
