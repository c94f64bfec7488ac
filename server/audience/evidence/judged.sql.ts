import { sql } from 'kysely';
import type { ChoiceSource, Evidence } from '#contract/choices.ts';
import { VISITOR_SOURCES } from '#server/audience/machines/judge.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { ChoiceRow } from './evidence.sql.ts';

/** What a visitor's choice is judged by. */
export type VisitorChoiceRow = Pick<
  ChoiceRow,
  'id' | 'customer_id' | 'occurred_at' | 'ip' | 'person_sealed' | 'person_salt'
> & { source: ChoiceSource; lists: Evidence['lists']; requested_at: string | null };

export interface IdSpan {
  from: string;
  until: string;
}

/*
 * A burst is seen in far fewer. Those that a very busy minute has beyond them are left out, so that some of a burst may be
 * called unclear, but a look at the figures stays cheap: also while an import writes.
 */
const MOST_OF_SPAN = 2000;
const MOST_LOOKED_AT = 5000;
const MOST_AROUND = 6000;

const COLUMNS = sql.raw(
  `choices.id, choices.customer_id, choices.source, choices.occurred_at, choices.ip, choices.lists,
   choices.requested->>'at' as requested_at, choices.person_sealed`,
);
const IS_VISITORS = sql.raw(`choices.source in (${VISITOR_SOURCES.map((one) => `'${one}'`).join(', ')})`);

/** Visitors' choices in ranges of ids, which are ranges of time. */
export async function visitorChoicesIn(site: SiteDb, spans: readonly IdSpan[]): Promise<VisitorChoiceRow[]> {
  if (spans.length === 0) return [];
  const { rows } = await sql<VisitorChoiceRow>`
    select found.*, customers.person_salt
    from unnest(${spans.map(({ from }) => from)}::uuid[], ${spans.map(({ until }) => until)}::uuid[])
      as span (from_id, until_id)
    cross join lateral (
      select ${COLUMNS} from (
        select * from choices
        where site_id = ${site.id} and id >= span.from_id and id < span.until_id
        order by id limit ${sql.lit(MOST_LOOKED_AT)}
      ) as choices
      where ${IS_VISITORS}
      order by choices.id limit ${sql.lit(MOST_OF_SPAN)}
    ) as found
    join customers on customers.site_id = ${site.id} and customers.id = found.customer_id
    limit ${sql.lit(MOST_AROUND)}`.execute(site.db);
  return rows;
}

/** Those of these choices that visitors made. */
export async function visitorChoicesOf(site: SiteDb, ids: readonly string[]): Promise<VisitorChoiceRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<VisitorChoiceRow>`
    select ${COLUMNS}, customers.person_salt from choices
    join customers on customers.site_id = choices.site_id and customers.id = choices.customer_id
    where choices.site_id = ${site.id} and customers.site_id = ${site.id}
      and choices.id = any(${[...ids]}::uuid[]) and ${IS_VISITORS}`.execute(site.db);
  return rows;
}
