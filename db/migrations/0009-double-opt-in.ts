import { type Kysely, sql } from 'kysely';

/*
 * Lists that people confirm by email, and on what their owners may write to them; and the pending subscriptions to such
 * lists. A process of the version before knows neither setting: it subscribes at once until it is stopped.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table lists add column double_opt_in boolean not null default false`).execute(db);
  await sql.raw(`alter table lists add column legal_basis text`).execute(db);
  // Citus adds no column together with a constraint.
  await sql
    .raw(
      `alter table lists add constraint lists_legal_basis_check
         check (legal_basis in ('consent', 'soft_opt_in', 'contract', 'legitimate_interest'))`,
    )
    .execute(db);
  await sql.raw(`alter table pending_changes add column list_ids uuid[]`).execute(db);
  await sql.raw(`alter table pending_changes drop constraint pending_changes_kind_check`).execute(db);
  await sql
    .raw(
      `alter table pending_changes add constraint pending_changes_kind_check
         check (kind in ('resubscribe', 'email_change', 'subscribe'))`,
    )
    .execute(db);
}
