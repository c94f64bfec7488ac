import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Customer, deleteCustomer, setCustomerLists } from '#contract/customers.ts';
import {
  EVIDENCE_KEYS_PATH,
  type EvidenceHead,
  exportCustomerProof,
  exportCustomerProofPdf,
  exportSiteProof,
  exportSiteProofPdf,
  getEvidenceAnchor,
  listEvidenceHeads,
} from '#contract/proof.ts';
import { LEGAL_BASES, type LegalBasis, updateList } from '#contract/lists.ts';
import { openCustomer, saveLists } from '#contract/public-preferences.ts';
import { updateSite } from '#contract/sites.ts';
import { getEvidenceCheck } from '#contract/evidence-check.ts';
import { canonicalText, type ChoiceRow, hashOfChoice } from '#server/audience/evidence/evidence.ts';
import { EVIDENCE_CHECKS } from '#server/audience/evidence-checks/evidence-checks.jobs.ts';
import { checkSite } from '#server/audience/evidence-checks/evidence-checks.ts';
import { signHeads } from '#server/audience/evidence-heads/evidence-heads.ts';
import { leafOf, rootOf, splitLeaves } from '#server/audience/evidence-heads/merkle.ts';
import { signerOf } from '#server/audience/evidence-heads/signing.ts';
import { createKeyring, sha256 } from '#server/platform/secrets.ts';
import { startWebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { pdfText } from '#test/harness/pdf-text.ts';
import { repeatLastRecord } from '#test/harness/repeated-records.ts';
import { type Calls, startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWorld,
  logInAgain,
  openAsProven,
  type World,
} from '#test/harness/world.ts';
import { verifyPack } from '../../../packages/verify/verify.mjs';
import { customerRecords, sitePack } from './proof.ts';

const OLD = inject('secretKey');
const NEW = `${'n'.repeat(40)}-new`;
const VERIFIER = join(import.meta.dirname, '../../../packages/verify/verify.mjs');

let product: TestProduct;
let first: World;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  first = await buildWorld(product);
});

const takeKeys = (...keys: string[]) =>
  void Object.assign(product.services, { keyring: createKeyring(keys) });

/** Another process starts with these keys, and the product goes on with them. */
async function restartWith(...keys: string[]): Promise<void> {
  const other = await startTestProduct({ beside: product, env: { SECRET_KEY: keys.join(',') } });
  await other.stop();
  takeKeys(...keys);
}

afterEach(() => takeKeys(OLD));

afterAll(() => product.stop());

const owner = () => product.testDatabase.owner;
const verified = (pack: string, options = {}) => verifyPack([Buffer.from(pack, 'utf8')], options);
const sign = () => signHeads(product.services, world.site.id, { settlesAfterMs: 0 });
const siteProof = () => product.call(exportSiteProof, { params: world.params }, world.owner);

function proofOf(customer: Customer): Promise<string> {
  return product.call(exportCustomerProof, { params: { ...world.params, id: customer.id } }, world.owner);
}

interface People {
  vera: Customer;
  otto: Customer;
}

/**
 * A site of its own with two people; Vera chose three times, once on the page.
 * @param shownBy the process that showed her the page
 */
async function people(shownBy: Calls = product): Promise<People> {
  world = await buildSite(product, first.owner, first.params.organization_id);
  const vera = await buildCustomer(product, world);
  const otto = await buildCustomer(product, world);
  const customerId = await openAsProven(shownBy, world, vera);
  const body = [
    { notification_list_id: world.weekly.id, subscribed: true },
    { notification_list_id: world.offers.id, subscribed: false },
  ];
  const headers = { 'x-page-language': 'de' } as const;
  await shownBy.call(saveLists, { params: { customerId }, headers, body }, world.visitor);
  for (const customer of [vera, otto]) await choose(customer, false);
  return { vera, otto };
}

/** No process will store the texts of their page again. */
async function peopleOfEndedProcess(): Promise<People> {
  const other = await startTestProduct({ beside: product });
  try {
    return await people(other);
  } finally {
    await other.stop();
  }
}

async function choose(customer: Customer, subscribed: boolean): Promise<void> {
  const body = [{ notification_list_id: world.weekly.id, subscribed }];
  await product.call(setCustomerLists, { params: { ...world.params, id: customer.id }, body }, world.owner);
}

/** On the page, in English. */
async function subscribe(customer: Customer): Promise<void> {
  const customerId = await openAsProven(product, world, customer);
  const body = [{ notification_list_id: world.weekly.id, subscribed: true }];
  const headers = { 'x-page-language': 'en' } as const;
  await product.call(saveLists, { params: { customerId }, headers, body }, world.visitor);
}

async function setBasis(list: { id: string }, legal_basis: LegalBasis | null): Promise<void> {
  const params = { ...world.params, id: list.id };
  // A list that is on by default can't rest on consent otherwise.
  const override = { reason: 'Only to see what its records say.' };
  await product.call(updateList, { params, body: { legal_basis, override } }, world.owner);
}

