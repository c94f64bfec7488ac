import type { z } from 'zod';
import type { actionFields } from '#contract/actions.ts';
import type { Integration } from '#contract/integrations.ts';
import { changeSite } from '#server/accounts/sites/change-site.ts';
import { createAction } from '#server/delivery/actions/actions.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { addIntegration, listIntegrations, listResources } from '#server/sync/tool-setup/tool-setup.ts';
import { encryptAuth } from '#server/tools/integrations/credentials.ts';
import { updateIntegration } from '#server/tools/integrations/integrations.sql.ts';
import type { FakeAccount, FakeToolPerson, FakeToolsClient } from './fake-tools.ts';

/* The tools of the demo's shop: Mailchimp, HubSpot and SendGrid at work, and Brevo, whose key was taken back. */

export interface DemoList {
  id: string;
  name: string;
}

type Rule = Omit<z.input<typeof actionFields>, 'integration_id'>;

/** By the lists' names. What is left in one of them is suppressed in the group of the tool. */
const GROUPS = {
  hubspot: [
    ['Offers', 'Offers'],
    ['New arrivals', 'New arrivals'],
  ],
  sendgrid: [
    ['Trail guides', 'Trail guides'],
    ['Events near you', 'Events'],
  ],
} as const;

const NEWSLETTER = 'Weekly news';

interface Connected {
  integration: Integration;
  targets: ReadonlyMap<string, string>;
}

async function connect(
  services: Services,
  siteId: string,
  account: FakeAccount,
  kind: 'lists' | 'suppression_groups',
): Promise<Connected> {
  const { id: provider, credentials } = account;
  const integration = await addIntegration(services, siteId, { provider, credentials });
  const resources = await listResources(services, siteId, integration.id, kind);
  return { integration, targets: new Map(resources.map(({ id, name }) => [name, id])) };
}

const everything = (name: string): Rule[] => [
  {
    type: 'global_unsubscribe',
    name: `Unsubscribe from all in ${name}`,
    trigger: { event: 'global_unsubscribed' },
    operation: 'unsubscribe',
    target: {},
  },
  {
    type: 'switch_email',
    name: `Change emails in ${name}`,
    trigger: { event: 'email_changed' },
    operation: 'change',
    target: {},
  },
];

function targetOf({ integration, targets }: Connected, name: string): { id: string; name: string } {
  const id = targets.get(name);
  if (id === undefined) throw new Error(`${integration.name} has no “${name}”`);
  return { id, name };
}

function newsletterRules(mailchimp: Connected, list: DemoList): Rule[] {
  const target = targetOf(mailchimp, 'Acme newsletter');
  return (['subscribed', 'unsubscribed'] as const).map((event) => ({
    type: 'list',
    name: `${event === 'subscribed' ? 'Add to' : 'Remove from'} the newsletter`,
    trigger: { event, list_ids: [list.id] },
    operation: event === 'subscribed' ? 'add' : 'remove',
    target,
  }));
}

function groupRules(
  tool: Connected,
  groups: readonly (readonly [string, string])[],
  lists: DemoList[],
): Rule[] {
  return groups.flatMap(([listName, groupName]) => {
    const target = targetOf(tool, groupName);
    const trigger = { list_ids: [listNamed(lists, listName).id] };
    const common = { type: 'suppression_group', target } as const;
    return [
      {
        ...common,
        name: `Remove from ${listName}`,
        trigger: { ...trigger, event: 'unsubscribed' },
        operation: 'add',
      },
      {
        ...common,
        name: `${listName} again`,
        trigger: { ...trigger, event: 'subscribed' },
        operation: 'remove',
      },
    ];
  });
}

function listNamed(lists: readonly DemoList[], name: string): DemoList {
  const list = lists.find((one) => one.name === name);
  if (list === undefined) throw new Error(`The shop has no list “${name}”`);
  return list;
}

