import type { SiteDb } from '#server/platform/database.ts';

export interface ErasedRow {
  id: string;
  erased_at: Date;
  erased_key: Buffer | null;
}

export async function erasedCustomersAfter(
  site: SiteDb,
  after: string | null,
  limit: number,
): Promise<ErasedRow[]> {
  let select = site.db
    .selectFrom('customers')
    .select(['id', 'erased_at', 'erased_key'])
    .where('site_id', '=', site.id)
    .where('erased_at', 'is not', null)
    .orderBy('id')
    .limit(limit);
  if (after !== null) select = select.where('id', '>', after);
  const rows = await select.execute();
  return rows.flatMap((row) => (row.erased_at === null ? [] : [{ ...row, erased_at: row.erased_at }]));
}

/**
 * For a customer who was created, unsubscribed from everything and erased after the backup: only the opt-out is
 * restored. If the customer's erased row exists, the key of the address is stored with it again.
 */
export async function storeErasedKey(
  site: SiteDb,
  { id, erased_key, erased_at }: ErasedRow & { erased_key: Buffer },
): Promise<void> {
  await site.db
    .insertInto('customers')
    .values({
      site_id: site.id,
      id,
      email: null,
      email_key: null,
      global_unsubscribe: true,
      paused_until: null,
      sequence: 0,
      evidence_hash: null,
      person_salt: null,
      created_at: erased_at,
      updated_at: erased_at,
      erased_at,
      erased_key,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'id'])
        .doUpdateSet((eb) => ({ erased_key: eb.ref('excluded.erased_key') }))
        .where('customers.erased_at', 'is not', null),
    )
    .execute();
}