type Numbered = [customerId: string, sequence: number];

/** Each record gets what is sealed with the other. */
async function swapPeople(one: Numbered, other: Numbered): Promise<void> {
  await owner().query(
    `update choices this set person_sealed = that.person_sealed from choices that
     where this.site_id = $1 and that.site_id = this.site_id
       and (this.customer_id, this.sequence, that.customer_id, that.sequence) in
         (($2::uuid, $3::int, $4::uuid, $5::int), ($4::uuid, $5::int, $2::uuid, $3::int))`,
    [world.site.id, ...one, ...other],
  );
}

/** Ids in the order of their numbers. */
async function recordsOf({ id }: Customer): Promise<string[]> {
  const { rows } = await owner().query<{ id: string }>(
    'select id from choices where customer_id = $1 order by sequence',
    [id],
  );
  return rows.map((row) => row.id);
}

/** The texts that records name. */
async function textHashesOf({ id }: Customer): Promise<string[]> {
  const { rows } = await owner().query<{ hash: string }>(
    `select shown->>'text_hash' as hash from choices
     where customer_id = $1 and shown ? 'text_hash' order by sequence`,
    [id],
  );
  return rows.map(({ hash }) => hash);
}

/** @param which a condition on the texts of the site */
async function deleteTexts(which: string): Promise<void> {
  await owner().query(`delete from shown_texts where site_id = $1 and ${which}`, [world.site.id]);
}

interface Pack {
  parts: { part: { kind: string } & Record<string, unknown> }[];
}

const partsOf = (pack: string, kind: string) =>
  (JSON.parse(pack) as Pack).parts.map(({ part }) => part).filter((part) => part.kind === kind);

