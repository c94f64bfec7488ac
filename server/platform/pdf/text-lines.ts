import bidiFactory from 'bidi-js';
import LineBreaker from 'linebreak';
import type { Face, Fonts, Weight } from './fonts.ts';

/* From a text to lines of runs, each in one font and one direction, in the order in which they stand on the page. */

const bidi = bidiFactory();

export interface Run {
  face: Face;
  /** With brackets as they look in this direction. */
  text: string;
  isRightToLeft: boolean;
  width: number;
}

export interface Line {
  runs: Run[];
  width: number;
  /** Its text begins on the right. */
  isRightToLeft: boolean;
}

/** Where and how large text is drawn. */
export interface TextBox {
  width: number;
  size: number;
  weight: Weight;
}

const PARAGRAPH_END = /\r\n|[\n\r\u2028\u2029]/;
/** They tell the order or the form of their neighbours and have no look of their own. */
const UNSEEN = /[\u00ad\u061c\u200b\u200e\u200f\u2060\u2068\u2069\ufeff]|\p{Variation_Selector}/u;
const JOINERS = /[\u200c\u200d]/u;
/** What could make a text look like another one is never obeyed, and shown. */
const REORDERING = /[\u202a-\u202e\u2066\u2067]/u;
const CONTROL = /[\p{Cc}\p{Cs}]/u;

const codePointOf = (character: string) =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;

type FaceOf = (character: string) => Face | null;

function isDrawn(character: string, faceOf: FaceOf): boolean {
  if (UNSEEN.test(character) || JOINERS.test(character)) return true;
  if (CONTROL.test(character) || REORDERING.test(character)) return false;
  return faceOf(character) !== null;
}

/** A character that can't be drawn is shown as its code point. */
function withCodePoints(text: string, faceOf: FaceOf): string {
  return Array.from(text.replaceAll('\t', ' '), (character) =>
    isDrawn(character, faceOf) ? character : codePointOf(character),
  ).join('');
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words = new Intl.Segmenter('th', { granularity: 'word' });

/** Scripts without spaces between words, and without rules for line breaks but a dictionary. */
const WITHOUT_SPACES = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2,}/gu;

/** Where lines may end, in order. */
function breaksOf(text: string): number[] {
  const places = new Set<number>();
  const breaker = new LineBreaker(text);
  for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak()) places.add(next.position);
  for (const { index, 0: run } of text.matchAll(WITHOUT_SPACES))
    for (const word of words.segment(run)) places.add(index + word.index);
  places.add(text.length);
  places.delete(0);
  return [...places].toSorted((one, other) => one - other);
}

/** So many widths are kept: names and words come again and again. */
const MOST_WIDTHS = 5000;

export function createTextLines(fonts: Fonts) {
  const widths = new Map<string, number>();

  function widthOf(face: Face, text: string, isRightToLeft: boolean): number {
    const key = `${face.key} ${text}`;
    const known = widths.get(key);
    if (known !== undefined) return known;
    const direction = isRightToLeft ? 'rtl' : 'ltr';
    const width = face.font.layout(text, { direction }).advanceWidth / face.font.unitsPerEm;
    if (widths.size >= MOST_WIDTHS) widths.clear();
    widths.set(key, width);
    return width;
  }

  return async function linesOf(text: string, { width, size, weight }: TextBox): Promise<Line[]> {
    const faceOf = await fonts.facesOf(`${text} [U+0123456789ABCDEF]`, weight);
    const lines: Line[] = [];
    for (const paragraph of text.split(PARAGRAPH_END)) {
      const shown = withCodePoints(paragraph, faceOf);
      lines.push(...linesOfParagraph(shown, paragraphOf(shown, faceOf)));
    }
    return lines;

    function linesOfParagraph(shown: string, { clusters, isRightToLeft }: Paragraph): Line[] {
      const measure: Measure = (some, { isEnd }) =>
        runsOf(some, { isEnd }).reduce(
          (sum, { face, text: run, level }) => sum + widthOf(face, run, level % 2 === 1) * size,
          0,
        );
      return brokenIntoLines(shown, clusters, measure, width).map((some) => {
        const runs = inVisualOrder(runsOf(some, { isEnd: true })).map((run): Run => {
          const isReversed = run.level % 2 === 1;
          const { face, text: drawn } = run;
          const space = widthOf(face, drawn, isReversed) * size;
          return { face, text: drawn, isRightToLeft: isReversed, width: space };
        });
        return { runs, width: runs.reduce((sum, run) => sum + run.width, 0), isRightToLeft };
      });
    }
  };
}

