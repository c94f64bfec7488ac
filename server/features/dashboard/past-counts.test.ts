import { expect, it } from 'vitest';
import type { Services } from '#server/platform/services.ts';
import { countByTime, settledUntil, type Time } from './past-counts.ts';

const at = (text: string) => new Date(`2026-11-${text}Z`);

/** A site where so many rows came each hour, and what it was asked. */
function siteOf(rowsAnHour: number, now: Date) {
  const asked: string[] = [];
  const services = { clock: { now: () => now } } as unknown as Services;
  const count = async ({ from, until }: Time) => {
    asked.push(`${from.toISOString().slice(8, 16)} ${until.toISOString().slice(8, 16)}`);
    return [{ count: (rowsAnHour * (until.getTime() - from.getTime())) / 3_600_000 }];
  };
  const look = async (time: Time) => {
    const rows = await countByTime(services, 'rows', time, count);
    return rows.reduce((sum, row) => sum + row.count, 0);
  };
  return { asked, look };
}

it('a day is over an hour after its end', () => {
  expect(settledUntil(at('22T10:00'), at('22T10:00'))).toEqual(at('22T00:00'));
  expect(settledUntil(at('22T00:30'), at('22T00:30'))).toEqual(at('21T00:00'));
  expect(settledUntil(at('15T10:00'), at('22T10:00'))).toEqual(at('15T00:00'));
});

it('the days of a large site that are over are counted once, today each time', async () => {
  const { asked, look } = siteOf(1000, at('22T10:00'));
  const week = { from: at('16T00:00'), until: at('22T10:01') };
  const sum = await look(week);
  expect(await look({ ...week, until: at('22T11:00') })).toBe(sum + (1000 * 59) / 60);
  expect(asked).toEqual(['16T00:00 22T00:00', '22T00:00 22T10:01', '22T00:00 22T11:00']);
});

it('a small site is counted anew each time, and today alone is nothing of the past', async () => {
  const { asked, look } = siteOf(1, at('22T10:00'));
  await look({ from: at('21T00:00'), until: at('22T10:00') });
  await look({ from: at('21T00:00'), until: at('22T10:00') });
  expect(asked.filter((one) => one === '21T00:00 22T00:00')).toHaveLength(2);
  asked.length = 0;
  expect(await look({ from: at('22T00:00'), until: at('22T10:00') })).toBe(10);
  expect(asked).toEqual(['22T00:00 22T10:00']);
});

it('keeps what was asked for last', async () => {
  const { asked, look } = siteOf(1000, at('22T10:00'));
  const dayOf = (index: number) => ({
    from: new Date(at('01T00:00').getTime() - index * 86_400_000),
    until: at('21T00:00'),
  });
  for (let index = 0; index <= 100; index += 1) await look(dayOf(index));
  asked.length = 0;
  await look(dayOf(100));
  expect(asked).toEqual([]);
  await look(dayOf(0));
  expect(asked).toHaveLength(1);
});
