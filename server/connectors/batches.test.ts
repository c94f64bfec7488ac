import { describe, expect, it } from 'vitest';
import { oneByOne, takeMany } from './batches.ts';
import { ConnectorError, type ConnectorFailure } from './connector.ts';

const EMAILS = ['a@example.com', 'B@example.com', 'c@example.com', 'd@example.com'];
const failure = (kind: ConnectorFailure) => new ConnectorError(kind, `It is ${kind}.`);
const kindsOf = (outcomes: readonly (ConnectorError | null)[]) => outcomes.map((one) => one?.kind ?? null);

/** Fails for those who are named, by their kind. */
const failing =
  (kinds: Partial<Record<string, ConnectorFailure>>, seen: string[] = []) =>
  async (email: string) => {
    seen.push(email);
    const kind = kinds[email];
    if (kind !== undefined) throw failure(kind);
  };

describe('changes sent one by one', () => {
  it('fail only for the person they concern', async () => {
    const work = failing({ 'B@example.com': 'refused', 'c@example.com': 'not_found' });
    expect(kindsOf(await oneByOne(EMAILS, work))).toEqual([null, 'refused', 'not_found', null]);
  });

  it.each(['rate_limited', 'bad_credentials'] as const)('stop after %s', async (kind) => {
    const seen: string[] = [];
    const outcomes = await oneByOne(EMAILS, failing({ 'B@example.com': kind }, seen));
    expect(kindsOf(outcomes)).toEqual([null, kind, kind, kind]);
    expect(seen).toEqual(EMAILS.slice(0, 2));
  });

  it('stop when the tool fails for two in a row', async () => {
    const seen: string[] = [];
    const kinds = { 'a@example.com': 'unavailable', 'c@example.com': 'unavailable' } as const;
    expect(kindsOf(await oneByOne(EMAILS, failing(kinds, seen)))).toEqual([
      'unavailable',
      null,
      'unavailable',
      null,
    ]);
    const both = { 'a@example.com': 'unavailable', 'B@example.com': 'unavailable' } as const;
    const outcomes = await oneByOne(EMAILS, failing(both, seen));
    expect(kindsOf(outcomes)).toEqual(Array(4).fill('unavailable'));
    expect(seen).toHaveLength(6);
  });
});

describe('changes sent as a batch', () => {
  it('are tried again one by one for unconfirmed contacts', async () => {
    const seen: string[] = [];
    const together = async () => ['b@example.com', 'd@example.com'];
    const outcomes = await takeMany(EMAILS, together, failing({ 'c@example.com': 'refused' }, seen));
    expect(kindsOf(outcomes)).toEqual([null, null, 'refused', null]);
    expect(seen).toEqual(['a@example.com', 'c@example.com']);
  });

  it('are not lost for the others when a call is refused for one person', async () => {
    const calls: string[][] = [];
    const together = async (emails: readonly string[]) => {
      calls.push([...emails]);
      if (emails.includes('c@example.com')) throw failure('refused');
      return emails;
    };
    const outcomes = await takeMany(EMAILS, together, failing({ 'c@example.com': 'refused' }));
    expect(kindsOf(outcomes)).toEqual([null, null, 'refused', null]);
    expect(calls).toEqual([EMAILS, EMAILS.slice(0, 2), EMAILS.slice(2)]);
  });

  it.each(['rate_limited', 'unavailable', 'bad_credentials', 'not_found'] as const)(
    'fail for all when a call fails by %s',
    async (kind) => {
      const together = () => Promise.reject(failure(kind));
      await expect(takeMany(EMAILS, together, failing({}))).rejects.toMatchObject({ kind });
    },
  );

  it('report a later failure only for those who were not yet accepted', async () => {
    const together = async (emails: readonly string[]) => {
      if (emails.length === EMAILS.length) throw failure('refused');
      if (emails.includes('c@example.com')) throw failure('rate_limited');
      return emails;
    };
    const outcomes = await takeMany(EMAILS, together, failing({}));
    expect(kindsOf(outcomes)).toEqual([null, null, 'rate_limited', 'rate_limited']);
  });
});
