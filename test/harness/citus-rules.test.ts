import { describe, expect, inject, it } from 'vitest';
import { type Catalog, createCitusRules, type Rule, RULES } from './citus-rules.ts';

const CATALOG: Catalog = {
  tenantTables: ['lists', 'customers', 'subscriptions'],
  referenceTables: ['organizations', 'sites', 'host_names'],
  volatile: ['random', 'clock_timestamp', 'gen_random_uuid', 'nextval'],
  unstable: [
    'random',
    'clock_timestamp',
    'gen_random_uuid',
    'nextval',
    'now',
    'to_jsonb',
    'concat',
    'to_char',
  ],
};

const check = createCitusRules(CATALOG);
const rulesBrokenBy = (message: string) => check(message).map(({ rule }) => rule);

/** What each rule finds, and the same asked for in a way that works. */
const EXAMPLES: Record<Rule, { red: string[]; green: string[] }> = {
  'two-homes': {
    red: [
      // The own-domain checks that never ran.
      `update host_name_owners set released_at = $1 where released_at is null
         and not exists (select from host_names where host_names.host = host_name_owners.host)`,
      `select sites.id from sites left join site_domains on site_domains.site_id = sites.id`,
      `select 1 from lists, users where lists.site_id = $1 and users.id = lists.made_by`,
      `with known as (select id from users) select 1 from sites where id in (select id from known)`,
      `select 1 from queue.job, sites`,
    ],
    green: [
      `update host_name_owners set released_at = $1 where host = any($2::text[])`,
      `select 1 from sites join organizations on organizations.id = sites.organization_id`,
      `select 1 from lists join sites on sites.id = lists.site_id where lists.site_id = $1`,
      `with users as (select 1) select 1 from sites, users`,
      `select 1 from sites, pg_extension`,
    ],
  },
  'no-site': {
    red: [
      `select 1 from lists where id = $1`,
      `select 1 from lists where site_id = current_setting('app.site_id')::uuid`,
      `select 1 from lists where site_id = any($1)`,
      `select 1 from lists where site_id = $1 or id = $2`,
      `select 1 from lists join customers on customers.id = lists.made_by where lists.site_id = $1`,
      `select 1 from lists where site_id = $1 and exists (select from customers where id = lists.made_by)`,
      `update lists set name = $1 where id = $2`,
      `delete from lists using customers where lists.site_id = $1 and customers.id = lists.made_by`,
      `with known as (select * from lists) select 1 from customers where site_id = $1`,
      `select 1 from lists where site_id = $1 union select 1 from customers`,
      `prepare m0 as select 1 from lists where id = $1`,
      `select 1 from (select site_id from lists) as l where l.site_id = $1`,
    ],
    green: [
      `select 1 from lists where site_id = $1::uuid`,
      `select 1 from lists as l where (l.site_id, l.id) = ($1, $2)`,
      `select 1 from lists where 'e7c9a3f0-0000-7000-8000-000000000000' = site_id`,
      `select 1 from lists join customers on customers.site_id = lists.site_id where lists.site_id = $1`,
      `select 1 from lists left join customers using (site_id) where lists.site_id = $1`,
      `select 1 from lists join sites on sites.id = lists.site_id where sites.id = $1`,
      `select 1 from lists where site_id = $1 and exists (select from customers where customers.site_id = lists.site_id)`,
      `with changed (site_id, id) as (values ($1::uuid, $2::uuid)) update lists set name = '' from changed
         where lists.site_id = $3 and changed.site_id = lists.site_id`,
      `with known as (select site_id, id from lists where site_id = $1)
         select 1 from customers join known on known.site_id = customers.site_id`,
      `select 1 from lists, lateral (select 1 from customers where customers.site_id = lists.site_id) as c
         where lists.site_id = $1`,
      `select id from users where id = $1`,
    ],
  },
  'lock-everywhere': {
    red: [`select 1 from lists where id = $1 for update skip locked`],
    green: [
      `select 1 from lists where site_id = $1 for update skip locked`,
      `select 1 from site_domains where next_check_at < $1 for update skip locked`,
    ],
  },
  'insert-select': {
    red: [
      `insert into lists (site_id, id) select $1, unnest($2::uuid[])`,
      `insert into lists (site_id, id) select $1, id from unnest($2::uuid[]) as id`,
      `insert into lists (site_id, id) select site_id, $2 from customers cross join unnest($3::uuid[]) where site_id = $1`,
      `insert into lists (site_id, id) select $1, id from customers where site_id = $1`,
      `insert into lists (site_id, id) select site_id, gen_random_uuid() from customers where site_id = $1`,
      `with gone as (values ($1::uuid)) insert into lists (site_id) select column1 from gone`,
    ],
    green: [
      `insert into lists (site_id, id) values ($1, $2), ($3, $4)`,
      `insert into lists (site_id, id) select site_id, id from customers where site_id = $1`,
      `insert into queue.job (id) select id from json_to_recordset($1) as x (id uuid)`,
    ],
  },
  'insert-without-site': {
    red: [
      `insert into lists values ($1, $2)`,
      `insert into lists (id) values ($1)`,
      `insert into lists (site_id, id) values ($1, $2), (current_setting('app.site_id')::uuid, $3)`,
    ],
    green: [`insert into lists (id, site_id) values ($1, $2::uuid)`, `insert into users (id) values ($1)`],
  },
  'query-in-values': {
    red: [
      `insert into lists (site_id, id) values ($1, (select $2::uuid))`,
      `insert into lists (site_id, id) values ($1, $2) on conflict (site_id, id) do update set name = (select $3)`,
    ],
    green: [
      `insert into users (id) values ((select $1::uuid))`,
      `insert into lists (site_id, id) values ($1, $2) on conflict (site_id, id) do update set name = excluded.name`,
    ],
  },
  'volatile-change': {
    red: [
      `update lists set id = gen_random_uuid() where site_id = $1`,
      `delete from lists where site_id = $1 and made_at < clock_timestamp()`,
      `insert into lists (site_id) values ($1) on conflict (site_id) do update set number = nextval('n')`,
      `with done as (update lists set rank = random() where site_id = $1 returning id) select 1 from done`,
    ],
    green: [
      `insert into lists (site_id, id) values ($1, gen_random_uuid())`,
      `update users set id = gen_random_uuid()`,
      `with fresh as (select random() as rank) update lists set rank = fresh.rank from fresh where site_id = $1`,
    ],
  },
  'unstable-change': {
    red: [
      `insert into lists (site_id) values ($1) on conflict (site_id) do update set made_at = now()`,
      `insert into lists (site_id) values ($1) on conflict (site_id) do update set made_at = current_timestamp`,
      `update lists set ends_at = ends_at + interval '5 min' where site_id = $1`,
      `update lists set kept = to_jsonb(name) where site_id = $1`,
      `update lists set made_at = coalesce(made_at, now()) where site_id = $1`,
      `delete from lists where site_id = $1 returning to_char(made_at, 'YYYY')`,
      `delete from lists where site_id = $1 and concat(name, $2) = $3`,
    ],
    green: [
      `insert into lists (site_id, made_at) values ($1, now()) on conflict (site_id) do update set made_at = excluded.made_at`,
      `update lists set ends_at = now() + interval '5 min' where site_id = $1`,
      `update lists set ends_at = $2::timestamptz + interval '5 min' where site_id = $1`,
      `select to_char(made_at, 'YYYY') from lists where site_id = $1`,
      `update users set kept = to_jsonb(name)`,
    ],
  },
  'skip-in-reference': {
    red: [`select 1 from sites for update skip locked`, `select 1 from sites where id = $1 for share nowait`],
    green: [
      `select 1 from sites where id = $1 for no key update`,
      `select 1 from users for update skip locked`,
      `select 1 from lists where site_id = $1 for update nowait`,
    ],
  },
  'no-such-command': {
    red: [
      `merge into lists using customers on customers.id = lists.id when matched then delete`,
      `update lists set name = '' where current of c`,
      `delete from lists where site_id = $1 and ctid = $2`,
    ],
    green: [`delete from users where ctid = $1`, `delete from lists where site_id = $1`],
  },
  'set-config': {
    red: [`select set_config('app.site_id', $1, true)`],
    green: [`select current_setting('app.site_id')`],
  },
  'session-setting': {
    red: [`set app.site_id = 'x'`, `set time zone 'UTC'`],
    green: [`set local app.site_id = 'x'`, `set transaction isolation level repeatable read`],
  },
  'named-outside': {
    red: [
      `with counted (day, value) as (select 0, 1 union all select 1, count(*) from lists where site_id = $1)
         select day from counted`,
    ],
    green: [
      `with counted as (select 0 as day, 1 as value union all select 1, count(*) from lists where site_id = $1)
         select day from counted`,
      `with counted (value) as (select count(*) from lists where site_id = $1) select value from counted`,
    ],
  },
  'coordinator-call': {
    red: [
      `select pg_notify('sayso', id::text) from lists where site_id = $1`,
      `select pg_advisory_xact_lock(1) from sites`,
    ],
    green: [`select pg_notify('sayso', $1)`, `select pg_advisory_xact_lock(1)`, `listen sayso`],
  },
  'shared-message': {
    red: [`begin;\nset local app.site_id = 'x'`, `set local a.b = 'x'; set local a.c = 'x'`],
    green: [`begin`, `set local app.site_id = 'x'`, `begin; commit`],
  },
  unreadable: { red: ['selec 1'], green: ['select 1'] },
};

