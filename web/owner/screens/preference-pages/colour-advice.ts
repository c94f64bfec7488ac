import { pageAttrs, type PageAttrs } from '#contract/preference-pages.ts';
import { contrast, paletteOf, textOn } from '#web/page/colour.ts';

/** WCAG 2.2, 1.4.3: text of normal size. */
export const MINIMUM_CONTRAST = 4.5;
const WHITE = '#ffffff';

export type ColourAdvice =
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

/** What the page will make of the accent colour, by the page's own rules. */
export function accentAdvice(attrs: PageAttrs): ColourAdvice[] {
  const { primary_color: primary } = attrs;
  const text = textOn(primary);
  const ratio = contrast(text, primary);
  const palette = paletteOf(attrs);
  const onButton: ColourAdvice =
    text === WHITE ? { kind: 'white', ratio } : { kind: 'dark', ratio, white: contrast(WHITE, primary) };
  return palette.switch === primary.toLowerCase()
    ? [onButton]
    : [onButton, { kind: 'switch_moved', colour: palette.switch }];
}

export function textAdvice(attrs: PageAttrs): ColourAdvice {
  const ratio = contrast(attrs.text_color, attrs.background_color);
  const { text } = paletteOf(attrs);
  return text === attrs.text_color.toLowerCase()
    ? { kind: 'text_good', ratio }
    : { kind: 'text_replaced', ratio, colour: text };
}
