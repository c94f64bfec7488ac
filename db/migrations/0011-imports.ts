import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

const CONSTRAINTS = [
  `alter table import_rows add constraint import_rows_import_fk foreign key (site_id, import_id) references imports (site_id, id) on delete cascade`,
];

const INDEXES = [
  // For duplicates, and for the erasure of a person.
  `create index import_rows_email_idx on import_rows (site_id, email_key, import_id) where email_key is not null`,
  `create index import_rows_customer_idx on import_rows (site_id, customer_id) where customer_id is not null`,
  `create index import_rows_unread_idx on import_rows (site_id, import_id) where email_key is null`,
  `create index import_rows_verdict_idx on import_rows (site_id, import_id, verdict, number)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  // Nothing was ever written to it.
  await sql.raw(`drop table imports`).execute(db);
  await createTenantTable(
    db,
    'imports',
    `id uuid not null,
    source text not null constraint imports_source_check check (source in ('csv', 'tool')),
    status text not null,
    file_name text,
    integration_id uuid,
    kind text,
    resources jsonb,
    columns text[],
    mapping jsonb,
    options jsonb not null,
    counts jsonb not null,
    reading jsonb,
    position int not null,
    round int not null,
    error text,
    created_by uuid not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    ended_at timestamptz,
    constraint imports_pkey primary key (site_id, id)`,
  );
  await createTenantTable(
    db,
    'import_rows',
    `import_id uuid not null,
    number int not null,
    email text,
    email_key text,
    fields text[],
    wish jsonb,
    flaw text,
    verdict text,
    reason text,
    customer_id uuid,
    choice_id uuid,
    applied_at timestamptz,
    constraint import_rows_pkey primary key (site_id, import_id, number)`,
    { hangsOnSite: false },
  );
  for (const statement of [...CONSTRAINTS, ...INDEXES]) await sql.raw(statement).execute(db);
}