/** What is never torn apart: a letter with its marks. */
interface Cluster {
  start: number;
  /** null: nothing of it is drawn */
  face: Face | null;
  text: string;
  level: number;
}

interface Paragraph {
  clusters: Cluster[];
  isRightToLeft: boolean;
}

function paragraphOf(shown: string, faceOf: FaceOf): Paragraph {
  const { levels, paragraphs } = bidi.getEmbeddingLevels(shown, 'auto');
  const mirrored = bidi.getMirroredCharactersMap(shown, levels);
  const clusters: Cluster[] = [];
  for (const { segment, index } of graphemes.segment(shown)) {
    for (const { at, text, face } of partsOf(segment, faceOf)) {
      const start = index + at;
      clusters.push({ start, face, text: mirrored.get(start) ?? text, level: levels[start] ?? 0 });
    }
  }
  return { clusters, isRightToLeft: (paragraphs[0]?.level ?? 0) % 2 === 1 };
}

const hasGlyph = (face: Face, character: string) =>
  face.font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);

/** In one font if one has all of it. */
function partsOf(segment: string, faceOf: FaceOf) {
  const seen = [...segment].filter((character) => !UNSEEN.test(character) && !JOINERS.test(character));
  const whole = seen.map(faceOf).find((face) => face !== null && seen.every((one) => hasGlyph(face, one)));
  if (whole) {
    // A joiner is drawn as a space without width.
    const isDrawnHere = (character: string) =>
      seen.includes(character) ||
      (JOINERS.test(character) && hasGlyph(whole, character) && hasGlyph(whole, ' '));
    return [{ at: 0, text: [...segment].filter(isDrawnHere).join(''), face: whole }];
  }
  let at = 0;
  return [...segment].map((character) => {
    const face = seen.includes(character) ? faceOf(character) : null;
    const part = { at, text: character, face };
    at += character.length;
    return part;
  });
}

interface LevelRun {
  face: Face;
  text: string;
  level: number;
}

/** Neighbours of one font and level. @param isEnd the space at which the line was broken takes no place */
function runsOf(clusters: readonly Cluster[], { isEnd }: { isEnd: boolean }): LevelRun[] {
  const runs: LevelRun[] = [];
  for (const { face, text, level } of clusters) {
    if (face === null) continue;
    const last = runs.at(-1);
    if (last?.face === face && last.level === level) last.text += text;
    else runs.push({ face, text, level });
  }
  for (let last = runs.at(-1); isEnd && last !== undefined; last = runs.at(-1)) {
    last.text = last.text.trimEnd();
    if (last.text !== '') break;
    runs.pop();
  }
  return runs;
}

/** Rule L2 of the Unicode Bidirectional Algorithm. */
function inVisualOrder(runs: readonly LevelRun[]): LevelRun[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level >= 1; level -= 1) {
    for (let from = 0; from < ordered.length; from += 1) {
      let to = from;
      while ((ordered[to]?.level ?? -1) >= level) to += 1;
      if (to > from) ordered.splice(from, to - from, ...ordered.slice(from, to).toReversed());
      from = Math.max(from, to);
    }
  }
  return joined(ordered);
}

/** A name that keeps its own direction is no run of its own where that is the one around it. */
function joined(runs: readonly LevelRun[]): LevelRun[] {
  const all: LevelRun[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (last?.face === run.face && last.level % 2 === 0 && run.level % 2 === 0) last.text += run.text;
    else all.push({ ...run });
  }
  return all;
}

type Measure = (clusters: readonly Cluster[], options: { isEnd: boolean }) => number;

/** The clusters between places where a line may end. */
function unbreakable(text: string, clusters: readonly Cluster[]): Cluster[][] {
  const parts: Cluster[][] = [];
  let at = 0;
  for (const place of breaksOf(text)) {
    const part: Cluster[] = [];
    for (let next = clusters[at]; next !== undefined && next.start < place; next = clusters[at]) {
      part.push(next);
      at += 1;
    }
    parts.push(part);
  }
  return parts;
}

/** Lines end where they may, or within a word that is too long for any line. */
function brokenIntoLines(
  text: string,
  clusters: readonly Cluster[],
  measure: Measure,
  width: number,
): Cluster[][] {
  const lines: Cluster[][] = [[]];
  let used = 0;
  function add(part: readonly Cluster[]): void {
    if (used > 0 && used + measure(part, { isEnd: true }) > width) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)?.push(...part);
    used += measure(part, { isEnd: false });
  }
  for (const part of unbreakable(text, clusters)) {
    if (measure(part, { isEnd: true }) <= width) add(part);
    else for (const cluster of part) add([cluster]);
  }
  return lines;
}
