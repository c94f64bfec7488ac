import type pg from 'pg';
import { newId } from '#server/platform/ids.ts';
import { NO_COUNTS } from '#server/visit/bulk-changes/undo-steps.ts';

const COMPARED = {
  total: 1,
  customers: 1,
  compared: 1,
  same: 0,
  different: 1,
  mended: 0,
  failed: 0,
  unknown: 0,
  skipped: 0,
};

/** Brings what else grows with a site to its size. Rows that fit together need no check of each. */
export async function growBeside(
  client: pg.Client,
  {
    site,
    owner,
    lists,
    action,
    oneIn,
  }: { site: string; owner: string; lists: string[]; action: string; oneIn: number },
) {
  const known = await client.query<{ id: string; kind: string }>(
    `select id, 'integration' as kind from integrations where site_id = $1
     union all select id, 'import' from imports where site_id = $1
     union all select id, 'comparison' from reconciliations where site_id = $1`,
    [site],
  );
  const idOf = (kind: string) => known.rows.find((row) => row.kind === kind)?.id ?? newId();
  const imported = idOf('import');
  const ids = {
    integration: idOf('integration'),
    import: imported,
    comparison: idOf('comparison'),
    // The undoing of an import has its id.
    bulkChange: imported,
  };
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into integrations (site_id, id, provider, name, credentials_sealed, status, created_at, updated_at)
     values ($1, $2, 'brevo', 'Brevo', '', 'connected', now(), now()) on conflict do nothing`,
    [site, ids.integration],
  );
  await client.query(
    `insert into imports (site_id, id, source, status, file_name, columns, options, counts, position, round, created_by, created_at, updated_at, ended_at)
     values ($1, $2, 'csv', 'finished', 'people.csv', '{email}', '{}', '{}', 0, 1, $3, now(), now(), now()) on conflict do nothing`,
    [site, ids.import, owner],
  );
  await client.query(
    `insert into site_domains (site_id, host, created_at, next_check_at)
     values ($1, 'mail.millions.example', now(), now() + interval '1 day') on conflict do nothing`,
    [site],
  );
  await client.query(
    `insert into reconciliations (site_id, id, integration_id, kind, status, counts, started_at, finished_at)
     values ($1, $2, $3, 'nightly', 'finished',
       $4, now(), now()) on conflict do nothing`,
    [site, ids.comparison, ids.integration, JSON.stringify(COMPARED)],
  );
  await client.query(
    `insert into bulk_undos (site_id, id, about, status, counts, told, round, started_by, created_at, updated_at)
     values ($1, $2, $3, 'finished', $4, '{}', 1, null, now(), now()) on conflict do nothing`,
    [
      site,
      ids.bulkChange,
      JSON.stringify({
        kind: 'import',
        prefix: `import:${ids.bulkChange}:`,
        from_id: ids.bulkChange,
        to_id: ids.bulkChange,
        name: 'people.csv',
        integration_id: null,
        actor: `user:${owner}`,
        customers: 0,
        started_at: new Date().toISOString(),
        ended_at: new Date().toISOString(),
      }),
      JSON.stringify(NO_COUNTS),
    ],
  );
  const some = `select *, row_number() over (order by id) as n from customers
    where site_id = $1 and erased_at is null and ('x' || right(id::text, 4))::bit(16)::int % ${oneIn} = 0`;
  const beside: [text: string, values: unknown[]][] = [
    [
      `insert into import_rows (site_id, import_id, number, email, email_key, fields, preferences, verdict, reason, customer_id, applied_at)
       select site_id, $2, n, email, email_key, array[email], '{"lists":[],"leaves":null}',
         case when n % 4 = 0 then 'rejected' else 'changed' end, 'No list', id, now() from (${some}) c on conflict do nothing`,
      [ids.import],
    ],
    [
      `insert into discrepancies (site_id, id, reconciliation_id, integration_id, customer_id, action_id, target_key, kind, change, ours, theirs, status, created_at)
       select site_id, id, $2, $3, id, $4, 'list:1', 'not_applied', $5::jsonb, $6::jsonb, $7::jsonb,
         case when n % 2 = 0 then 'open' else 'mended' end, created_at from (${some}) c on conflict do nothing`,
      [
        ids.comparison,
        ids.integration,
        action,
        JSON.stringify({
          in: 'tool',
          type: 'list',
          target: { id: '1', name: 'News' },
          on: true,
          list_ids: lists.slice(0, 1),
        }),
        JSON.stringify({
          global_unsubscribe: false,
          paused_until: null,
          lists: lists.slice(0, 1).map((id) => ({ list_id: id, subscribed: true })),
          changed_at: new Date().toISOString(),
        }),
        JSON.stringify({ known: true, unsubscribed: false, holds: false }),
      ],
    ],
    [
      `insert into inbound_events (site_id, id, integration_id, event_key, kind, occurred_at, received_at, customer_id, outcome)
       select site_id, id, $2, decode(md5(id::text), 'hex'), 'unsubscribed', created_at, created_at, id, 'applied' from (${some}) c
       on conflict do nothing`,
      [ids.integration],
    ],
    [
      `insert into complaints (site_id, id, customer_id, language, received_at, due_at, closed_at, outcome)
       select site_id, id, id, 'en', created_at, created_at + interval '30 days',
         case when n % 2 = 0 then created_at end, case when n % 2 = 0 then 'upheld' end from (${some}) c on conflict do nothing`,
      [],
    ],
    [
      `insert into audit_log (site_id, id, actor, event, subject, details, created_at)
       select site_id, id, 'user:' || $2, 'customer.created', id::text, '{}', created_at from (${some}) c on conflict do nothing`,
      [owner],
    ],
    [
      `insert into bulk_undo_customers (site_id, undo_id, customer_id, verdict, plan, is_new, applied_at)
       select site_id, $2, id, case when n % 3 = 0 then 'kept' else 'restored' end,
         '{"sequences":[],"restored":[],"kept":[]}', false, now() from (${some}) c on conflict do nothing`,
      [ids.bulkChange],
    ],
    [
      `insert into email_bounces (site_id, customer_id, email_key, status, reply, bounced_at)
       select site_id, id, email_key, 550, 'No such user', created_at from (${some}) c on conflict do nothing`,
      [],
    ],
    [
      `insert into pending_changes (site_id, customer_id, kind, id, sequence, change_sealed, requested, expires_at, list_ids)
       select site_id, id, 'subscribe', id, sequence, '', '{}', now() + interval '1 day', array[$2::uuid] from (${some}) c
       on conflict do nothing`,
      [lists[0]],
    ],
  ];
  const size = await client.query<{ wanted: string; there: string }>(
    `select (select count(*) from customers where site_id = $1) / $2::int as wanted,
       (select count(*) from complaints where site_id = $1) as there`,
    [site, oneIn],
  );
  const { wanted, there } = size.rows[0] ?? { wanted: 0, there: 0 };
  const isGrown = Number(there) > 0.9 * Number(wanted);
  if (!isGrown) for (const [text, values] of beside) await client.query(text, [site, ...values]);
  // As the check of last night counted it.
  await client.query(
    `insert into evidence_checks (site_id, id, records, chains, broken, findings, anchor, seal, checked_at)
     select $1, $2::uuid, records, chains, 0, '[]', jsonb_build_object('before', $2::uuid::text, 'records', records, 'digest', ''), '', now()
     from (select count(*) as records from choices where site_id = $1) r,
       (select count(*) as chains from customers where site_id = $1) c`,
    [site, newId()],
  );
  await client.query('set session_replication_role = origin');
  await client.query(isGrown ? 'vacuum analyze evidence_checks' : 'vacuum analyze');
  const { rows } = await client.query<{ id: string }>(
    'select id from complaints where site_id = $1 order by id desc limit 1',
    [site],
  );
  return { ...ids, complaint: rows[0]?.id ?? '' };
}
