import { sql } from 'kysely';

/*
 * A record that says only that a customer came chose nothing. Written out as in the index of these records, because only
 * then does the planner use it.
 */
const ONLY_CAME = `choices.events = '{customer_created}' and choices.lists = '[]'`;

/** For the index in `added-indexes.ts`. */
export const IS_ARRIVAL = sql.raw<boolean>(`(${ONLY_CAME} and choices.is_test is null)`);

export const CHOSE_SOMETHING = sql.raw<boolean>(`not (${ONLY_CAME})`);

/**
 * The choice is undone with the bulk change that made it, or is that undo: neither counts any more. Only choices that
 * somebody made for customers can be, so that few are looked up.
 * @param siteId of the query around it, which reads `choices`
 */
export const isUndone = (siteId: string) => sql<boolean>`(
  choices.replaced is not null and (
    (choices.source = 'undo' and choices.shown -> 'undone' is not null)
    or exists (
      select from choices as undo
      where undo.site_id = ${siteId} and undo.site_id = choices.site_id and undo.customer_id = choices.customer_id
        and undo.sequence > choices.sequence and undo.source = 'undo'
        and undo.shown -> 'undone' -> 'sequences' @> to_jsonb(choices.sequence)
    )
  )
)`;
