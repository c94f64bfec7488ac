import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkSite } from '#server/audience/evidence-checks/evidence-checks.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld, type World } from '#test/harness/world.ts';
import { RETENTION } from './retention.jobs.ts';

let product: TestProduct;
let nora: World;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct({ env: { AUDIT_LOG_DAYS: '400' } });
  nora = await buildWorld(product, 'nora');
});

beforeEach(async () => {
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
});

afterAll(() => product.stop());

const rows = async <T extends object>(text: string, values: unknown[]): Promise<T[]> =>
  (await product.testDatabase.owner.query<T>(text, values)).rows;

const daysAgo = (days: number) => new Date(product.clock.now().getTime() - days * 86_400_000);

async function night(): Promise<void> {
  await RETENTION.runDue(product.services);
  await rows('update retention_tasks set due_at = $1, lease = null', [product.clock.now()]);
  await RETENTION.runDue(product.services);
}

/** Ages of what a table has of the site, in days, oldest first. */
async function agesOf(table: string, time: string): Promise<number[]> {
  const found = await rows<{ age: number }>(
    `select round(extract(epoch from $2::timestamptz - ${time}) / 86400)::int as age from ${table}
     where site_id = $1 order by age desc`,
    [acme.params.site_id, product.clock.now()],
  );
  return found.map(({ age }) => age);
}

const addEntries = (ages: readonly number[]) =>
  rows(
    `insert into audit_log (site_id, id, actor, event, subject, details, created_at)
     select $1, gen_random_uuid(), 'user:' || gen_random_uuid(), 'list.created', '', '{}', unnest($2::timestamptz[])`,
    [acme.params.site_id, ages.map(daysAgo)],
  );

async function addChecks(ages: readonly number[]): Promise<void> {
  for (const age of ages) {
    await checkSite(product.services, acme.params.site_id);
    await rows(
      `update evidence_checks set checked_at = $2
       where site_id = $1 and id = (select id from evidence_checks where site_id = $1 order by id desc limit 1)`,
      [acme.params.site_id, daysAgo(age)],
    );
  }
}

describe('an entry of the audit log', () => {
  it('goes after AUDIT_LOG_DAYS, however many there are', async () => {
    await rows('delete from audit_log where site_id = $1', [acme.params.site_id]);
    await addEntries([...Array.from({ length: 1100 }, () => 401), 399]);
    await night();
    expect(await agesOf('audit_log', 'created_at')).toEqual([399]);
  });

  it('of another site stays', async () => {
    await addEntries([401]);
    const asNora = product.services.database.inSite(nora.params.site_id, (site) =>
      site.query('select forget_audit_entries($1, 500) as forgotten', [daysAgo(400)]),
    );
    expect((await asNora).rows).toEqual([{ forgotten: 0 }]);
    expect((await agesOf('audit_log', 'created_at'))[0]).toBe(401);
  });
});

describe('a check of the evidence', () => {
  it('goes after a year, but never the last one of a site', async () => {
    await addChecks([500, 366, 364]);
    await night();
    expect(await agesOf('evidence_checks', 'checked_at')).toEqual([364]);
    await rows('update evidence_checks set checked_at = $2 where site_id = $1', [
      acme.params.site_id,
      daysAgo(900),
    ]);
    await night();
    expect(await agesOf('evidence_checks', 'checked_at')).toEqual([900]);
  });

  it('leaves nothing behind that looks tampered with', async () => {
    await addChecks([500, 500]);
    await night();
    expect(await checkSite(product.services, acme.params.site_id)).toMatchObject({ broken: 0 });
  });
});

describe('a report about a page', () => {
  it('goes after a year, open or closed', async () => {
    await rows(
      `insert into abuse_reports (site_id, id, host, path, reason, details_sealed, received_at, closed_at)
       select $1, gen_random_uuid(), 'acme.localhost', 'preferences', 'other', 'x', unnest($2::timestamptz[]),
         unnest($3::timestamptz[])`,
      [acme.params.site_id, [366, 366, 364].map(daysAgo), [null, daysAgo(360), daysAgo(360)]],
    );
    await night();
    expect(await agesOf('abuse_reports', 'received_at')).toEqual([364]);
  });
});

describe('someone who takes over the server', () => {
  it.each([
    ['forget_audit_entries', 'audit_log', 364, 'audit_log is kept for 365 days'],
    ['forget_evidence_checks', 'evidence_checks', 89, 'evidence_checks is kept for 90 days'],
  ])('cannot have %s delete younger rows of %s', async (name, table, age, message) => {
    const asked = product.services.database.inSite(acme.params.site_id, (site) =>
      site.query(`select ${name}($1, 500)`, [daysAgo(age)]),
    );
    await expect(asked, table).rejects.toThrow(message);
  });
});
