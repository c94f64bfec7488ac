import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, setCustomerLists } from '#contract/customers.ts';
import { type EvidenceFinding, getEvidenceCheck } from '#contract/evidence-check.ts';
import { EVIDENCE_CHECKS } from '#server/audience/evidence-checks/evidence-checks.jobs.ts';
import { checkSite, examineSite } from '#server/audience/evidence-checks/evidence-checks.ts';
import { signHeads } from '#server/audience/evidence-heads/evidence-heads.ts';
import { runProgram } from '#test/harness/commands.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let first: World;

beforeAll(async () => {
  product = await startTestProduct();
  first = await buildWorld(product);
});

afterAll(() => product.stop());

const owner = () => product.testDatabase.owner;

/** A site of its own with two people, who have chosen a few times. */
async function people(): Promise<{ vera: Customer; otto: Customer }> {
  world = await buildSite(product, first.owner, first.params.organization_id);
  const vera = await buildCustomer(product, world);
  const otto = await buildCustomer(product, world);
  for (const customer of [vera, otto]) {
    for (const subscribed of [true, false, true]) await choose(customer, subscribed);
  }
  return { vera, otto };
}

async function choose(customer: Customer, subscribed: boolean): Promise<void> {
  const body = [{ notification_list_id: world.weekly.id, subscribed }];
  await product.call(setCustomerLists, { params: { ...world.params, id: customer.id }, body }, world.owner);
}

/** In the order of their numbers. */
async function recordsOf(customer: Customer) {
  const params = { ...world.params, id: customer.id };
  const { results } = await product.call(listCustomerEvidence, { params }, world.owner);
  return results.toReversed();
}

const examine = () => examineSite(product.services, world.site.id, { settlesAfterMs: 0 });

/** Found by the check, said by the API and by `/readyz`. */
async function expectNoticed(finding: EvidenceFinding): Promise<void> {
  await checkSite(product.services, world.site.id, { settlesAfterMs: 0 });
  const check = await product.call(getEvidenceCheck, { params: world.params }, world.owner);
  expect(check).toMatchObject({ broken: 1, findings: [finding] });
}

async function readyz(): Promise<unknown> {
  const response = await fetch(`${product.url}/readyz`);
  expect(response.status).toBe(200);
  return response.json();
}

async function brokenSites(): Promise<number> {
  return ((await readyz()) as { broken_sites: number }).broken_sites;
}

