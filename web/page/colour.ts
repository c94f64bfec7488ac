import { contrast, luminance, toRgb } from '#contract/contrast.ts';
import type { PageAttrs } from '#contract/preference-pages.ts';

type Rgb = ReturnType<typeof toRgb>;

const TEXT_CONTRAST = 4.5;
const EDGE_CONTRAST = 3;
const INK = '#10171c';
const WHITE = '#ffffff';
const BLACK = '#000000';
const ERROR_RED = '#b42318';

function toHex(rgb: Rgb): string {
  return `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

/** A readable text colour for a background: white if possible, else near-black; always at least 4.5:1. */
export function textOn(ground: string): string {
  return [WHITE, INK, BLACK].find((text) => contrast(text, ground) >= TEXT_CONTRAST) ?? BLACK;
}

/** The colour of a drawing without words, such as a logo: white unless it would fade. */
export function drawingOn(ground: string): string {
  return contrast(WHITE, ground) >= 2.2 ? WHITE : INK;
}

/** The wanted text colour if it is readable on the background, else black or white. */
export function readableText(wanted: string, ground: string): string {
  return contrast(wanted, ground) >= TEXT_CONTRAST ? wanted.toLowerCase() : textOn(ground);
}

function mix(from: string, to: string, share: number): string {
  const [a, b] = [toRgb(from), toRgb(to)];
  const blend = (index: 0 | 1 | 2) => a[index] + (b[index] - a[index]) * share;
  return toHex([blend(0), blend(1), blend(2)]);
}

/** Shifts a colour toward that of the text until it has enough contrast with every background. */
function until(minimum: number, from: string, text: string, grounds: string[]): string {
  for (let share = 0; share < 1; share += 0.05) {
    const candidate = mix(from, text, share);
    if (grounds.every((ground) => contrast(candidate, ground) >= minimum)) return candidate;
  }
  return text;
}

/** The panel behind the lists: a touch lighter than the background, as long as the text stays readable. */
function surfaceOf(background: string, text: string): string {
  const isDarkText = luminance(text) < luminance(background);
  const candidate = mix(background, WHITE, isDarkText ? 0.85 : 0.06);
  return contrast(text, candidate) >= TEXT_CONTRAST ? candidate : background.toLowerCase();
}

export type Palette = Record<
  | 'bg'
  | 'surface'
  | 'text'
  | 'muted'
  | 'line'
  | 'edge'
  | 'primary'
  | 'on-primary'
  | 'accent'
  | 'switch'
  | 'tint'
  | 'error',
  string
>;

/** All colours of the page, derived from the owner's three; always readable. */
export function paletteOf(
  attrs: Pick<PageAttrs, 'primary_color' | 'text_color' | 'background_color'>,
): Palette {
  const bg = attrs.background_color.toLowerCase();
  const primary = attrs.primary_color.toLowerCase();
  const text = readableText(attrs.text_color, bg);
  const surface = surfaceOf(bg, text);
  const tint = [0.1, 0.05]
    .map((share) => mix(surface, primary, share))
    .find((ground) => contrast(text, ground) >= 7);
  const grounds = [bg, surface, tint ?? surface];
  return {
    bg,
    surface,
    text,
    muted: until(TEXT_CONTRAST, mix(text, bg, 0.35), text, grounds),
    line: mix(bg, text, 0.16),
    edge: until(EDGE_CONTRAST, mix(text, bg, 0.5), text, grounds),
    primary,
    'on-primary': textOn(primary),
    accent: until(TEXT_CONTRAST, primary, text, grounds),
    switch: until(EDGE_CONTRAST, primary, text, grounds),
    tint: tint ?? surface,
    error: until(TEXT_CONTRAST, ERROR_RED, text, grounds),
  };
}

/** The palette as CSS custom properties: `--bg`, `--on-primary` and so on. */
export function cssProperties(palette: Palette): Record<`--${string}`, string> {
  return Object.fromEntries(Object.entries(palette).map(([name, value]) => [`--${name}`, value]));
}