describe('a proof pack', () => {
  it('of a customer verifies, and says who, when, how, what was shown and what happened', async () => {
    const { vera } = await people();
    await sign();
    const pack = await proofOf(vera);
    expect(await verified(pack)).toMatchObject({ problems: [], records: 3, customers: 1, heads: 1 });

    const [, record] = partsOf(pack, 'record');
    expect(record).toMatchObject({
      content: { sequence: 2, source: 'page', authority: 'proven', language: 'de', ip: '127.0.0.0' },
      person: { email: vera.email },
      receipt: {
        version: 'KI-CR-v1.1.0',
        collectionMethod: 'Preference page',
        iso_27560: { schema_version: 'ISO/IEC TS 27560:2023' },
      },
      signed: { head: 1 },
    });
    // The words of the page and of its buttons, in the language that they were read in.
    const texts = partsOf(pack, 'text').map(({ content }) => content as Record<string, unknown>);
    expect(texts.map(({ kind, language }) => [kind, language])).toEqual([
      ['words', 'en'],
      ['page', undefined],
    ]);
    expect(partsOf(pack, 'text').map(({ hash }) => hash)).toContain(record?.['text']);
  });

  it('of a site verifies with every record, even while people go on choosing', async () => {
    const { vera } = await people();
    await sign();
    await choose(vera, true);
    const choosing = Promise.all([choose(vera, false), choose(vera, true)]);
    const pack = await siteProof();
    await choosing;
    const verdict = await verified(pack);
    expect(verdict.problems).toEqual([]);
    expect(verdict.records).toBeGreaterThanOrEqual(6);
    expect((await verified(await siteProof())).records).toBeGreaterThanOrEqual(7);
  });

  it('has the text that each record names by its hash, also from a version of Sayso with other words', async () => {
    const { vera } = await peopleOfEndedProcess();
    const [text = ''] = await textHashesOf(vera);
    expect(partsOf(await proofOf(vera), 'text').map(({ hash }) => hash)).toContain(text);
    // What an upgrade comes to: the words at publication were others, so this text isn't stored.
    await deleteTexts(`page_id is not null`);
    const upgraded = await startTestProduct({ beside: product });
    try {
      const body = { email: vera.email, custom_path: world.page.custom_path };
      await upgraded.call(openCustomer, { body }, world.visitor);
      await expect
        .poll(async () => (await verified(await proofOf(vera))).problems, { timeout: 10_000 })
        .toEqual([]);
    } finally {
      await upgraded.stop();
    }
    for (const pack of [await proofOf(vera), await siteProof()])
      expect(partsOf(pack, 'text').map(({ hash }) => hash)).toContain(text);
  });

  it('of records from before they named a text verifies, with the text of that time', async () => {
    const { vera } = await people();
    const { rows } = await owner().query<ChoiceRow>(
      `select choices.*, null as person_salt from choices where customer_id = $1 order by sequence`,
      [vera.id],
    );
    const [text] = await textHashesOf(vera);
    // The same chain, as it was recorded before.
    let previous: Buffer | null = null;
    for (const row of rows) {
      const { text_hash: _, ...shown } = row.shown;
      const hash = hashOfChoice({ ...row, shown, previous_hash: previous });
      await owner().query('update choices set shown = $2, hash = $3, previous_hash = $4 where id = $1', [
        row.id,
        JSON.stringify(shown),
        hash,
        previous,
      ]);
      previous = hash;
    }
    await owner().query('update customers set evidence_hash = $2 where id = $1', [vera.id, previous]);
    for (const pack of [await proofOf(vera), await siteProof()]) {
      expect((await verified(pack)).problems).toEqual([]);
      const onPage = partsOf(pack, 'record').find(
        ({ content }) => (content as { source: string }).source === 'page',
      );
      expect(onPage?.['text']).toBe(text);
    }
  });

  it('with one byte changed anywhere fails, and the verifier names the line', async () => {
    const { vera } = await people();
    await sign();
    const { missed, places } = await changeBytes(await proofOf(vera), atSomePlaces);
    expect(missed).toEqual([]);
    expect(places).toBeGreaterThan(150);
  });

  it('that is small fails with any byte changed, one after the other, and the verifier names the record', async () => {
    const { otto } = await people();
    await sign();
    const pack = await proofOf(otto);
    expect(partsOf(pack, 'record').length).toBeGreaterThan(0);
    expect(partsOf(pack, 'head').length).toBe(1);
    const { missed, places } = await changeBytes(pack, ({ length }) =>
      // Of long lines every seventh, at their ends each.
      Array.from({ length: length + 1 }, (_, at) => at).filter(
        (at) => length < 150 || at % 7 === 0 || at > length - 100,
      ),
    );
    expect(missed).toEqual([]);
    expect(places).toBeGreaterThan(1000);
  });

  it('of a site, with one byte changed anywhere, fails, and the verifier names the line', async () => {
    const { vera } = await people();
    await sign();
    await choose(vera, true);
    await sign();
    await choose(vera, false);
    const { content } = await sitePack(product.services, world.site.id, {
      settlesAfterMs: 0,
      customersAtOnce: 1,
    });
    const pack = await textOf(content);
    expect(partsOf(pack, 'chains').length).toBeGreaterThan(1);
    expect(partsOf(pack, 'head').map(({ leaves }) => typeof leaves)).toEqual(['string', 'string']);
    expect((await verified(pack)).problems).toEqual([]);
    const { missed, places } = await changeBytes(pack, atSomePlaces);
    expect(missed).toEqual([]);
    expect(places).toBeGreaterThan(200);
  });

  /** At its ends, where form matters most, and at places in between. */
  function atSomePlaces({ length }: string): number[] {
    const within = Array.from({ length: 12 }, (_, part) => Math.floor((length * part) / 12));
    return [...within, 0, 1, length - 3, length - 2, length - 1, length];
  }

  /** Changes bytes one by one, each bit in turn, and says where that isn't found, or something else is named. */
  async function changeBytes(pack: string, placesOf: (line: string) => number[]) {
    const bytes = Buffer.from(pack, 'utf8');
    const lines = bytes.toString('latin1').split('\n');
    const missed: string[] = [];
    let [start, places] = [0, 0];
    for (const [at, line] of lines.entries()) {
      for (const place of placesOf(line)) {
        if (place < 0 || start + place >= bytes.length) continue;
        const changed = Buffer.from(bytes);
        changed[start + place] = (changed[start + place] ?? 0) ^ (1 << (places % 8));
        places += 1;
        const [problem = 'holds'] = (await verifyPack([changed])).problems;
        const text = changed.subarray(start, start + line.length + 1).toString('latin1');
        if (!problem.includes(nameOf(line, text.replace(/\n$/, ''), at + 1)))
          missed.push(`${at + 1}:${place} ${problem}`);
      }
      start += line.length + 1;
    }
    return { missed, places };
  }

  /** What has to be named: the line, and which record it has, as long as that can still be read. */
  function nameOf(line: string, changed: string, number: number): string {
    // With the ID of another pack, none of its lines is signed.
    if (number === 1)
      return /^\{"format":"sayso-proof-pack\/1","pack":"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}","parts":\[$/.test(
        changed,
      )
        ? "The pack's header (line 2) was changed in this file"
        : 'Line 1 is not that of a proof pack.';
    const [, id = '', customer = '', sequence = ''] =
      /^\{"n":\d+,"part":\{"kind":"record","content":\{"site_id":"[^"]+","id":"([^"]+)","customer_id":"([^"]+)","sequence":(\d+),/.exec(
        line,
      ) ?? [];
    const names = ['"kind":"record"', '"content":{', `"id":"${id}"`, `"customer_id":"${customer}",`];
    const isReadable =
      id !== '' && [...names, `"sequence":${sequence},`].every((name) => changed.includes(name));
    return isReadable
      ? `Record ${sequence} of customer ${customer} (${id}, line ${number}) was changed in this file`
      : `line ${number}) was changed in this file`;
  }

  it('with a byte or a line added or removed fails', async () => {
    const { vera } = await people();
    const pack = await proofOf(vera);
    const [, second = ''] = await recordsOf(vera);
    const lines = pack.split('\n');
    const at = lines.findIndex((line) => line.includes(`"id":"${second}"`));
    for (const changed of [
      lines.toSpliced(at, 1),
      lines.toSpliced(at, 0, lines[at] ?? ''),
      lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? ''),
    ]) {
      expect((await verified(changed.join('\n'))).problems).not.toEqual([]);
    }
    const [problem] = (await verified(lines.toSpliced(at, 1).join('\n'))).problems;
    expect(problem).toBe(`Record 2 of customer ${vera.id} is missing.`);
    for (const changed of [`${pack}\n`, `${pack} `, ` ${pack}`, pack.slice(0, -1), pack.slice(0, 9000)])
      expect((await verified(changed)).problems).not.toEqual([]);
  });

  it('is verified by one file without network, with the result as its exit code', async () => {
    const { vera } = await people();
    const folder = mkdtempSync(join(tmpdir(), 'sayso-pack-'));
    const run = (pack: string, ...more: string[]) => {
      writeFileSync(join(folder, 'pack.json'), pack);
      return new Promise<{ code: number; output: string }>((resolve) => {
        const args = [VERIFIER, join(folder, 'pack.json'), ...more];
        execFile(process.execPath, args, (error, output) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, output }),
        );
      });
    };
    try {
      const pack = await proofOf(vera);
      const keys = join(folder, 'keys.json');
      writeFileSync(keys, await (await fetch(`${product.url}${EVIDENCE_KEYS_PATH}`)).text());
      const good = await run(pack, '--keys', keys);
      expect(good.output).toContain('This pack holds: 3 records of 1 customer');
      expect(good.code).toBe(0);
      const [, second = ''] = await recordsOf(vera);
      const bad = await run(pack.replace('"source":"page"', '"source":"tool"'), '--keys', keys);
      expect(bad.output).toContain(`Record 2 of customer ${vera.id} (${second}`);
      expect(bad.code).toBe(1);
      writeFileSync(keys, JSON.stringify({ keys: [] }));
      expect((await run(pack, '--keys', keys)).output).toContain("isn't among the trusted ones");
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(await (await fetch(`${product.url}/verify.mjs`)).text()).toContain('verifyPack');
  });
});

describe('someone with full access to the database', () => {
  it.each([
    ['the lists', `lists = jsonb_set(lists, '{0,subscribed}', 'false')`],
    ['the moment', `occurred_at = '2026-01-01T00:00:00Z'`],
    ['what the person saw', `shown = jsonb_set(shown, '{lists,0,default_state}', '"x"')`],
    ['the hash of the address', `person_hash = '\\x00'`],
  ])('who alters a record (%s) is detected: the verifier names it', async (_what, change) => {
    const { vera } = await people();
    const [, second = ''] = await recordsOf(vera);
    await owner().query(`update choices set ${change} where id = $1`, [second]);
    for (const pack of [await proofOf(vera), await siteProof()])
      expect((await verified(pack)).problems[0]).toMatch(
        new RegExp(`^Record 2 of customer ${vera.id} \\(${second}, line \\d+\\) was altered`),
      );
  });

  const SHOWED = (customer: Customer, hash: string) =>
    new RegExp(
      `^Record 2 of customer ${customer.id} \\(.*, line \\d+\\) showed the text ${hash}, which isn't in the pack`,
    );

  it.each([
    ['the page', `page_id is not null`, `'{content,attrs,tag_subject}', '"Stay with us"'`],
    ['the words of its buttons', `language = 'en'`, `'{texts,pref_template.save}', '"Agree"'`],
  ])('who alters a shown text together with its hash (%s) is detected', async (_what, which, change) => {
    const { vera } = await peopleOfEndedProcess();
    const { rows } = await owner().query<{ before: string; content: unknown }>(
      `select encode(hash, 'hex') as before, jsonb_set(content, ${change}) as content from shown_texts
       where site_id = $1 and ${which}`,
      [world.site.id],
    );
    const [text] = rows;
    expect(rows).toHaveLength(1);
    await owner().query(
      `update shown_texts set content = $3, hash = $4 where site_id = $1 and encode(hash, 'hex') = $2`,
      [world.site.id, text?.before, JSON.stringify(text?.content), sha256(canonicalText(text?.content))],
    );
    for (const pack of [await proofOf(vera), await siteProof()])
      expect((await verified(pack)).problems[0]).toMatch(SHOWED(vera, text?.before ?? ''));
  });

  it.each([
    ['the page', `page_id is not null`],
    ['the words of its buttons', `language = 'en'`],
  ])('who deletes a shown text (%s) is detected', async (_what, which) => {
    const { vera } = await peopleOfEndedProcess();
    expect((await verified(await proofOf(vera))).problems).toEqual([]);
    await deleteTexts(which);
    for (const pack of [await proofOf(vera), await siteProof()])
      expect((await verified(pack)).problems[0]).toMatch(SHOWED(vera, '[0-9a-f]{64}'));
  });

  it.each([1, 2, 3])('who deletes record %i is detected', async (number) => {
    const { vera } = await people();
    const id = (await recordsOf(vera))[number - 1] ?? '';
    await deleteRecord(id);
    const before = `Record ${number} of customer ${vera.id} is missing.`;
    for (const pack of [await proofOf(vera), await siteProof()])
      expect((await verified(pack)).problems[0]).toBe(before);
  });

  it('who rewrites the end of a chain together with its head is detected by the signed head', async () => {
    const { vera } = await people();
    await sign();
    const [, second = '', third = ''] = await recordsOf(vera);
    await deleteRecord(third);
    const { rows } = await owner().query<{ hash: Buffer }>('select hash from choices where id = $1', [
      second,
    ]);
    await owner().query('update customers set sequence = 2, evidence_hash = $2 where id = $1', [
      vera.id,
      rows[0]?.hash,
    ]);
    const [problem] = (await verified(await siteProof())).problems;
    expect(problem).toMatch(
      new RegExp(`^Record ${third} is missing: signed head 1 of .* was signed with it\\.`),
    );
  });

  it('who rewrites a record with its hash is detected by the signed head', async () => {
    const { vera } = await people();
    await sign();
    const [, , third = ''] = await recordsOf(vera);
    const hash = Buffer.alloc(32, 1);
    await owner().query('update choices set hash = $2 where id = $1', [third, hash]);
    await owner().query('update customers set evidence_hash = $2 where id = $1', [vera.id, hash]);
    for (const pack of [await proofOf(vera), await siteProof()]) {
      const { problems } = await verified(pack);
      expect(problems.join('\n')).toMatch(
        new RegExp(`Record 3 of customer ${vera.id} .* was altered after signed head 1`),
      );
    }
  });

  it('who signs a rewritten history with a new key is detected: no key of ours vouches for it', async () => {
    const { vera } = await people();
    await sign();
    const foreign = signerOf(createKeyring(['f'.repeat(40)]));
    const third = await rewriteLast(vera);
    await owner().query('insert into evidence_keys (kid, public_key, created_at) values ($1, $2, now())', [
      foreign.key.kid,
      Buffer.from(foreign.key.x, 'base64url'),
    ]);
    await signAgain(foreign, third);

    const keys = await (await fetch(`${product.url}${EVIDENCE_KEYS_PATH}`)).text();
    expect(keys).not.toContain(foreign.key.kid);
    const trusted = (JSON.parse(keys) as { keys: object[] }).keys;
    for (const pack of [await proofOf(vera), await siteProof()]) {
      // Everything else in it fits.
      expect((await verified(pack)).problems).toEqual([
        expect.stringMatching(/^Signed head 1 \(line \d+\) isn't what was signed\.$/),
      ]);
      const header = { ...partsOf(pack, 'header')[0] };
      expect(JSON.stringify(header)).not.toContain(foreign.key.x);
      expect((await verified(pack, { keys: [...trusted, foreign.key] })).problems).toHaveLength(1);
    }
    await checkSite(product.services, world.site.id, { settlesAfterMs: 0 });
    expect(await product.call(getEvidenceCheck, { params: world.params }, world.owner)).toMatchObject({
      broken: 1,
      findings: [{ problem: 'foreign_head', customer_id: null, sequence: null, record_id: null }],
    });
  });

  it('who swaps the customers of two records is detected: the verifier names both', async () => {
    const { vera, otto } = await people();
    await swapPeople([vera.id, 1], [otto.id, 1]);
    await owner().query(
      `update customers one set person_salt = other.person_salt from customers other
       where one.site_id = $2 and other.site_id = one.site_id and one.id = any($1) and other.id = any($1)
         and one.id <> other.id`,
      [[vera.id, otto.id], world.site.id],
    );
    for (const [customer, other] of [
      [vera, otto],
      [otto, vera],
    ] as const) {
      const pack = await proofOf(customer);
      expect(partsOf(pack, 'record')[0]).toMatchObject({ person: { email: other.email } });
      expect((await verified(pack)).problems[0]).toMatch(
        new RegExp(`^Record 1 of customer ${customer.id} .* was altered: the person beside it isn't the one`),
      );
    }
  });

  it('who swaps the browsers of two records of a person is detected by the pack alone', async () => {
    const { vera } = await people();
    const page = await openAsProven(product, world, vera);
    const body = [{ notification_list_id: world.weekly.id, subscribed: true }];
    await product.call(saveLists, { params: { customerId: page }, body }, world.visitor);
    const pack = await proofOf(vera);
    const [, second, , fourth] = partsOf(pack, 'record');
    expect(second).toMatchObject({ is_person_of_record: true, person: { salt: expect.any(String) } });
    await swapPeople([vera.id, 2], [vera.id, 4]);
    expect(fourth).toMatchObject({ content: { sequence: 4, source: 'page' } });
    expect((await verified(await proofOf(vera))).problems).toEqual([
      expect.stringMatching(/^Record 2 .* was altered: the browser or IP address beside it has another hash/),
      expect.stringMatching(/^Record 4 .* was altered: the browser or IP address beside it has another hash/),
    ]);
  });

  it('who alters or removes a signed head is detected', async () => {
    const { vera } = await people();
    await sign();
    await choose(vera, true);
    await sign();
    await owner().query(
      `update evidence_heads set statement = replace(statement, '"number":1', '"number":9') where site_id = $1 and number = 1`,
      [world.site.id],
    );
    expect((await verified(await siteProof())).problems[0]).toMatch(
      /^Signed head .* isn't what was signed\.$/,
    );
    await owner().query(`delete from evidence_heads where site_id = $1 and number = 1`, [world.site.id]);
    expect((await verified(await siteProof())).problems[0]).toMatch(/follows head 1, which is missing\.$/);
  });

  it('cannot change a head that was sent elsewhere before', async () => {
    await people();
    await sign();
    const { results: heads } = await product.call(listEvidenceHeads, { params: world.params }, world.owner);
    const pack = await siteProof();
    expect((await verified(pack, { heads })).problems).toEqual([]);
    const other = heads.map((head) => ({
      ...head,
      statement: head.statement.replace('"root":"', '"root":"0'),
    }));
    expect((await verified(pack, { heads: other })).problems[0]).toContain(
      'is not the one that you were sent',
    );
  });

  /** Changes what the last record says, with its hash and the end of the chain. */
  async function rewriteLast({ id }: Customer): Promise<{ id: string; hash: Buffer }> {
    const { rows } = await owner().query<ChoiceRow>(
      `update choices set lists = jsonb_set(lists, '{0,subscribed}', 'true') where customer_id = $1
       and sequence = (select sequence from customers where id = $1) returning *`,
      [id],
    );
    const [record] = rows;
    if (record === undefined) throw new Error('There is no record');
    const hash = hashOfChoice(record);
    expect(hash.equals(record.hash)).toBe(false);
    await owner().query('update choices set hash = $2 where id = $1', [record.id, hash]);
    await owner().query('update customers set evidence_hash = $2 where id = $1', [id, hash]);
    return { id: record.id, hash };
  }

  /** The first head over the records as they are now. */
  async function signAgain(signer: ReturnType<typeof signerOf>, record: { id: string; hash: Buffer }) {
    const { rows } = await owner().query<{ leaves: Buffer; statement: string }>(
      'select leaves, statement from evidence_heads where site_id = $1 and number = 1',
      [world.site.id],
    );
    const leaf = leafOf(record);
    const leaves = splitLeaves(rows[0]?.leaves ?? Buffer.alloc(0)).map((one) =>
      one.subarray(0, 16).equals(leaf.subarray(0, 16)) ? leaf : one,
    );
    const said = JSON.parse(rows[0]?.statement ?? '') as { format: string };
    const statement = JSON.stringify({ ...said, root: rootOf(leaves).toString('hex') });
    await owner().query(
      'update evidence_heads set leaves = $2, statement = $3, kid = $4, signature = $5 where site_id = $1 and number = 1',
      [
        world.site.id,
        Buffer.concat(leaves),
        statement,
        signer.key.kid,
        signer.sign(`${said.format}\n${statement}`),
      ],
    );
  }

  async function deleteRecord(id: string): Promise<void> {
    await owner().query('delete from subscription_changes where choice_id = $1', [id]);
    await owner().query('delete from choices where id = $1', [id]);
  }
});

describe('signed heads', () => {
  const anchor = () => product.call(getEvidenceAnchor, { params: world.params }, world.owner);

  /** Of this site only: those of the other tests are not due. */
  async function night(): Promise<void> {
    // A new site gets its turns by the first one.
    await EVIDENCE_CHECKS.runDue(product.services);
    await owner().query('update evidence_check_tasks set due_at = $2 where site_id = $1', [
      world.site.id,
      product.clock.now(),
    ]);
    await EVIDENCE_CHECKS.runDue(product.services);
  }

  it('go to the mailbox that the owner chose each night, as the file that the verifier compares with', async () => {
    await people();
    const body = { evidence_anchor: 'archive@shop.example' };
    await product.call(updateSite, { params: world.params, body }, world.owner);
    await owner().query('update sites set evidence_anchor_agreed = evidence_anchor where id = $1', [
      world.site.id,
    ]);
    expect(await anchor()).toEqual({
      ...{ target: body.evidence_anchor, agreed: true, asked_at: null },
      ...{ head: null, sent_at: null, error: null },
    });
    await sign();
    await night();
    const { rows } = await owner().query<{
      subject: string;
      attachments: { name: string; content: string }[];
    }>(
      `select subject, attachments from outbox_emails where recipient = $1 and subject like 'Signed evidence%'`,
      [body.evidence_anchor],
    );
    expect(rows.map(({ subject }) => subject)).toEqual([`Signed evidence of ${world.site.name}: head 2`]);
    const [file] = rows[0]?.attachments ?? [];
    const { results: heads } = JSON.parse(file?.content ?? '') as { results: EvidenceHead[] };
    expect((await verified(await siteProof(), { heads })).problems).toEqual([]);
    expect(await anchor()).toMatchObject({ head: 2, error: null });
    await product.call(updateSite, { params: world.params, body: { evidence_anchor: '' } }, world.owner);
  });

  it('go to a URL, and rejected ones again the next night, with the heads in between', async () => {
    const receiver = await startWebhookReceiver();
    try {
      await people();
      await sign();
      // Only https is accepted from owners; the receiver of the test has none.
      await owner().query('update sites set evidence_anchor = $2 where id = $1', [
        world.site.id,
        receiver.url,
      ]);
      await night();
      receiver.answerWith({ status: 500 });
      await night();
      expect(await anchor()).toMatchObject({ head: 2, error: 'The URL answered 500.' });
      receiver.answerWith({ status: 204 });
      await night();
      expect(await anchor()).toMatchObject({ head: 4, error: null });
      const sent = receiver.received.map(
        ({ body }) => (JSON.parse(body) as { results: unknown[] }).results.length,
      );
      expect(sent).toEqual([1, 1, 2]);
    } finally {
      await owner().query(`update sites set evidence_anchor = ''`);
      await receiver.close();
    }
  });

  it('go only to an email or an https URL', async () => {
    await people();
    for (const evidence_anchor of ['nobody', 'http://shop.example/heads', 'https://me@shop.example'])
      expect(
        (await product.refuse(updateSite, { params: world.params, body: { evidence_anchor } }, world.owner))
          .status,
      ).toBe(422);
  });
});

describe('the receipt in a pack', () => {
  const WORDS: [LegalBasis | null, string | null, string[]][] = [
    ['consent', 'EXPLICIT', ['consent given', 'consent withdrawn', 'consent withdrawn']],
    ['soft_opt_in', 'NONE', ['subscribed', 'objected', 'unsubscribed']],
    ['contract', 'NONE', ['subscribed', 'unsubscribed', 'unsubscribed']],
    ['legitimate_interest', 'NONE', ['subscribed', 'objected', 'unsubscribed']],
    [null, null, ['subscribed', 'unsubscribed', 'unsubscribed']],
  ];

  interface Receipt {
    services: { purposes: { consentType: string | null }[] }[];
    iso_27560: { events: { event_type: string; event_state: string; purpose_id: string }[] };
  }

  /** Of a new customer who subscribes to the weekly news, leaves them, comes back, and leaves everything. */
  async function receipts(): Promise<Receipt[]> {
    const nora = await buildCustomer(product, world);
    const customerId = await openAsProven(product, world, nora);
    const save = (subscribed: boolean, headers = {}) => {
      const body = [{ notification_list_id: world.weekly.id, subscribed }];
      return product.call(saveLists, { params: { customerId }, headers, body }, world.visitor);
    };
    for (const subscribed of [true, false, true]) await save(subscribed);
    await save(false, { 'x-unsubscribe-all': '1' });
    const pack = await proofOf(nora);
    return partsOf(pack, 'record')
      .map(({ receipt }) => receipt as Receipt)
      .filter(({ iso_27560: { events } }) => events.length > 0);
  }

  it('covers every legal basis, and none', () => {
    expect(WORDS.map(([basis]) => basis)).toEqual([...LEGAL_BASES, null]);
  });

  it.each(WORDS)(
    'of a list with the legal basis %s never calls anything else consent: %s, %j',
    async (basis, type, [joined, left, everything]) => {
      await people();
      for (const list of [world.weekly, world.offers]) await setBasis(list, basis);
      const all = await receipts();
      const states = all.map(({ iso_27560: { events } }) =>
        events.filter(({ purpose_id: id }) => id === world.weekly.id).map((event) => event.event_state),
      );
      expect(states).toEqual([[joined], [left], [joined], [left]]);
      const last = all.at(-1)?.iso_27560.events.find(({ purpose_id: id }) => id === '*');
      expect(last?.event_state).toBe(everything);
      const types = all.flatMap(({ services }) => services.flatMap(({ purposes }) => purposes));
      expect(new Set(types.map(({ consentType }) => consentType))).toEqual(new Set([type]));
      if (basis !== 'consent')
        expect(JSON.stringify(all.map(({ iso_27560 }) => iso_27560.events))).not.toMatch(/consent|explicit/);
    },
  );

  it('says neutrally that everything was left where only some of the lists are consent', async () => {
    await people();
    await setBasis(world.weekly, 'consent');
    await setBasis(world.offers, 'soft_opt_in');
    const last = (await receipts()).at(-1)?.iso_27560.events;
    expect(last?.find(({ purpose_id: id }) => id === world.weekly.id)?.event_state).toBe('consent withdrawn');
    expect(last?.find(({ purpose_id: id }) => id === '*')?.event_state).toBe('unsubscribed');
  });
});

describe('a PDF', () => {
  it.each([exportCustomerProofPdf, exportSiteProofPdf])(
    'can be read and printed: $summary',
    async (route) => {
      const { vera } = await people();
      const params = { ...world.params, id: vera.id };
      const pdf = Buffer.from(await (await product.call(route, { params }, world.owner)).arrayBuffer());
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
      expect(pdf.subarray(-6).toString()).toContain('%%EOF');
      expect(pdfText(pdf)).toContain('Proof of choices');
      expect(pdfText(pdf)).not.toMatch(/consent/i);
    },
  );

  it('says what was shown, with the words of the page, and on what legal basis', async () => {
    const { otto } = await people();
    await setBasis(world.weekly, 'soft_opt_in');
    await subscribe(otto);
    const params = { ...world.params, id: otto.id };
    const response = await product.call(exportCustomerProofPdf, { params }, world.owner);
    const text = pdfText(Buffer.from(await response.arrayBuffer()));
    expect(text).toContain('What changed Weekly news: not subscribed → subscribed');
    expect(text).toContain('Legal basis Weekly news: Soft opt-in (not consent)');
    expect(text).toContain('“Weekly news” – Every Monday (default: on)');
    expect(text).toContain(
      'Words of the page “Update your preferences” “What would you like to receive?” “Unsubscribe from all” “Save” “Your preferences have been saved” Language',
    );
    // By the team, to whom no page was shown.
    expect(text.split('Words of the page')).toHaveLength(2);
  });
});

describe('a PDF of many records, in any script', () => {
  it('reads them fifty at a time', async () => {
    const { vera } = await people();
    await repeatLastRecord(owner(), vera.id, 120);
    const { records, pages } = await customerRecords(product.services, world.site.id, vera.id);
    expect(records).toBe(120);
    const read: number[][] = [];
    for await (const page of pages) read.push(page.records.map(({ content }) => Number(content['sequence'])));
    expect(read.map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(read.flat()).toEqual(Array.from({ length: 120 }, (_, at) => at + 1));
  });

  it('has the name of each list as its owner wrote it', async () => {
    const { otto } = await people();
    const names = ['Ґанок', 'ニュース', '每周新闻', '주간소식', 'ข่าว', 'חדשות', '🎉'];
    const params = { ...world.params, id: world.weekly.id };
    for (const [at, name] of names.entries()) {
      await product.call(updateList, { params, body: { name: `${name}.` } }, world.owner);
      await choose(otto, at % 2 === 0);
    }
    const pdf = { ...world.params, id: otto.id };
    const response = await product.call(exportCustomerProofPdf, { params: pdf }, world.owner);
    // Each font's characters are a piece of their own, and Hebrew stands there as it is drawn.
    const text = pdfText(Buffer.from(await response.arrayBuffer())).replaceAll(' ', '');
    const missing = names.filter(
      (name) => !text.includes(name) && !text.includes([...name].toReversed().join('')),
    );
    expect(missing).toEqual([]);
  });
});

describe('a verified pack survives', () => {
  it('a new key, even without the old one', async () => {
    const { vera } = await people();
    await sign();
    const before = await proofOf(vera);
    const publicKeys = async () => {
      const response = await fetch(`${product.url}${EVIDENCE_KEYS_PATH}`);
      return ((await response.json()) as { keys: { kid: string }[] }).keys;
    };
    const [oldKey] = await publicKeys();
    for (const keys of [[NEW, OLD], [NEW]]) {
      await restartWith(...keys);
      await logInAgain(product, first.owner);
      const trusted = await publicKeys();
      expect(trusted.map(({ kid }) => kid)).toContain(oldKey?.kid);
      expect(trusted).toHaveLength(2);
      await choose(vera, keys.length === 1);
      await sign();
      for (const pack of [before, await proofOf(vera), await siteProof()])
        expect((await verified(pack, { keys: trusted })).problems).toEqual([]);
      expect(partsOf(await siteProof(), 'header')[0]?.['kid']).toBe(trusted[0]?.kid);
    }
    takeKeys(OLD);
    await logInAgain(product, first.owner);
  });

  it('the erasure of the person: their records still verify, without saying who it was', async () => {
    const { vera } = await people();
    await sign();
    const before = await proofOf(vera);
    await product.call(deleteCustomer, { params: { ...world.params, id: vera.id } }, world.owner);
    const after = await proofOf(vera);
    expect((await verified(before)).problems).toEqual([]);
    expect(await verified(after)).toMatchObject({ problems: [], records: 3 });
    expect((await verified(await siteProof())).problems).toEqual([]);
    expect(before).toContain(vera.email);
    for (const pack of [after, await siteProof()]) expect(pack).not.toContain(vera.email);
  });
});
