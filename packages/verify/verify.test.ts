import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalText } from '#server/audience/evidence/evidence.ts';
import { leafOf, rootOf } from '#server/audience/evidence-heads/merkle.ts';
import { type Signer, signerOf } from '#server/audience/evidence-heads/signing.ts';
import { packText, type Part } from '#server/insight/proof/pack-file.ts';
import { firstIdAt } from '#server/platform/ids.ts';
import { createKeyring, sha256 } from '#server/platform/secrets.ts';
import { type SignedHead, verifyPack } from './verify.mjs';

const VERIFIER = join(import.meta.dirname, 'verify.mjs');
const SITE = firstIdAt(new Date('2026-01-01T00:00:00Z'));
const CUSTOMER = firstIdAt(new Date('2026-01-01T00:00:01Z'));
const MADE_AT = '2026-02-04T12:00:00.000Z';
const HEAD_FORMAT = 'sayso-evidence-head/1';

const signer = signerOf(createKeyring(['k'.repeat(40)]));

/** A record of each of the first days of February. */
function recordsOf(days: number) {
  let previous: Buffer | null = null;
  return Array.from({ length: days }, (_, day) => {
    const id = firstIdAt(new Date(`2026-02-0${day + 1}T12:00:00Z`));
    const content = {
      site_id: SITE,
      id,
      customer_id: CUSTOMER,
      sequence: day + 1,
      shown: {},
      language: 'en',
    };
    const hash: Buffer = sha256(
      Buffer.concat([previous ?? Buffer.alloc(0), Buffer.from(canonicalText(content))]),
    );
    const part = {
      kind: 'record',
      content,
      previous_hash: previous?.toString('hex') ?? null,
      hash: hash.toString('hex'),
      person: null,
      is_person_of_record: null,
      text: null,
      signed: null,
      receipt: { consentReceiptID: id },
    } satisfies Part;
    previous = hash;
    return { part, id, hash };
  });
}

type Recorded = ReturnType<typeof recordsOf>[number];

/** Each night has one head, for the record of the day before. */
function headsOver(records: readonly Recorded[]) {
  let [previous, from] = [null as string | null, firstIdAt(new Date(0))];
  return records.map(({ id, hash }, night) => {
    const leaf = leafOf({ id, hash });
    const up_to = firstIdAt(new Date(`2026-02-0${night + 2}T01:00:00Z`));
    const statement = JSON.stringify({
      format: HEAD_FORMAT,
      site_id: SITE,
      number: night + 1,
      signed_at: `2026-02-0${night + 2}T02:00:00.000Z`,
      from,
      up_to,
      records: 1,
      root: rootOf([leaf]).toString('hex'),
      previous,
    });
    [previous, from] = [sha256(statement).toString('hex'), up_to];
    const signature = signer.sign(`${HEAD_FORMAT}\n${statement}`).toString('base64url');
    return { head: { statement, kid: signer.key.kid, signature } satisfies SignedHead, leaf };
  });
}

const header = (more: object = {}): Part => ({
  kind: 'header',
  format: 'sayso-proof-pack/1',
  about: 'site',
  site: { id: SITE, name: 'Shop', url: 'https://shop.example' },
  made_at: MADE_AT,
  keys_url: 'https://forger.example/.well-known/sayso-evidence-keys.json',
  kid: signer.key.kid,
  keys: [signer.key],
  ...more,
});

const chainOf = (records: readonly Recorded[]): Part => {
  const last = records.at(-1);
  return { kind: 'chains', chains: [[CUSTOMER, records.length, last?.hash.toString('hex') ?? null]] };
};

async function packOf(parts: readonly Part[], by: Signer = signer): Promise<string> {
  async function* each() {
    yield* parts;
  }
  return textOf(packText(by, each()));
}

const RECORDS = recordsOf(3);
const HEADS = headsOver(RECORDS);
const SENT = HEADS.map(({ head }) => head);

