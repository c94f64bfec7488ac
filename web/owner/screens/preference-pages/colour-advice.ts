import { contrast } from '#contract/contrast.ts';
import { pageAttrs, type PageAttrs } from '#contract/preference-pages.ts';
import { paletteOf, textOn } from '#web/page/colour.ts';

/** WCAG 2.2, 1.4.3: text of normal size. */
export const MINIMUM_CONTRAST = 4.5;
const WHITE = '#ffffff';

export type ColourAdvice =
  | { kind: 'accent_default'; ratio: number }
  | { kind: 'text_default'; ratio: number }
  | { kind: 'white'; ratio: number }
  | { kind: 'dark'; ratio: number; white: number }
  | { kind: 'switch_moved'; colour: string }
  | { kind: 'text_good'; ratio: number }
  | { kind: 'text_replaced'; ratio: number; colour: string };

const DEFAULTS = pageAttrs.parse({});

/** The attrs with whole colours only: what is still being typed stands for the default. */
export function wholeColours(attrs: PageAttrs): PageAttrs {
  const whole = { ...attrs };
  for (const field of ['primary_color', 'text_color', 'background_color'] as const) {
    if (!pageAttrs.shape[field].safeParse(attrs[field]).success) whole[field] = DEFAULTS[field];
  }
  return whole;
}

type ColourField = 'primary_color' | 'text_color' | 'background_color';

function areDefault(attrs: PageAttrs, ...fields: ColourField[]): boolean {
  return fields.every((field) => attrs[field].toLowerCase() === DEFAULTS[field].toLowerCase());
}

/** What the page will make of the accent colour, by the page's own rules. The default's shades are no one's choice. */
export function accentAdvice(attrs: PageAttrs): ColourAdvice[] {
  const { primary_color: primary } = attrs;
  const palette = paletteOf(attrs);
  const isMoved =
    palette.switch !== primary.toLowerCase() && !areDefault(attrs, 'primary_color', 'background_color');
  return [onButton(attrs), ...(isMoved ? [{ kind: 'switch_moved', colour: palette.switch } as const] : [])];
}

function onButton(attrs: PageAttrs): ColourAdvice {
  const { primary_color: primary } = attrs;
  const text = textOn(primary);
  const ratio = contrast(text, primary);
  if (areDefault(attrs, 'primary_color')) return { kind: 'accent_default', ratio };
  if (text === WHITE) return { kind: 'white', ratio };
  return { kind: 'dark', ratio, white: contrast(WHITE, primary) };
}

export function textAdvice(attrs: PageAttrs): ColourAdvice {
  const ratio = contrast(attrs.text_color, attrs.background_color);
  const { text } = paletteOf(attrs);
  if (text !== attrs.text_color.toLowerCase()) return { kind: 'text_replaced', ratio, colour: text };
  return { kind: areDefault(attrs, 'text_color') ? 'text_default' : 'text_good', ratio };
}
