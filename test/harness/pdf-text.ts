import { inflateSync } from 'node:zlib';

const OBJECT = /(\d+) 0 obj\n([^]*?)\nendobj/g;
const STREAM = /stream\n([^]*)\nendstream/;

function inflated(body: string): string {
  const data = STREAM.exec(body)?.[1] ?? '';
  return inflateSync(Buffer.from(data, 'latin1')).toString('latin1');
}

const utf16 = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le');

/** What the glyphs of a font stand for, by their numbers in hex: from the ranges in its ToUnicode table. */
function charactersOf(table: string): Map<string, string> {
  const characters = new Map<string, string>();
  for (const [, first = '', list = ''] of table.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g)) {
    for (const [at, [, hex = '']] of [...list.matchAll(/<([0-9a-f ]*)>/g)].entries()) {
      const glyph = (Number.parseInt(first, 16) + at).toString(16).padStart(4, '0');
      characters.set(glyph, utf16(hex.replaceAll(' ', '')));
    }
  }
  return characters;
}

/** The text of a PDF that pdfkit made, in the order in which it was written, with single spaces between its pieces. */
export function pdfText(pdf: Buffer): string {
  const objects = new Map(
    [...pdf.toString('latin1').matchAll(OBJECT)].map(([, id = '', body = '']) => [id, body]),
  );
  const fonts = new Map<string, Map<string, string>>();
  for (const body of objects.values()) {
    for (const [, name = '', id = ''] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const table = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id) ?? '')?.[1];
      if (table !== undefined) fonts.set(name, charactersOf(inflated(objects.get(table) ?? '')));
    }
  }
  const pieces: string[] = [];
  for (const body of objects.values()) {
    const id = /\/Contents (\d+) 0 R/.exec(body)?.[1];
    if (id === undefined) continue;
    let font = new Map<string, string>();
    for (const [, name, glyphs] of inflated(objects.get(id) ?? '').matchAll(
      /\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g,
    )) {
      if (name !== undefined) font = fonts.get(name) ?? font;
      const hex = [...(glyphs ?? '').matchAll(/<([0-9a-f]*)>/g)].map(([, run]) => run).join('');
      pieces.push((hex.match(/.{4}/g) ?? []).map((glyph) => font.get(glyph) ?? '').join(''));
    }
  }
  return pieces.join(' ').replaceAll(/\s+/g, ' ');
}
