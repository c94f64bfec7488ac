import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `alter table members add constraint members_role_check check (role in ('viewer', 'editor', 'admin', 'owner'))`,
  // Gone once it is accepted or withdrawn: nobody's address is kept for nothing.
  `create table invitations (
    id uuid constraint invitations_pkey primary key,
    organization_id uuid not null,
    email text not null,
    email_key text not null,
    role text not null constraint invitations_role_check check (role in ('viewer', 'editor', 'admin', 'owner')),
    token_hash bytea not null constraint invitations_token_key unique,
    invited_by uuid not null,
    sent_at timestamptz not null,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    constraint invitations_email_key unique (organization_id, email_key)
  )`,
  `alter table invitations add constraint invitations_organization_fk foreign key (organization_id) references organizations (id) on delete cascade`,
  `alter table invitations add constraint invitations_user_fk foreign key (invited_by) references users (id) on delete cascade`,
  // What reads leaves no trace.
  `alter table api_keys rename column last_used_at to last_changed_at`,
  `alter table api_keys add column scopes text[] not null default '{}'`,
  `alter table api_keys add column expires_at timestamptz`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
