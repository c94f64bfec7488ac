import { sql } from 'kysely';

/*
 * A record that says only that a customer came chose nothing. Written out as in the index of these records, because only
 * then does the planner use it.
 */
const ONLY_CAME = `choices.events = '{customer_created}' and choices.lists = '[]'`;

/** For the index in `added-indexes.ts`. */
export const IS_ARRIVAL = sql.raw<boolean>(`(${ONLY_CAME} and choices.is_test is null)`);

export const CHOSE_SOMETHING = sql.raw<boolean>(`not (${ONLY_CAME})`);
