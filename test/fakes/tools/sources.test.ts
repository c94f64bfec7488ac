import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { CONNECTORS } from '#server/connectors/index.ts';
import { startFakeTools } from './all.ts';

const tools = await startFakeTools();
const handbook = readFileSync('docs/handbook/integrations.md', 'utf8');
const [, section = ''] = handbook.split('## How each connector is tested');

afterAll(() => tools.close());

const inWords = (date: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date));

describe.each(CONNECTORS)('the stand-in for $name', ({ id, name }) => {
  const sources = Object.values(tools.fakes[id]?.sources ?? {});
  const recorded = sources.filter(({ kind }) => kind === 'recorded');

  it('says of each of its answers where it is known from, and of when that is', () => {
    expect(sources).not.toEqual([]);
    for (const { date, where } of sources) {
      expect(where).not.toBe('');
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(Date.parse(date)).not.toBeNaN();
    }
  });

  it('has as many recorded answers, and other sources, as the handbook says', () => {
    const row = section.split('\n').find((line) => line.startsWith(`| ${name} | `));
    const latest = recorded
      .map((one) => one.date)
      .toSorted()
      .at(-1);
    const counts = `${recorded.length === 0 ? 'none' : recorded.length} of ${sources.length} calls`;
    expect(row).toContain(latest === undefined ? counts : `${counts}, ${inWords(latest)}`);
    for (const { kind, date } of sources) if (kind !== 'recorded') expect(row).toContain(inWords(date));
  });
});
