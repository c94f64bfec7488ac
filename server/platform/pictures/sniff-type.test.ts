import { expect, it } from 'vitest';
import { sniffType } from './sniff-type.ts';

const sniff = (text: string) => sniffType(Buffer.from(text));

it.each([
  '<!DOCTYPE svg [<!ENTITY a "b">]><svg />',
  '<!doctype svg [ ]><svg />',
  '<!DOCTYPE svg><!DOCTYPE x [><svg />',
  '<svg ><!entity a "b"></svg>',
])('a drawing with entities is refused: %s', (text) => {
  expect(sniff(text)).toEqual({ problem: 'svg_entities' });
});

it.each(['<!DOCTYPE svg><svg title="[a]"/>', '<!-- [ --><svg />', '<?xml version="1.0"?>\n<svg />'])(
  'a drawing with brackets elsewhere is one: %s',
  (text) => {
    expect(sniff(text)).toMatchObject({ kind: 'drawing' });
  },
);

it.each(['<!DOCTYPE', '<!DOCTYPE [', '<!DOCTYPE>', '<!--', '<?', ' ', '[', '>'])(
  'two megabytes of “%s” are looked at once, not once for each of them',
  (piece) => {
    expect(sniff(piece.repeat(2_000_000 / piece.length))).toEqual({ problem: 'not_an_image' });
  },
);
