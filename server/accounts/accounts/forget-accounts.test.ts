import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#server/platform/ids.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld } from '#test/harness/world.ts';
import { deleteEnded } from './forget-accounts.ts';

const DAY_MS = 86_400_000;

let product: TestProduct;
let userId: string;

beforeAll(async () => {
  product = await startTestProduct();
  await buildWorld(product);
  const { rows } = await product.testDatabase.owner.query<{ id: string }>('select id from users');
  userId = rows[0]?.id ?? '';
});

beforeEach(async () => {
  for (const table of ['sessions', 'password_links', 'account_links', 'outbox_emails'])
    await product.testDatabase.owner.query(`delete from ${table}`);
});

afterAll(() => product.stop());

const daysAgo = (days: number) => new Date(product.clock.now().getTime() - days * DAY_MS);
const hash = (name: string) => createHash('sha256').update(name).digest();

const write = (text: string, values: unknown[]) => product.testDatabase.owner.query(text, values);

async function ids(table: string, column: string): Promise<string[]> {
  const { rows } = await product.testDatabase.owner.query<{ name: string }>(
    `select ${column} as name from ${table} order by 1`,
  );
  return rows.map(({ name }) => name);
}

async function addSession(name: string, { expires, revoked }: { expires: number; revoked?: number }) {
  const id = newId();
  await write(
    'insert into sessions (id, user_id, created_at, expires_at, revoked_at, browser) values ($1, $2, $3, $4, $5, $6)',
    [id, userId, daysAgo(90), daysAgo(expires), revoked === undefined ? null : daysAgo(revoked), name],
  );
  return id;
}

const addToken = (sessionId: string, name: string, used: number | null) =>
  write('insert into refresh_tokens (token_hash, session_id, created_at, used_at) values ($1, $2, $3, $4)', [
    hash(name),
    sessionId,
    daysAgo(80),
    used === null ? null : daysAgo(used),
  ]);

describe('what accounts leave behind', () => {
  it('has an end: sessions a week after theirs, with their tokens', async () => {
    const open = await addSession('open', { expires: -1 });
    await addSession('expired yesterday', { expires: 1 });
    await addSession('ended yesterday', { expires: -9, revoked: 1 });
    const gone = [
      await addSession('expired', { expires: 8 }),
      await addSession('ended', { expires: -9, revoked: 8 }),
    ];
    for (const [index, id] of [open, ...gone].entries()) await addToken(id, `token ${index}`, null);

    await deleteEnded(product.services);

    expect(await ids('sessions', 'browser')).toEqual(['ended yesterday', 'expired yesterday', 'open']);
    expect(await ids('refresh_tokens', 'session_id')).toEqual([open]);
  });

  it('has an end: refresh tokens a week after their use; the unused one of an open session stays', async () => {
    const open = await addSession('open', { expires: -1 });
    await addToken(open, 'unused', null);
    await addToken(open, 'used lately', 6);
    for (let number = 0; number < 501; number += 1) await addToken(open, `used ${number}`, 8);

    await deleteEnded(product.services);

    const kept = ['unused', 'used lately'].map((name) => hash(name).toString('hex')).toSorted();
    expect(await ids('refresh_tokens', `encode(token_hash, 'hex')`)).toEqual(kept);
  });

  it.each(['password_links', 'account_links'])('has an end: %s once they have expired', async (table) => {
    const more = table === 'account_links' ? [`, kind, details`, `, 'email', '{}'`] : ['', ''];
    for (const [name, expires] of [
      ['open', -1],
      ['expired', 1],
    ] as const)
      await write(
        `insert into ${table} (token_hash, user_id, created_at, expires_at${more[0]}) values ($1, $2, $3, $4${more[1]})`,
        [hash(name), userId, daysAgo(3), daysAgo(expires)],
      );

    await deleteEnded(product.services);

    expect(await ids(table, `encode(token_hash, 'hex')`)).toEqual([hash('open').toString('hex')]);
  });

  it('has an end: emails of the outbox after 30 days', async () => {
    for (const [subject, age] of [
      ['new', 29],
      ['old', 31],
    ] as const)
      await write(
        `insert into outbox_emails (id, recipient, sender, subject, html, plain, created_at) values ($1, 'a@b.c', 'd@e.f', $2, '', '', $3)`,
        [newId(), subject, daysAgo(age)],
      );

    await deleteEnded(product.services);

    expect(await ids('outbox_emails', 'subject')).toEqual(['new']);
  });
});
