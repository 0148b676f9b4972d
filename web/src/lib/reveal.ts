/** Lets words appear one after the other without an element for each: nothing moves, and nothing is left. */
const CHARACTERS_PER_MS = 0.45;
const BEHIND = 400; // characters: further behind, it hurries
const HURRY = 7; // times as fast
const EDGE = 18; // characters of each step of the fading edge, as many as app.css has
const STEPS = 3;

const layers: Highlight[] = [];
if (typeof Highlight !== "undefined")
  for (let step = 0; step < STEPS; step++) {
    layers.push(new Highlight());
    CSS.highlights.set(`unseen-${step}`, layers[step]!);
  }

/** The words of one scene while they appear. */
export class Reveal {
  #shown = 0; // characters
  #frame = 0;
  #before = 0;
  #whole = 0; // characters, when all that had come was shown
  #ranges = layers.map(() => new Range());

  /** Lets what is new in `within` appear; calls `done` when all of it has. */
  show(within: Element, done: () => void): void {
    cancelAnimationFrame(this.#frame);
    if (!layers.length) return done();
    this.#before = performance.now();
    if (this.#whole) this.#shown = this.#whole;
    this.#whole = 0;
    const step = () => {
      const now = performance.now();
      const nodes = textsOf(within);
      const total = nodes.reduce((sum, node) => sum + node.length, 0);
      const isFar = total - this.#shown > BEHIND;
      this.#shown += (now - this.#before) * CHARACTERS_PER_MS * (isFar ? HURRY : 1);
      this.#shown = Math.min(this.#shown, total + EDGE * STEPS);
      this.#before = now;
      layers.forEach((layer, index) => {
        const range = this.#ranges[index]!;
        place(range, nodes, index ? this.#shown - EDGE * index : this.#shown, index ? EDGE : total);
        layer.add(range);
      });
      if (this.#shown < total + EDGE * STEPS) this.#frame = requestAnimationFrame(step);
      else {
        this.#whole = total;
        this.hide();
        done();
      }
    };
    step();
  }

  /** Shows everything at once. */
  hide(): void {
    cancelAnimationFrame(this.#frame);
    layers.forEach((layer, index) => layer.delete(this.#ranges[index]!));
  }
}

function textsOf(within: Element): Text[] {
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest("p") ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT,
  );
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  return texts;
}

/** Places a range over so many characters of all the texts, from the given one on. */
function place(range: Range, texts: Text[], from: number, length: number): void {
  const start = Math.max(0, Math.floor(from));
  const end = Math.max(0, Math.floor(from + length));
  let before = 0;
  let isBegun = false;
  range.collapse();
  for (const text of texts) {
    const after = before + text.length;
    if (!isBegun && start < after && end > start) {
      range.setStart(text, start - before);
      isBegun = true;
    }
    if (isBegun) range.setEnd(text, Math.min(text.length, end - before));
    before = after;
    if (end <= after) break;
  }
}
