import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { create, type Font, type GlyphRun } from 'fontkit';
import subsetFont from 'subset-font';

/*
 * Fonts for all scripts: each family is cut into files by the characters in them, and a file is loaded with the first text that
 * needs it.
 */

const VARIABLE = '@fontsource-variable';
const STATIC = '@fontsource';

/** In the order in which they are looked through. */
const FAMILIES: [scope: string, name: string][] = [
  [VARIABLE, 'noto-sans'],
  [VARIABLE, 'noto-sans-hebrew'],
  [VARIABLE, 'noto-sans-arabic'],
  [VARIABLE, 'noto-sans-armenian'],
  [VARIABLE, 'noto-sans-georgian'],
  [VARIABLE, 'noto-sans-bengali'],
  [VARIABLE, 'noto-sans-gujarati'],
  [VARIABLE, 'noto-sans-gurmukhi'],
  [VARIABLE, 'noto-sans-tamil'],
  [VARIABLE, 'noto-sans-telugu'],
  [VARIABLE, 'noto-sans-kannada'],
  [VARIABLE, 'noto-sans-malayalam'],
  [VARIABLE, 'noto-sans-sinhala'],
  [VARIABLE, 'noto-sans-thai'],
  [VARIABLE, 'noto-sans-lao'],
  [VARIABLE, 'noto-sans-khmer'],
  [STATIC, 'noto-sans-myanmar'],
  [VARIABLE, 'noto-sans-ethiopic'],
  // Before those of East Asia, whose arrows and signs are as wide as their characters.
  [VARIABLE, 'noto-sans-symbols'],
  [STATIC, 'noto-sans-symbols-2'],
  [VARIABLE, 'noto-emoji'],
  [VARIABLE, 'noto-sans-sc'],
  [VARIABLE, 'noto-sans-jp'],
  [VARIABLE, 'noto-sans-kr'],
];

export type Weight = 400 | 700;

/** One font file at one weight. */
export interface Face {
  key: string;
  font: Font;
}

/** A file of a family, with the characters that it is for. */
interface Slice {
  family: string;
  file: string;
  isVariable: boolean;
  ranges: [first: number, last: number][];
}

const require = createRequire(import.meta.url);

function rangeOf(text: string): [number, number] {
  const [first = '', last = first] = text.replace('U+', '').split('-');
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}

function slicesOf([scope, family]: [string, string]): Slice[] {
  const index = require.resolve(`${scope}/${family}/unicode.json`);
  const isVariable = scope === VARIABLE;
  return Object.entries(JSON.parse(readFileSync(index, 'utf8')) as Record<string, string>).map(
    ([name, ranges]) => ({
      family,
      file: join(
        dirname(index),
        'files',
        `${family}-${name.replaceAll(/[[\]]/g, '')}-${isVariable ? 'wght' : '400'}-normal.woff2`,
      ),
      isVariable,
      ranges: ranges.split(',').map(rangeOf),
    }),
  );
}

/** A variable font can't be embedded, so it is fixed at the weight. */
async function loadFace({ file, isVariable }: Slice, weight: Weight): Promise<Face> {
  const bytes = await subsetFont(readFileSync(file), undefined, {
    keepAllGlyphs: true,
    targetFormat: 'truetype',
    noHinting: true,
    ...(isVariable ? { variationAxes: { wght: weight } } : {}),
  });
  const font = create(Buffer.from(bytes));
  const key = `${/^(.+)-(?:wght|400)-normal\.woff2$/.exec(basename(file))?.[1] ?? 'font'}-${weight}`;
  // All files and weights of a family have one name, by which they would be taken for the same font.
  Object.defineProperty(font, 'postscriptName', { value: key });
  const layout = font.layout.bind(font);
  font.layout = (text, features) => {
    const { direction } = features as TextFeatures;
    return direction === 'ltr' && isPlain(text)
      ? plainRun(font, text)
      : layout(text, [], undefined, undefined, direction);
  };
  return { key, font };
}

/** One glyph for each character, side by side: most text is, and takes a tenth of the time. */
function plainRun(font: Font, text: string): GlyphRun {
  const glyphs = font.glyphsForString(text);
  const positions = glyphs.map(({ advanceWidth }) => ({
    xAdvance: advanceWidth,
    yAdvance: 0,
    xOffset: 0,
    yOffset: 0,
  }));
  return { glyphs, positions, advanceWidth: glyphs.reduce((sum, glyph) => sum + glyph.advanceWidth, 0) };
}

const PLAIN =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}가-힣\p{Nd}\p{P}\p{Sm}\p{Sc}\p{Zs}]*$/u;

/** No letter of it takes another form or place beside others. */
const isPlain = (text: string) => PLAIN.test(text);

/** What a text tells its font, in place of features. */
export interface TextFeatures {
  direction: 'ltr' | 'rtl';
}

const CJK = ['noto-sans-sc', 'noto-sans-jp', 'noto-sans-kr'];

/** Characters that China, Japan and Korea share look different in each: the text tells whose they are. */
function sharedFamilyOf(text: string): string {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'noto-sans-jp';
  return /\p{Script=Hangul}/u.test(text) ? 'noto-sans-kr' : 'noto-sans-sc';
}

/** So many characters are remembered of a document that has them all. */
const MOST_REMEMBERED = 100_000;

export function createFonts() {
  const slices = FAMILIES.flatMap(slicesOf);
  const faces = new Map<string, Promise<Face>>();
  const found = new Map<string, Face | null>();

  function faceOfSlice(slice: Slice, weight: Weight): Promise<Face> {
    const key = `${slice.file} ${weight}`;
    const face = faces.get(key) ?? loadFace(slice, weight);
    faces.set(key, face);
    return face;
  }

  async function findFace(codePoint: number, weight: Weight, shared: string): Promise<Face | null> {
    const holding = slices.filter(({ ranges }) =>
      ranges.some(([first, last]) => codePoint >= first && codePoint <= last),
    );
    const inOrder = [
      ...holding.filter(({ family }) => !CJK.includes(family) || family === shared),
      ...holding.filter(({ family }) => CJK.includes(family) && family !== shared),
    ];
    for (const slice of inOrder) {
      const face = await faceOfSlice(slice, weight);
      if (face.font.hasGlyphForCodePoint(codePoint)) return face;
    }
    return null;
  }

  return {
    /** @returns the face of each character of this text, from then on; null: none has it */
    async facesOf(text: string, weight: Weight): Promise<(character: string) => Face | null> {
      const shared = sharedFamilyOf(text);
      const keyOf = (character: string) => `${character} ${weight} ${shared}`;
      if (found.size > MOST_REMEMBERED) found.clear();
      for (const character of new Set(text)) {
        const key = keyOf(character);
        if (!found.has(key)) found.set(key, await findFace(character.codePointAt(0) ?? 0, weight, shared));
      }
      return (character) => found.get(keyOf(character)) ?? null;
    },
    /** How many font files were loaded. */
    loaded: () => faces.size,
  };
}

export type Fonts = ReturnType<typeof createFonts>;
