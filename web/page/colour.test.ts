import { wcagContrast } from 'culori';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrast } from '#contract/contrast.ts';
import { paletteOf, readableText, textOn } from './colour.ts';

const colour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);

test('the contrast is measured as in WCAG', () => {
  expect(contrast('#009AD0', '#ffffff')).toBeCloseTo(3.21, 2);
  fc.assert(
    fc.property(colour, colour, (one, other) => {
      expect(contrast(one, other)).toBeCloseTo(wcagContrast(one, other), 1);
    }),
  );
});

test('the spec’s default color gets dark text, a deep one white', () => {
  expect(textOn('#009AD0')).toBe('#10171c');
  expect(textOn('#1d4ed8')).toBe('#ffffff');
});

test('text on any color is readable', () => {
  fc.assert(
    fc.property(colour, (ground) => {
      expect(contrast(textOn(ground), ground)).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test('the owner’s text color is kept only where it is readable', () => {
  expect(readableText('#2C3D20', '#F8F8F8')).toBe('#2c3d20');
  expect(readableText('#eeeeee', '#ffffff')).toBe('#10171c');
});

test('every text of the palette is readable on every background, whatever the owner chose', () => {
  fc.assert(
    fc.property(colour, colour, colour, (primary_color, text_color, background_color) => {
      const palette = paletteOf({ primary_color, text_color, background_color });
      for (const ground of [palette.bg, palette.surface, palette.tint]) {
        for (const text of [palette.text, palette.muted, palette.accent, palette.error]) {
          expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
        }
        expect(contrast(palette.switch, ground)).toBeGreaterThanOrEqual(3);
        expect(contrast(palette.edge, ground)).toBeGreaterThanOrEqual(3);
      }
      expect(contrast(palette['on-primary'], palette.primary)).toBeGreaterThanOrEqual(4.5);
    }),
    { numRuns: 500 },
  );
});
