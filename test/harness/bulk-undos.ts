import type pg from 'pg';
import { type BulkChange, getBulkChange, previewUndo, startUndo } from '#contract/bulk-changes.ts';
import { newId } from '#server/platform/ids.ts';
import { NO_COUNTS } from '#server/visit/bulk-changes/undo-steps.ts';
import { handleJob } from '#server/visit/bulk-changes/undo.jobs.ts';
import type { Caller, TestProduct } from './product.ts';
import type { World } from './world.ts';

const WORKING = ['checking', 'applying'];

/** The job that an undo waits for. */
export async function undoJobOf(product: TestProduct, world: World, id: string) {
  const { rows } = await product.testDatabase.owner.query<{ round: number }>(
    'select round from bulk_undos where id = $1',
    [id],
  );
  return { site_id: world.site.id, id, round: rows[0]?.round ?? -1 };
}

/** Does one step of an undo, as a worker would. */
export async function undoOnce(product: TestProduct, world: World, id: string): Promise<void> {
  await handleJob(product.services, await undoJobOf(product, world, id));
}

/** Does the steps of an undo until it comes to rest, or waits for tools. */
async function work(product: TestProduct, world: World, id: string): Promise<BulkChange> {
  for (;;) {
    const found = await product.call(getBulkChange, { params: { ...world.params, id } }, world.owner);
    if (found.undo === null || !WORKING.includes(found.undo.status)) return found;
    await undoOnce(product, world, id);
  }
}

export async function preview(
  product: TestProduct,
  world: World,
  id: string,
  as: Caller = world.owner,
): Promise<BulkChange> {
  await product.call(previewUndo, { params: { ...world.params, id } }, as);
  return work(product, world, id);
}

/** Starts an undo, confirmed with the number in its preview. */
export async function confirmUndo(product: TestProduct, world: World, id: string): Promise<BulkChange> {
  const params = { ...world.params, id };
  const { undo: previewed } = await product.call(getBulkChange, { params }, world.owner);
  const body = { unsubscribes: previewed?.counts.unsubscribes ?? 0 };
  return product.call(startUndo, { params, body }, world.owner);
}

export async function undo(product: TestProduct, world: World, id: string): Promise<BulkChange> {
  await preview(product, world, id);
  await confirmUndo(product, world, id);
  return work(product, world, id);
}

/** A preview, written by hand: an import that changed nobody has none. */
export async function insertPreview(
  product: TestProduct,
  { site, owner }: Pick<World, 'site' | 'owner'>,
): Promise<string> {
  const id = newId();
  const now = product.clock.now();
  const about = {
    kind: 'import',
    prefix: `import:${id}:`,
    from_id: id,
    to_id: id,
    name: 'people.csv',
    integration_id: null,
    actor: `user:${owner.id}`,
    customers: 0,
    started_at: now.toISOString(),
    ended_at: now.toISOString(),
  };
  await product.testDatabase.owner.query(
    `insert into bulk_undos (site_id, id, about, status, counts, told, round, created_at, updated_at)
     values ($1, $2, $3, 'checked', $4, '{}', 0, $5, $5)`,
    [site.id, id, JSON.stringify(about), JSON.stringify(NO_COUNTS), now],
  );
  return id;
}

/** What is stored about each customer of a site, as text, by email: the same before an import and after its undo. */
export async function storedStates(db: pg.Pool, siteId: string): Promise<Map<string, string>> {
  const { rows } = await db.query<{ email: string; stored: string }>(
    `select email, concat_ws(' ', email_key, global_unsubscribe, paused_until, wrong_recipient_at, link_generation,
       (select string_agg(concat_ws(' ', list_id, subscribed, changed_at), ' ' order by list_id) from subscriptions s
        where s.site_id = c.site_id and s.customer_id = c.id)) as stored
     from customers c where site_id = $1 and email is not null order by email`,
    [siteId],
  );
  return new Map(rows.map(({ email, stored }) => [email, stored]));
}
