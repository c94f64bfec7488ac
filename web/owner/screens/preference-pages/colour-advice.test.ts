import { expect, test } from 'vitest';
import { pageAttrs } from '#contract/preference-pages.ts';
import { accentAdvice, textAdvice, wholeColours } from './colour-advice.ts';

const defaults = pageAttrs.parse({});

test("the spec's default accent gets dark text: white would have 3.21:1", () => {
  const [onButton] = accentAdvice(defaults);
  expect(onButton).toMatchObject({ kind: 'dark' });
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

test('text that cannot be read is replaced, and the owner is told by what', () => {
  expect(textAdvice(defaults)).toMatchObject({ kind: 'text_good' });
  expect(textAdvice({ ...defaults, text_color: '#CCCCCC' })).toMatchObject({
    kind: 'text_replaced',
    colour: '#10171c',
  });
});

test('a half-typed colour stands for the default', () => {
  expect(wholeColours({ ...defaults, primary_color: '#00' }).primary_color).toBe('#009AD0');
});
