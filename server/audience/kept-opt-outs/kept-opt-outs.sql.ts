import { type Selectable, sql } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';

export type KeptOptOutRow = Omit<Selectable<TenantTables['kept_opt_outs']>, 'site_id'>;

export async function keptUnder(site: SiteDb, addressHashes: readonly Buffer[]): Promise<KeptOptOutRow[]> {
  return site.db
    .selectFrom('kept_opt_outs')
    .select(['address_hash', 'about', 'kind', 'integration_id', 'happened_at', 'kept_at'])
    .where('site_id', '=', site.id)
    .where(sql<boolean>`address_hash = any(${[...addressHashes]}::bytea[])`)
    .execute();
}

/** Of several about the same, the last one counts: it outweighs the most. */
export async function insertKept(site: SiteDb, rows: readonly KeptOptOutRow[]): Promise<void> {
  if (rows.length === 0) return;
  await site.db
    .insertInto('kept_opt_outs')
    .values(rows.map((row) => ({ ...row, site_id: site.id })))
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'address_hash', 'about'])
        .doUpdateSet((eb) => ({
          kind: eb.ref('excluded.kind'),
          integration_id: eb.ref('excluded.integration_id'),
          happened_at: eb.ref('excluded.happened_at'),
          kept_at: eb.ref('excluded.kept_at'),
        }))
        .whereRef('kept_opt_outs.happened_at', '<', 'excluded.happened_at'),
    )
    .execute();
}

export function deleteKept(siteId: string, addressHashes: readonly Buffer[]): Statement {
  return {
    sql: `delete from kept_opt_outs where site_id = $1 and address_hash = any($2::bytea[])`,
    parameters: [siteId, [...addressHashes]],
  };
}

export async function hasKeptBefore(site: SiteDb, before: Date): Promise<boolean> {
  const row = await site.db
    .selectFrom('kept_opt_outs')
    .select('about')
    .where('site_id', '=', site.id)
    .where('kept_at', '<', before)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** @param before what was kept before it is deleted */
export async function deleteKeptBefore(site: SiteDb, before: Date): Promise<void> {
  await site.db
    .deleteFrom('kept_opt_outs')
    .where('site_id', '=', site.id)
    .where('kept_at', '<', before)
    .execute();
}
