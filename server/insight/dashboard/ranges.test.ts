import { expect, it } from 'vitest';
import { spanOf } from './ranges.ts';

const SATURDAY = new Date('2026-11-21T15:30:00.000Z');

it('7d is today and the six days before, and is compared with the seven days before that', () => {
  const span = spanOf('7d', SATURDAY);
  expect(span.step).toBe('day');
  expect(span.periods.map((at) => at.toISOString().slice(0, 10))).toEqual([
    '2026-11-15',
    '2026-11-16',
    '2026-11-17',
    '2026-11-18',
    '2026-11-19',
    '2026-11-20',
    '2026-11-21',
  ]);
  expect(span.from).toEqual(new Date('2026-11-15T00:00:00.000Z'));
  expect(span.before).toEqual({
    from: new Date('2026-11-08T00:00:00.000Z'),
    until: new Date('2026-11-14T15:30:00.000Z'),
  });
});

it('12m is 52 weeks that begin on Monday', () => {
  const { periods, step } = spanOf('12m', SATURDAY);
  expect(step).toBe('week');
  expect(periods).toHaveLength(52);
  expect(periods.at(-1)).toEqual(new Date('2026-11-16T00:00:00.000Z'));
  expect(periods.every((at) => at.getUTCDay() === 1)).toBe(true);
});

it('a week that begins today has just begun', () => {
  const monday = new Date('2026-11-16T00:00:00.000Z');
  expect(spanOf('12m', monday).periods.at(-1)).toEqual(monday);
});

it('a day is a UTC day, whatever the clock of the server', () => {
  const midnight = new Date('2026-03-01T00:00:00.000Z');
  expect(spanOf('30d', midnight).from).toEqual(new Date('2026-01-31T00:00:00.000Z'));
});
