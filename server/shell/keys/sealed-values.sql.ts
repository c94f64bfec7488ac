import type { SiteDb } from '#server/platform/database.ts';
import type { SealedRow } from '#server/platform/secrets.ts';

/** A column with encrypted values in base64url, in a table with an id. */
export type SealedPlace =
  | { table: 'integrations'; column: 'credentials_sealed' | 'webhook_secret_sealed' }
  | { table: 'actions'; column: 'secrets_sealed' }
  | { table: 'inbound_requests'; column: 'sealed' }
  | { table: 'inbound_events'; column: 'email_sealed' }
  | { table: 'complaints'; column: 'text_sealed' | 'answer_sealed' }
  | { table: 'abuse_reports'; column: 'details_sealed' };

/** Values without the prefix of the newest key, in slices by id. */
export async function staleValues(
  site: SiteDb,
  { table, column }: SealedPlace,
  slice: { newest: readonly string[]; after: string | null; limit: number },
): Promise<SealedRow[]> {
  const { rows } = await site.query(
    `select site_id, id, ${column} as sealed from ${table}
     where site_id = $1 and ${column} <> '' and left(${column}, 3) <> all ($2::text[])
       and ($3::uuid is null or id > $3) order by id limit $4`,
    [site.id, slice.newest, slice.after, slice.limit],
  );
  return rows as SealedRow[];
}

/** @returns whether the value was unchanged; a concurrent write is kept */
export async function replaceValue(
  site: SiteDb,
  { table, column }: SealedPlace,
  { id, sealed }: SealedRow,
  fresh: string,
): Promise<boolean> {
  const { rows } = await site.query(
    `update ${table} set ${column} = $4 where site_id = $1 and id = $2 and ${column} = $3 returning id`,
    [site.id, id, sealed, fresh],
  );
  return rows.length === 1;
}

/** Whether there is evidence encrypted with an older key. It is append-only, and never re-encrypted. */
export async function hasOlderEvidence(site: SiteDb, newest: readonly string[]): Promise<boolean> {
  const { rows } = await site.query(
    'select 1 from choices where site_id = $1 and left(person_sealed, 3) <> all ($2::text[]) limit 1',
    [site.id, newest],
  );
  return rows.length > 0;
}
