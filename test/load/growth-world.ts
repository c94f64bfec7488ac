import pg from 'pg';
import { logIn } from '#contract/accounts.ts';
import { listEvidence } from '#contract/choices.ts';
import { callRoute } from '#contract/client.ts';
import { DEMO_PASSWORD } from '#db/demo/demo.ts';
import type { Services } from '#server/platform/services.ts';
import { type GrowthIds, type Read, readsOf, type Write, writesOf } from './growth-routes.ts';
import { growBeside } from './growth-rows.ts';

/*
 * The site of `npm run demo -- crowd=N`, with one customer in a hundred in each of the things that also grow with a site,
 * and a call of every route that reads.
 */

/** One customer in so many is in an import, differs in a tool, complained and so on. */
const BESIDE_ONE_IN = 100;

export interface GrowthWorld {
  reads: Read[];
  writes: Write[];
}

interface Place {
  base: string;
  services: Services;
  ownerUrl: string;
  besideOneIn?: number;
}

/** @param options.base where the product of `services` listens */
export async function openGrowthWorld({
  base,
  services,
  ownerUrl,
  besideOneIn = BESIDE_ONE_IN,
}: Place): Promise<GrowthWorld> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const known = await client.query<{ organization_id: string }>(
      `select organization_id from users where username = 'millions'`,
    );
    const ids = await idsOf(client, known.rows[0]?.organization_id ?? '', besideOneIn);
    // Last: growing takes longer than a token lasts.
    await client.query('delete from rate_limits');
    const body = { username: 'millions', password: DEMO_PASSWORD };
    const tokens = await callRoute(logIn, { body }, { base });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const evidence = await callRoute(
      listEvidence,
      {
        params: { organization_id: ids.organization, site_id: ids.site },
        query: { chose: 'true', limit: 1 },
      },
      { base, headers },
    );
    const record = evidence.results[0];
    if (record === undefined) throw new Error('Somebody has chosen');
    const delivered = await client.query<{ id: string; email: string }>(
      `select d.id, c.email from deliveries d join customers c on c.site_id = d.site_id and c.id = d.customer_id
       where d.site_id = $1 order by d.id desc limit 1`,
      [ids.site],
    );
    const whole = {
      ...ids,
      record: record.id,
      customer: record.customer_id,
      delivery: delivered.rows[0]?.id ?? '',
      email: delivered.rows[0]?.email ?? '',
    };
    const people = await client.query<{ id: string }>(
      `select customer_id as id from (select customer_id from choices where site_id = $1 and sequence = 2 order by id desc limit 2000) c
       join customers on customers.site_id = $1 and customers.id = customer_id and not global_unsubscribe and erased_at is null
         and link_generation = 0
       limit 400`,
      [ids.site],
    );
    const persons = people.rows.map(({ id }) => id);
    return {
      reads: readsOf({ base, services, ids: whole, headers }),
      writes: writesOf({ base, services, ids: whole, headers, persons }),
    };
  } finally {
    await client.end();
  }
}

async function idsOf(client: pg.Client, organizationId: string, besideOneIn: number): Promise<GrowthIds> {
  const one = async (text: string, values: unknown[]) =>
    (await client.query<{ id: string }>(text, values)).rows.map(({ id }) => id);
  const [site = ''] = await one('select id from sites where organization_id = $1', [organizationId]);
  const [owner = ''] = await one('select user_id as id from members where organization_id = $1', [
    organizationId,
  ]);
  const [host = ''] = await one('select host as id from host_names where site_id = $1', [site]);
  const [page = ''] = await one('select id from preference_pages where site_id = $1', [site]);
  const lists = await one('select id from lists where site_id = $1 order by show_order', [site]);
  const actions = await one('select id from actions where site_id = $1 order by id', [site]);
  const beside = await growBeside(client, {
    site,
    owner,
    lists,
    action: actions[0] ?? '',
    oneIn: besideOneIn,
  });
  return {
    owner,
    organization: organizationId,
    site,
    host,
    lists,
    page,
    actions,
    record: '',
    customer: '',
    delivery: '',
    email: '',
    ...beside,
  };
}
