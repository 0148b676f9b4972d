/** Prose as the page sets it: paragraphs of words, some of them stressed. */
export interface Word {
  text: string;
  stressed: boolean;
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