/** Connects the tools by their stand-ins, with what they do about choices. */
export async function connectTools(
  services: Services,
  siteId: string,
  lists: DemoList[],
  tools: FakeToolsClient,
): Promise<void> {
  const accounts = new Map((await tools.accounts()).map((account) => [account.id, account]));
  const accountOf = (id: string) => {
    const account = accounts.get(id);
    if (account === undefined) throw new Error(`There is no stand-in for ${id}`);
    return account;
  };
  const mailchimp = await connect(services, siteId, accountOf('mailchimp'), 'lists');
  const hubspot = await connect(services, siteId, accountOf('hubspot'), 'suppression_groups');
  const sendgrid = await connect(services, siteId, accountOf('sendgrid'), 'suppression_groups');
  const rules: [Connected, Rule[]][] = [
    [mailchimp, [...newsletterRules(mailchimp, listNamed(lists, NEWSLETTER)), ...everything('Mailchimp')]],
    [hubspot, [...groupRules(hubspot, GROUPS.hubspot, lists), ...everything('HubSpot')]],
    [sendgrid, [...groupRules(sendgrid, GROUPS.sendgrid, lists), ...everything('SendGrid')]],
  ];
  for (const [{ integration }, some] of rules) {
    for (const { trigger, ...rule } of some) {
      await createAction(services, siteId, {
        operation: null,
        ...rule,
        enabled: true,
        integration_id: integration.id,
        trigger: { list_ids: [], ...trigger },
      });
    }
  }
  await connectRefused(services, siteId, accountOf('brevo'));
}

/** A key that worked once and is refused now, as after it was deleted in the tool. */
async function connectRefused(services: Services, siteId: string, account: FakeAccount): Promise<void> {
  const { id: provider, credentials, wrongCredentials } = account;
  const { id } = await addIntegration(services, siteId, { provider, credentials });
  await changeSite(services, siteId, (site) =>
    updateIntegration(site, id, {
      credentials_sealed: encryptAuth(services, siteId, id, {
        kind: 'credentials',
        credentials: wrongCredentials,
      }),
      status: 'credentials_refused',
      status_reason:
        'Brevo rejected the API key (401). It may be deleted or limited to certain IP addresses.',
    }),
  );
}

/** Fills the stand-ins with the shop's customers, so that they hold what the product believes they do. */
export async function fillTools(
  services: Services,
  siteId: string,
  lists: readonly DemoList[],
  tools: FakeToolsClient,
): Promise<void> {
  const integrations = await listIntegrations(services, siteId);
  const customers = await services.database.readSite(siteId, customersOf);
  for (const provider of ['mailchimp', 'hubspot', 'sendgrid'] as const) {
    const integration = integrations.find((one) => one.provider === provider);
    if (integration === undefined) continue;
    const kind = provider === 'mailchimp' ? 'lists' : 'suppression_groups';
    const resources = await listResources(services, siteId, integration.id, kind);
    const idOf = (name: string) => resources.find((one) => one.name === name)?.id ?? '';
    const pairs =
      provider === 'mailchimp' ? [[NEWSLETTER, 'Acme newsletter'] as const] : [...GROUPS[provider]];
    const places = pairs.map(([list, name]) => ({ listId: listNamed(lists, list).id, id: idOf(name) }));
    const people = customers.map((customer) => personOf(customer, places, provider === 'mailchimp'));
    await tools.fill(provider, people);
  }
}

interface Held {
  email: string;
  hasLeftAll: boolean;
  /** By the lists' ids; those that were never chosen are missing. */
  chosen: Map<string, boolean>;
}

function personOf(
  { email, hasLeftAll, chosen }: Held,
  places: readonly { listId: string; id: string }[],
  isList: boolean,
): FakeToolPerson {
  const idsWhere = (subscribed: boolean) =>
    places.filter(({ listId }) => chosen.get(listId) === subscribed).map(({ id }) => id);
  if (!isList) return { email, hasLeftAll, joined: [], left: [], suppressed: idsWhere(false) };
  const joined = hasLeftAll ? [] : idsWhere(true);
  const left = hasLeftAll ? [...idsWhere(true), ...idsWhere(false)] : idsWhere(false);
  return { email, hasLeftAll, joined, left, suppressed: [] };
}

async function customersOf(site: SiteDb): Promise<Held[]> {
  const customers = await site.db
    .selectFrom('customers')
    .select(['id', 'email', 'global_unsubscribe'])
    .where('site_id', '=', site.id)
    .execute();
  const subscriptions = await site.db
    .selectFrom('subscriptions')
    .select(['customer_id', 'list_id', 'subscribed'])
    .where('site_id', '=', site.id)
    .execute();
  const held = new Map<string, Held>();
  for (const { id, email, global_unsubscribe: hasLeftAll } of customers) {
    if (email !== null) held.set(id, { email, hasLeftAll, chosen: new Map() });
  }
  for (const one of subscriptions) held.get(one.customer_id)?.chosen.set(one.list_id, one.subscribed);
  return [...held.values()];
}