/** As if the site had only the first days: fewer records, heads, and an end that fits them. */
function siteParts({ days = 3, more = {} } = {}): Part[] {
  const records = RECORDS.slice(0, days);
  const signed = HEADS.slice(0, days).flatMap(({ head, leaf }, day): Part[] => [
    { kind: 'head', ...head, leaves: leaf.toString('base64') },
    ...records.slice(day, day + 1).map(({ part }) => part),
  ]);
  return [header(more), ...signed, chainOf(records)];
}

/** A customer's pack has the last head only, beside those of their records. */
function customerParts(days: number): Part[] {
  const records = RECORDS.slice(0, days).map(({ part }, day) => ({
    ...part,
    signed: { head: day + 1, index: 0, hash: part.hash, path: [] },
  }));
  const heads = HEADS.slice(0, days).map(({ head }): Part => ({ kind: 'head', ...head }));
  return [
    header({ about: 'customer', customer_id: CUSTOMER }),
    ...heads,
    ...records,
    chainOf(RECORDS.slice(0, days)),
  ];
}

const verified = async (parts: readonly Part[], options = {}) =>
  verifyPack([Buffer.from(await packOf(parts), 'utf8')], options);

describe('a pack with an honest end', () => {
  it('holds, with each head that was sent elsewhere', async () => {
    for (const parts of [siteParts(), customerParts(3)]) {
      expect(await verified(parts, { heads: SENT })).toMatchObject({
        problems: [],
        notes: [],
        records: 3,
        knownHeads: 3,
      });
    }
  });

  it('lacks no head that was signed after it was made, or while it was made', async () => {
    for (const made_at of ['2026-02-03T12:00:00.000Z', '2026-02-04T02:00:01.000Z'])
      expect((await verified(siteParts({ days: 2, more: { made_at } }), { heads: SENT })).problems).toEqual(
        [],
      );
  });
});

describe('a history that was cut off together with its end', () => {
  const MISSING =
    'Signed head 3 of 2026-02-04T02:00:00.000Z is missing: you were sent it before this pack was made.';

  it('lacks a signed head that was sent elsewhere before: the verifier names it', async () => {
    for (const parts of [siteParts({ days: 2 }), customerParts(2)])
      expect((await verified(parts, { heads: SENT })).problems).toEqual([MISSING]);
  });

  it('lacks all of them where no head is left', async () => {
    const parts = [header(), chainOf([])];
    expect((await verified(parts, { heads: SENT })).problems).toHaveLength(3);
  });

  it('has no head of its last days, and the verifier says so without any head from elsewhere', async () => {
    const { problems, notes } = await verified(siteParts({ days: 1 }));
    expect(problems).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('no head is in it of the last 2 days')]);
    const unsigned = [header(), ...RECORDS.map(({ part }) => part), chainOf(RECORDS)];
    expect((await verified(unsigned)).notes).toEqual([
      expect.stringContaining('no head is in it of the last 3 days'),
    ]);
  });

  it('down to nothing is said to prove no choice', async () => {
    expect((await verified([header(), chainOf([])])).notes).toEqual([
      'It has no records, so it proves no choice.',
    ]);
  });

  it('is not compared with the heads of another site', async () => {
    const site = { id: CUSTOMER, name: 'Other', url: 'https://other.example' };
    expect((await verified([header({ site })], { heads: SENT })).problems[0]).toContain(
      'is of a site that none of the heads from elsewhere is of',
    );
  });
});