describe('evidence that someone with full access to the database could change', () => {
  it('is intact as long as nobody does', async () => {
    await people();
    expect(await examine()).toMatchObject({ records: 8, chains: 2, broken: 0, findings: [] });
  });

  it.each([
    ['the lists', `lists = jsonb_set(lists, '{0,subscribed}', 'false')`],
    ['the moment', `occurred_at = occurred_at - interval '1 second'`],
    ['the way', `source = 'page'`],
    ['what the person saw', `shown = '{}'`],
    ['the proof', `authority = 'proven'`],
    ['the IP', `ip = '203.0.113.0'`],
    ['the hash of the address', `person_hash = '\\x00'`],
    ['the sealed person', `person_sealed = overlay(person_sealed placing 'AAAA' from 20)`],
    ['the hash itself', `hash = '\\x00'`],
  ])('is found broken when a record was altered (%s), and the record is named', async (_what, change) => {
    const { vera } = await people();
    const [, record] = await recordsOf(vera);
    await owner().query(`update choices set ${change} where id = $1`, [record?.id]);
    await expectNoticed({
      problem: 'altered',
      customer_id: vera.id,
      sequence: 2,
      record_id: record?.id ?? '',
    });
  });

  it('is found broken when a record in the middle was deleted', async () => {
    const { vera } = await people();
    const [, record] = await recordsOf(vera);
    await deleteRecord(record?.id ?? '');
    await expectNoticed({ problem: 'missing', customer_id: vera.id, sequence: 2, record_id: null });
  });

  it('is found broken when the last record was deleted', async () => {
    const { otto } = await people();
    await deleteRecord((await recordsOf(otto)).at(-1)?.id ?? '');
    await expectNoticed({ problem: 'missing', customer_id: otto.id, sequence: 4, record_id: null });
  });

  it('is found broken when all records of a person were deleted', async () => {
    const { otto } = await people();
    for (const { id } of await recordsOf(otto)) await deleteRecord(id);
    await expectNoticed({ problem: 'missing', customer_id: otto.id, sequence: 1, record_id: null });
  });

  it('is found broken when a record was added at the end', async () => {
    const { vera } = await people();
    const added = crypto.randomUUID();
    await copyRecord((await recordsOf(vera)).at(-1)?.id ?? '', { id: added, sequence: 5 });
    await expectNoticed({ problem: 'unexpected', customer_id: vera.id, sequence: 5, record_id: added });
  });

  it('is found broken when a record was inserted in between', async () => {
    const { vera } = await people();
    const records = await recordsOf(vera);
    await owner().query(
      `update choices set sequence = sequence + 10 where customer_id = $1 and sequence > 2`,
      [vera.id],
    );
    await owner().query(
      `update choices set sequence = sequence - 9 where customer_id = $1 and sequence > 2`,
      [vera.id],
    );
    await owner().query(`update customers set sequence = 5 where id = $1`, [vera.id]);
    const added = crypto.randomUUID();
    await copyRecord(records[1]?.id ?? '', { id: added, sequence: 3 });
    await expectNoticed({ problem: 'unlinked', customer_id: vera.id, sequence: 3, record_id: added });
  });

  it('is found broken when the end of a chain was removed together with its head, after a check had seen it', async () => {
    const { vera } = await people();
    await checkSite(product.services, world.site.id, { settlesAfterMs: 0 });
    const records = await recordsOf(vera);
    const [before, last] = records.slice(-2);
    await deleteRecord(last?.id ?? '');
    await owner().query('update customers set sequence = sequence - 1, evidence_hash = $2 where id = $1', [
      vera.id,
      Buffer.from(before?.hash ?? '', 'hex'),
    ]);
    const rewritten = { problem: 'rewritten', customer_id: null, sequence: null, record_id: null } as const;
    await expectNoticed(rewritten);
    // And it is not forgotten by the check after that.
    await expectNoticed(rewritten);
  });

  it('is found broken when what the last check saw was changed, too', async () => {
    await people();
    await checkSite(product.services, world.site.id, { settlesAfterMs: 0 });
    await owner().query(
      `update evidence_checks set anchor = jsonb_set(anchor, '{records}', '7') where site_id = $1`,
      [world.site.id],
    );
    const rewritten = { problem: 'rewritten', customer_id: null, sequence: null, record_id: null } as const;
    await expectNoticed(rewritten);
    await expectNoticed(rewritten);
  });

  describe('and that was signed', () => {
    const sign = () => signHeads(product.services, world.site.id, { settlesAfterMs: 0 });

    /** What the checks saw is gone, too. */
    async function forgetChecks(): Promise<void> {
      for (const table of ['evidence_checks', 'evidence_check_tasks'])
        await owner().query(`delete from ${table} where site_id = $1`, [world.site.id]);
    }

    it.each([
      ['which begins anew', `update customers set sequence = 0, evidence_hash = null where id = $1`],
      ['together with its customer', `delete from customers where id = $1`],
    ])('is found broken when a whole chain was removed with its end, %s', async (_what, removeEnd) => {
      const { otto } = await people();
      await sign();
      await checkSite(product.services, world.site.id, { settlesAfterMs: 0 });
      const [first, ...others] = await recordsOf(otto);
      await owner().query('delete from subscriptions where customer_id = $1', [otto.id]);
      for (const { id } of [...others, first].filter((one) => one !== undefined)) await deleteRecord(id);
      await owner().query(removeEnd, [otto.id]);
      await forgetChecks();
      await expectNoticed({
        problem: 'rewritten',
        customer_id: null,
        sequence: null,
        record_id: first?.id ?? '',
      });
    });

    it.each([
      ['altered', `update evidence_heads set statement = replace(statement, 'T', 't') where number = 1`],
      ['emptied', `update evidence_heads set leaves = '' where number = 1`],
      ['removed', `delete from evidence_heads where number = 1`],
    ])('is found broken when one of the heads was %s', async (_what, change) => {
      const { vera } = await people();
      await sign();
      await choose(vera, false);
      await sign();
      expect(await examine()).toMatchObject({ broken: 0 });
      await owner().query(`${change} and site_id = $1`, [world.site.id]);
      await forgetChecks();
      await expectNoticed({ problem: 'rewritten', customer_id: null, sequence: null, record_id: null });
    });
  });

  async function deleteRecord(id: string): Promise<void> {
    await owner().query('delete from subscription_changes where choice_id = $1', [id]);
    await owner().query('delete from choices where id = $1', [id]);
  }

  async function copyRecord(from: string, { id, sequence }: { id: string; sequence: number }) {
    await owner().query(
      'create temporary table copied on commit preserve rows as select * from choices where id = $1',
      [from],
    );
    await owner().query('update copied set id = $1, sequence = $2, save_id = null', [id, sequence]);
    await owner().query('insert into choices select * from copied');
    await owner().query('drop table copied');
  }
});

