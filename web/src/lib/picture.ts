/** Draws a scene as a picture to send to somebody: its words on the reader's own paper. */
import { wordsOf } from "./prose";

export interface Sheet {
  title: string;
  place: string;
  action: string;
  paragraphs: string[];
  art: string; // the address of the place's picture; empty for none
}

const WIDE = 1080;
const EDGE = 96;
const ART = 520;
const MOST = 16_000_000; // pixels; some browsers draw nothing beyond

/** Words on lines: each with where it stands, and how it is written. */
type Piece = { text: string; font: string; x: number; y: number };

function load(address: string): Promise<HTMLImageElement | null> {
  const image = new Image();
  image.src = address;
  return image.decode().then(
    () => image,
    () => null,
  );
}

export async function drawScene({ title, place, action, paragraphs, art }: Sheet): Promise<Blob> {
  const style = getComputedStyle(document.documentElement);
  const look = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const serif = look("serif");
  const book = `400 36px ${serif}`;
  const slanted = style.getPropertyValue("--letter-spacing") ? book : `italic 400 36px ${serif}`;
  await Promise.all([book, slanted].map((font) => document.fonts.load(font)));
  const picture = art ? await load(art) : null;
  const context = document.createElement("canvas").getContext("2d")!;
  const pieces: Piece[] = [];
  let y = (picture ? ART : 0) + EDGE;

  function write(text: string, font: string, line: number, isCentred = false): void {
    let row: Piece[] = [];
    let x = EDGE;
    const end = () => {
      const shift = isCentred ? (WIDE - EDGE - x) / 2 : 0;
      pieces.push(...row.map((piece) => ({ ...piece, x: piece.x + shift })));
      [row, x, y] = [[], EDGE, y + line];
    };
    for (const word of wordsOf(text)) {
      const own = word.stressed ? slanted : font;
      context.font = own;
      if (row.length && x + context.measureText(word.text.trimEnd()).width > WIDE - EDGE) end();
      row.push({ text: word.text, font: own, x, y });
      x += context.measureText(word.text).width;
    }
    end();
  }

  if (action) {
    write(action, slanted, 50, true);
    y += 30;
  }
  const said = pieces.length;
  for (const paragraph of paragraphs) {
    write(paragraph, book, 60);
    y += 26;
  }
  const told = pieces.length;
  y += 30;
  write([title, place].filter(Boolean).join(" · "), `500 26px ${look("sans")}`, 40, true);
  const tall = y - 26 + EDGE / 2;

  const { canvas } = context;
  const scale = Math.min(1, Math.sqrt(MOST / (WIDE * tall)));
  [canvas.width, canvas.height] = [WIDE * scale, tall * scale];
  context.scale(scale, scale);
  context.fillStyle = look("surface");
  context.fillRect(0, 0, WIDE, tall);
  if (picture) {
    const { naturalWidth: wide = WIDE, naturalHeight: high = ART } = picture;
    const fit = Math.max(WIDE / wide, ART / high);
    const [w, h] = [WIDE / fit, ART / fit];
    context.drawImage(picture, (wide - w) / 2, (high - h) / 2, w, h, 0, 0, WIDE, ART);
  }
  pieces.forEach((piece, index) => {
    context.fillStyle = look(index < said ? "primary" : index < told ? "on-surface" : "on-surface-variant");
    context.font = piece.font;
    context.fillText(piece.text, piece.x, piece.y);
  });
  return new Promise((give, refuse) =>
    canvas.toBlob((blob) => (blob ? give(blob) : refuse(new Error("The picture could not be drawn.")))),
  );
}
