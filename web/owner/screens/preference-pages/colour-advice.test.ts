import { expect, test } from 'vitest';
import { contrast } from '#contract/contrast.ts';
import { pageAttrs } from '#contract/preference-pages.ts';
import { paletteOf } from '#web/page/colour.ts';
import { accentAdvice, textAdvice, wholeColours } from './colour-advice.ts';

const defaults = pageAttrs.parse({});

test('default colors are called so, and every shade of them is readable', () => {
  expect(accentAdvice(defaults)).toEqual([{ kind: 'accent_default', ratio: expect.any(Number) }]);
  expect(textAdvice(defaults)).toMatchObject({ kind: 'text_default' });
  const palette = paletteOf(defaults);
  const grounds = [palette.bg, palette.surface, palette.tint];
  expect(contrast(palette['on-primary'], palette.primary)).toBeGreaterThanOrEqual(4.5);
  for (const ground of grounds) {
    for (const text of [palette.text, palette.muted, palette.accent, palette.error]) {
      expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
    }
    for (const edge of [palette.switch, palette.edge]) {
      expect(contrast(edge, ground)).toBeGreaterThanOrEqual(3);
    }
  }
});

test('an accent like the default gets dark text: white would have 3.2:1', () => {
  const [onButton] = accentAdvice({ ...defaults, primary_color: '#009AD1' });
  expect(onButton?.kind === 'dark' && onButton.white).toBeCloseTo(3.21, 2);
});

test('a deep accent gets white text', () => {
  expect(accentAdvice({ ...defaults, primary_color: '#0B4F6C' })[0]).toMatchObject({ kind: 'white' });
});

test('an accent that vanishes on the background moves the switches', () => {
  expect(accentAdvice({ ...defaults, primary_color: '#FFE680' }).at(-1)).toMatchObject({
    kind: 'switch_moved',
  });
});

test('unreadable text is replaced, and the owner sees the replacement', () => {
  expect(textAdvice({ ...defaults, text_color: '#222222' })).toMatchObject({ kind: 'text_good' });
  expect(textAdvice({ ...defaults, text_color: '#CCCCCC' })).toMatchObject({
    kind: 'text_replaced',
    colour: '#10171c',
  });
});

test('a half-typed color stands for the default', () => {
  expect(wholeColours({ ...defaults, primary_color: '#00' }).primary_color).toBe('#009AD0');
});
