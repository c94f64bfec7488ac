import { type Kysely, sql } from 'kysely';

/*
 * The server's role can't delete audit entries and evidence checks. These functions delete old ones of the session's site
 * for it, never younger ones, and never a site's last check (decision 077).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await forgetting(db, 'forget_audit_entries', 'audit_log', { time: 'created_at', days: 365, keep: 'false' });
  await forgetting(db, 'forget_evidence_checks', 'evidence_checks', {
    time: 'checked_at',
    days: 90,
    keep: 'id = (select id from public.evidence_checks where site_id = of_site order by id desc limit 1)',
  });
}

async function forgetting(
  db: Kysely<unknown>,
  name: string,
  table: string,
  { time, days, keep }: { time: string; days: number; keep: string },
): Promise<void> {
  await sql
    .raw(`create function ${name}(before timestamptz, most int) returns int language plpgsql security definer
  set search_path = pg_catalog set plan_cache_mode = force_custom_plan as $$
  declare
    of_site uuid := nullif(current_setting('app.site_id', true), '')::uuid;
    old uuid[];
  begin
    if before > now() - interval '${days} days' then
      raise exception '${table} is kept for ${days} days';
    end if;
    old := array(select id from (
      select id, ${time} from public.${table} where site_id = of_site order by id limit most
    ) as oldest where ${time} < before and not (${keep}));
    delete from public.${table} where site_id = of_site and id = any(old);
    return cardinality(old);
  end $$`)
    .execute(db);
  await sql.raw(`revoke execute on function ${name}(timestamptz, int) from public`).execute(db);
}