const examples = (colour: 'red' | 'green') =>
  Object.entries(EXAMPLES).flatMap(([rule, of]) => of[colour].map((statement) => ({ rule, statement })));

describe('the rules of Citus', () => {
  it.each(examples('red'))('$rule rejects: $statement', ({ rule, statement }) => {
    expect(rulesBrokenBy(statement)).toContain(rule);
  });

  it.each(examples('green'))('$rule accepts: $statement', ({ statement }) => {
    expect(rulesBrokenBy(statement)).toEqual([]);
  });

  it('are checked for each statement of a message', () => {
    expect(rulesBrokenBy('begin; select 1 from lists; delete from customers; commit')).toEqual([
      'no-site',
      'no-site',
    ]);
  });

  it('are each explained', () => {
    for (const rule of Object.keys(EXAMPLES)) expect(RULES[rule as Rule]).not.toBe('');
    expect(check('select 1 from lists')).toEqual([{ rule: 'no-site', about: 'lists' }]);
  });
});

describe('the catalog of the migrated database', () => {
  it('tells tenant tables and functions apart', () => {
    const { tenantTables, volatile, unstable } = inject('catalog');
    expect(tenantTables).toEqual(expect.arrayContaining(['lists', 'choices', 'counters']));
    expect(tenantTables).not.toContain('users');
    expect(volatile).toEqual(
      expect.arrayContaining(['random', 'clock_timestamp', 'gen_random_uuid', 'nextval']),
    );
    expect(unstable).toEqual(
      expect.arrayContaining(['now', 'to_jsonb', 'concat', 'format', 'to_char', 'random']),
    );
    expect(unstable).not.toContain('lower');
  });
});
