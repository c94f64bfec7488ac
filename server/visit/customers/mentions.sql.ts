import { sql } from 'kysely';
import type { Erased } from '#server/audience/customers/address-spellings.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { eraseImportRows } from '#server/sync/imports/imports.ts';

/** Error texts of tools and files, which may mention a customer other than the row's own. */
const OTHERS_WORDS = [
  ['actions', 'disabled_reason'],
  ['reconciliations', 'error'],
  ['deliveries', 'last_error'],
  ['discrepancies', 'error'],
  ['imports', 'error'],
  ['imports', 'file_name'],
  ['inbound_events', 'reason'],
  ['integrations', 'poll_error'],
  ['integrations', 'status_reason'],
  ['synced_links', 'error'],
  ['link_fields', 'trouble'],
] as const;

/** Removes a customer from rows that belong to others, or to nobody. */
export async function eraseMentions(site: SiteDb, erased: Erased): Promise<void> {
  await eraseImportRows(site, erased);
  for (const [table, column] of OTHERS_WORDS) {
    const mention = column === 'file_name' ? erased.mentionInName : erased.mention;
    await sql`
      update ${sql.table(table)}
      set ${sql.ref(column)} = regexp_replace(${sql.ref(column)}, ${mention}, '\\1...', 'gi')
      where site_id = ${site.id} and ${sql.ref(column)} ~* ${mention}`.execute(site.db);
  }
  // Where no mail server is set. The outbox is no site's; a mail that names the person goes as a whole.
  await sql`
    delete from outbox_emails
    where concat_ws(chr(10), recipient, subject, html, plain, attachments::text) ~* ${erased.mention}`.execute(
    site.db,
  );
}
