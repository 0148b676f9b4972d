/** Prose as the page sets it: paragraphs of words, some of them stressed. */
export interface Word {
  text: string;
  stressed: boolean;
  card?: string; // the id of the card that tells more of it
  start?: number; // where it begins: a word that stands there already stays the same element
}

export const paragraphsOf = (text: string): string[] =>
  text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter(Boolean);

export function wordsOf(paragraph: string): Word[] {
  const words: Word[] = [];
  for (const piece of paragraph.split(/(\*\*?[^*\n]+\*\*?|(?<!\w)_[^_\n]+_(?!\w))/)) {
    if (!piece) continue;
    const stressed = /^(\*\*?[^*]+\*\*?|_[^_]+_)$/.test(piece);
    const plain = stressed ? piece.replace(/^[*_]+|[*_]+$/g, "") : piece;
    for (const text of plain.match(/\s*\S+\s*|\s+/g) ?? []) words.push({ text, stressed });
  }
  return words;
}

/** Joins neighbours that look alike: fewer elements hold the same words. */
export function joinWords(words: Word[]): Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (last && !last.card && !word.card && last.stressed === word.stressed) last.text += word.text;
    else joined.push({ ...word });
  }
  return joined;
}

const bare = (text: string) => text.trim().replace(/^[“"‘'(]+|(?:[’']s)?[.,;:!?…”"’')—–-]*$/gu, "");

/** Marks the first mention of each name; `used` holds the cards that were linked before. */
export function linkNames(words: Word[], names: Map<string, string>, used: Set<string>): Word[] {
  const linked: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    let length = Math.min(5, words.length - at);
    let [name, card] = ["", ""];
    for (; length > 0 && !card; length--) {
      name = words
        .slice(at, at + length)
        .map((word, index) => (index < length - 1 ? word.text.trim().replace(/^[“"‘'(]+/u, "") : bare(word.text)))
        .join(" ");
      card = names.get(name) ?? "";
    }
    if (!card || used.has(card)) {
      linked.push(words[at]!);
      continue;
    }
    used.add(card);
    const { stressed } = words[at]!;
    const text = words
      .slice(at, at + length + 1)
      .map((word) => word.text)
      .join("");
    const start = text.indexOf(name.split(" ")[0]!);
    const last = name.split(" ").at(-1)!;
    const end = text.lastIndexOf(last) + last.length;
    if (start > 0) linked.push({ text: text.slice(0, start), stressed });
    linked.push({ text: text.slice(start, end), stressed, card });
    if (end < text.length) linked.push({ text: text.slice(end), stressed });
    at += length;
  }
  let start = 0;
  return linked.map((word) => {
    const placed = { ...word, start };
    start += word.text.length;
    return placed;
  });
}

/** The words of a paragraph, sentence by sentence. */
export function sentencesOf(paragraph: string): Word[][] {
  const sentences: Word[][] = [];
  let isOpen = false;
  for (const word of wordsOf(paragraph)) {
    if (!isOpen) sentences.push([]);
    sentences.at(-1)!.push(word);
    isOpen = !/[.!?…][”’"')]*\s*$/.test(word.text);
  }
  return sentences;
}

/** Without the marks of stress, for a line that has no room for them. */
export const plain = (paragraph: string) =>
  wordsOf(paragraph)
    .map((word) => word.text)
    .join("");

/** Returns the portraits beside each paragraph: the first that names the person, else after all of them. */
export function portraitPlaces(paragraphs: string[], people: [id: string, name: string][]): Map<number, string[]> {
  const places = new Map<number, string[]>();
  for (const [id, name] of people) {
    const parts = name.split(/\s+/).filter((word) => word.length > 2 && word !== "The");
    const found = paragraphs.findIndex((paragraph) => parts.some((word) => paragraph.includes(word)));
    const at = found < 0 ? paragraphs.length : found;
    places.set(at, [...(places.get(at) ?? []), id]);
  }
  return places;
}