describe('evidence of a busy site', () => {
  it('is never called broken because people choose while it is checked', async () => {
    const { vera, otto } = await people();
    const choosing = (async () => {
      for (let round = 0; round < 15; round += 1) {
        await Promise.all([choose(vera, round % 2 === 1), choose(otto, round % 2 === 1)]);
      }
    })();
    let isOver = false;
    void choosing.finally(() => (isOver = true));
    do expect(await examine()).toMatchObject({ broken: 0 });
    while (!isOver);
    await choosing;
    expect(await examine()).toMatchObject({ broken: 0, records: 2 * 19 });
  });
});

describe('broken evidence', () => {
  it('is found by the nightly check at every site, counted by readyz, and does not stop the server', async () => {
    const { vera } = await people();
    const [, record] = await recordsOf(vera);
    await owner().query('delete from evidence_check_tasks');
    expect(await readyz()).toEqual({
      status: 'ready',
      workers: 'allowed',
      evidence: 'unchecked',
      broken_sites: 0,
    });
    // Its first night is still to come.
    await EVIDENCE_CHECKS.runDue(product.services);
    expect(await readyz()).toMatchObject({ evidence: 'unchecked' });
    const night = async () => {
      product.clock.advance({ days: 1 });
      await EVIDENCE_CHECKS.runDue(product.services);
      await logInAgain(product, first.owner);
      const check = await product.call(getEvidenceCheck, { params: world.params }, first.owner);
      return { check, brokenSites: await brokenSites() };
    };
    const { brokenSites: before, check } = await night();
    expect(check).toMatchObject({ broken: 0, records: 8, chains: 2 });

    await owner().query(`update choices set source = 'page' where id = $1`, [record?.id]);
    const broken = await night();
    expect(broken.check.findings).toEqual([
      { problem: 'altered', customer_id: vera.id, sequence: 2, record_id: record?.id },
    ]);
    expect(broken.brokenSites).toBe(before + 1);
    expect(await readyz()).toMatchObject({ status: 'ready', evidence: 'broken' });

    await owner().query(`update choices set source = 'owner' where id = $1`, [record?.id]);
    expect(await night()).toMatchObject({ check: { broken: 0, findings: [] }, brokenSites: before });
  });

  it('stays recorded: the server itself can only add to what the checks found', async () => {
    await people();
    await checkSite(product.services, world.site.id);
    const change = product.services.database.inSite(world.site.id, (site) =>
      site.query(`update evidence_checks set broken = 0 where site_id = $1`, [world.site.id]),
    );
    await expect(change).rejects.toThrow('permission denied');
  });

  // Two processes start for it, which takes its time on a busy machine.
  it(
    'makes npm run verify end with 1 and name the first bad record, and intact evidence with 0',
    { timeout: 120_000 },
    async () => {
      const { vera } = await people();
      const [, record] = await recordsOf(vera);
      const before = await verify();
      await owner().query(`update choices set source = 'page' where id = $1`, [record?.id]);
      const { code, output } = await verify();
      expect(output).toContain(`customer ${vera.id}: record 2 (${record?.id}) was altered`);
      expect(code).toBe(1);
      await owner().query(`update choices set source = 'owner' where id = $1`, [record?.id]);
      expect(before.output).toContain(`(${world.site.id}): 8 records in 2 chains, all intact`);
    },
  );

  /** Beside the product that is running. */
  const verify = () =>
    runProgram(['server/verify.ts'], {
      DATABASE_URL: product.testDatabase.ownerUrl,
      SECRET_KEY: inject('secretKey'),
    });
});