describe('what no verifier knows', () => {
  it.each(['constructor', 'toString', '__proto__', 'valueOf', 'note', 7, null])(
    'a part of the kind %j is refused',
    async (kind) => {
      const [first, ...others] = siteParts();
      const parts = [first, { kind }, ...others] as Part[];
      expect((await verified(parts)).problems[0]).toContain('is of a kind that this verifier does not know');
    },
  );

  it.each(['constructor', 'page', undefined])('a pack about %j is refused', async (about) => {
    expect((await verified(siteParts({ more: { about } }))).problems[0]).toContain(
      'is of a kind that this verifier does not know',
    );
  });

  it.each([
    ['record', {}],
    ['head', { statement: '{' }],
    ['chains', { chains: 5 }],
    ['text', { content: null }],
  ])('a part of the kind %s with another form is refused, and named', async (kind, more) => {
    const [first, ...others] = siteParts();
    const { problems } = await verified([first, { kind, ...more }, ...others] as Part[]);
    expect(problems[0]).toContain('line 3');
  });
});

describe('what someone wrote into a pack', () => {
  const RAW = '\u001b]0;owned\u0007\u001b[2J\u202eevil\u2028\u009b1A\u00ad';
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  const MOVES_A_CURSOR = /[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u;
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sayso-verify-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  function run(pack: string, ...more: string[]) {
    const file = join(folder, 'pack.json');
    writeFileSync(file, pack);
    return new Promise<{ code: number; output: string }>((resolve) => {
      execFile(process.execPath, [VERIFIER, file, ...more], (error, output, errors) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: `${output}${errors}` }),
      );
    });
  }

  it('reaches no terminal raw, neither where the pack holds nor where it does not', async () => {
    const [first] = RECORDS;
    const strange = { ...first?.part, content: { ...first?.part.content, customer_id: RAW, sequence: RAW } };
    const packs = [
      await packOf(siteParts({ more: { made_at: `2026-02-04 (${RAW})` } })),
      await packOf([header(), strange as Part]),
      await packOf([header({ kid: RAW })]),
      await packOf([header({ about: RAW }), { kind: 'text', hash: RAW, content: RAW }]),
      await packOf([header(), { kind: 'chains', chains: [[RAW, 3, RAW]] }]),
      `${RAW}\n${RAW}`,
    ];
    for (const pack of packs) {
      const { output } = await run(pack);
      expect(output).not.toMatch(MOVES_A_CURSOR);
      expect(output.length).toBeGreaterThan(20);
    }
    expect((await run(packs[4] ?? '')).output).toContain(
      String.raw`\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}evil`,
    );
  });

  it('reaches no terminal raw from the files beside it', async () => {
    const beside = join(folder, 'beside.json');
    writeFileSync(beside, `{"keys": ${RAW}`);
    for (const option of ['--keys', '--heads']) {
      const { code, output } = await run(await packOf(siteParts()), option, beside);
      expect(code).toBe(2);
      expect(output).not.toMatch(MOVES_A_CURSOR);
    }
  });

  it('fills no screen', async () => {
    const { output } = await run(
      await packOf([header(), { kind: 'chains', chains: [['x'.repeat(1e6), 3, '']] }]),
    );
    expect(output.length).toBeLessThan(2000);
  });

  it('is never offered as proof of who signed it: a forger’s pack comes with a forger’s address', async () => {
    const forger = signerOf(createKeyring(['f'.repeat(40)]));
    const mine = { kid: forger.key.kid, keys: [forger.key] };
    const pack = await packOf([header(mine), chainOf([])], forger);
    const { code, output } = await run(pack);
    expect(code).toBe(0);
    expect(output).not.toContain('forger.example');
    expect(output).toContain('This does not show who signed it');
    const keys = join(folder, 'keys.json');
    writeFileSync(keys, JSON.stringify({ keys: [signer.key] }));
    expect((await run(pack, '--keys', keys)).code).toBe(1);
  });

  it('is not believed for want of a list of keys: a file without one ends the check', async () => {
    const keys = join(folder, 'keys.json');
    writeFileSync(keys, '{}');
    expect(await run(await packOf(siteParts()), '--keys', keys)).toMatchObject({
      code: 2,
      output: expect.stringContaining('is no list of keys'),
    });
  });
});
