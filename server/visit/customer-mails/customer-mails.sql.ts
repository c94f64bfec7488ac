import type { Language } from '#contract/fields.ts';
import type { SiteDb } from '#server/platform/database.ts';

/** The language of the customer's last choice of their own. */
export async function lastLanguageOf(site: SiteDb, customerId: string): Promise<Language | null> {
  const row = await site.db
    .selectFrom('choices')
    .select('language')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('language', 'is not', null)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.language ?? null;
}
