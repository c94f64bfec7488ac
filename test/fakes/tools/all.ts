import fastify from 'fastify';
import type { AddressInfo } from 'node:net';
import type { FakeAccount, FakeToolPerson } from '#db/demo/fake-tools.ts';
import type { ResourceKind } from '#server/connectors/connector.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import type { FakeTool } from './fake-tool.ts';
import { type HubspotFake, startHubspotFake } from './hubspot.ts';
import { type MailchimpFake, startMailchimpFake } from './mailchimp.ts';
import { type SendgridFake, startSendgridFake } from './sendgrid.ts';

const NAMES: Partial<Record<string, Partial<Record<ResourceKind, string[]>>>> = {
  hubspot: { lists: ['Customers', 'Club'], suppression_groups: ['Offers', 'New arrivals', 'Surveys'] },
  sendgrid: { lists: ['Customers', 'Club'], suppression_groups: ['Trail guides', 'Events', 'Receipts'] },
};

/** Of every kind that nobody named. */
const NAMELESS = 3;

export interface FakeTools {
  /** `GET /` tells of the tools, `PUT /{id}/people` puts people into one. */
  url: string;
  accounts: FakeAccount[];
  /** By the connectors' ids. */
  fakes: Readonly<Record<string, FakeTool>>;
  mailchimp: MailchimpFake;
  hubspot: HubspotFake;
  sendgrid: SendgridFake;
  close(): Promise<void>;
}

/** Every tool on this machine, each with something to choose from; the same ids at every start. */
export async function startFakeTools(): Promise<FakeTools> {
  const [mailchimp, hubspot, sendgrid] = await Promise.all([
    startMailchimpFake(),
    startHubspotFake(),
    startSendgridFake(),
  ]);
  const fakes: Record<string, FakeTool> = { mailchimp, hubspot, sendgrid };
  for (const { id } of CONNECTORS) fakes[id] ??= await startFake(id);
  mailchimp.rename?.('lists', mailchimp.audience, 'Acme newsletter');
  const accounts = CONNECTORS.map(({ id, name, envName }): FakeAccount => {
    const fake = fakes[id];
    if (fake === undefined) throw new Error(`There is no stand-in for ${name}`);
    furnish(id, fake);
    const { url, credentials, wrongCredentials } = fake;
    return { id, name, setting: `CONNECTOR_${envName}_URL`, url, credentials, wrongCredentials };
  });
  const settle: Record<string, (people: FakeToolPerson[]) => void | Promise<void>> = {
    mailchimp: (people) => settleInMailchimp(mailchimp, people),
    hubspot: (people) => settleInHubspot(hubspot, people),
    sendgrid: (people) => settleInSendgrid(sendgrid, people),
  };
  const control = await startControl(accounts, settle);
  return {
    url: control.url,
    accounts,
    fakes,
    mailchimp,
    hubspot,
    sendgrid,
    async close() {
      await control.close();
      await Promise.all(Object.values(fakes).map((fake) => fake.close()));
    },
  };
}

/** The stand-in of a tool is the file of its name; it starts by its one function `start...Fake`. */
async function startFake(id: string): Promise<FakeTool> {
  const file = (await import(`./${id}.ts`)) as Record<string, unknown>;
  const [start] = Object.entries(file).flatMap(([name, one]) => (/^start\w+Fake$/.test(name) ? [one] : []));
  if (typeof start !== 'function') throw new Error(`test/fakes/tools/${id}.ts has no start...Fake`);
  return (await start()) as FakeTool;
}

function furnish(id: string, fake: FakeTool): void {
  const connector = CONNECTORS.find((one) => one.id === id);
  const kinds = Object.values(connector?.actions ?? {}).flatMap((capability) =>
    capability.can && capability.target !== null ? [capability.target] : [],
  );
  for (const kind of new Set(kinds)) {
    // Its first audience is there from the start.
    if (id === 'mailchimp' && kind === 'lists') continue;
    const names = NAMES[id]?.[kind];
    const made = fake.addResources(kind, names?.length ?? NAMELESS);
    for (const [index, name] of (names ?? []).entries()) fake.rename?.(kind, made[index]?.id ?? '', name);
  }
}

/** Where the demo asks for the credentials, and tells who its customers are. */
async function startControl(
  accounts: FakeAccount[],
  settle: Record<string, (people: FakeToolPerson[]) => void | Promise<void>>,
) {
  const http = fastify({ forceCloseConnections: true, bodyLimit: 64 * 1024 * 1024 });
  const filled = new Set<string>();
  http.get('/', () => accounts);
  http.put<{ Params: { tool: string }; Querystring: { last?: string }; Body: FakeToolPerson[] }>(
    '/:tool/people',
    async ({ params: { tool }, query, body }, reply) => {
      const work = settle[tool];
      if (work === undefined) return reply.code(404).send();
      // A server that was reloaded finds the people as they have become.
      if (!filled.has(tool)) await work(body);
      if (query.last === 'true') filled.add(tool);
      return reply.code(204).send();
    },
  );
  await http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = http.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => http.close() };
}

function settleInMailchimp(fake: MailchimpFake, people: FakeToolPerson[]): void {
  for (const { email, joined, left } of people) {
    for (const id of joined) fake.addMember(id, email);
    for (const id of left) fake.addMember(id, email, { status: 'unsubscribed' });
  }
}

const AT_ONCE = 25;

/** By its own calls, so that an opt-out from the preference page is not taken for one that was made in HubSpot. */
async function settleInHubspot(fake: HubspotFake, people: FakeToolPerson[]): Promise<void> {
  const calls = people.flatMap(({ email, suppressed }) => suppressed.map((id) => ({ email, id })));
  for (const { email, hasLeftAll } of people) {
    fake.addContact(email);
    if (hasLeftAll) fake.optOut(email);
  }
  const at = `${fake.url}/communication-preferences/2026-03/statuses`;
  for (let start = 0; start < calls.length; start += AT_ONCE) {
    await Promise.all(
      calls.slice(start, start + AT_ONCE).map(({ email, id }) =>
        post(`${at}/${encodeURIComponent(email)}`, `Bearer ${fake.credentials['token']}`, {
          channel: 'EMAIL',
          statusState: 'UNSUBSCRIBED',
          subscriptionId: Number(id),
          legalBasis: 'CONSENT_WITH_NOTICE',
          legalBasisExplanation: 'Chosen by the person in the preference centre (Sayso)',
        }),
      ),
    );
  }
}

async function settleInSendgrid(fake: SendgridFake, people: FakeToolPerson[]): Promise<void> {
  const groups = new Map<string, string[]>();
  for (const { email, hasLeftAll, suppressed } of people) {
    fake.addContact(email);
    if (hasLeftAll) fake.suppress('global', email);
    for (const id of suppressed) groups.set(id, [...(groups.get(id) ?? []), email]);
  }
  for (const [id, emails] of groups) {
    await post(`${fake.url}/v3/asm/groups/${id}/suppressions`, `Bearer ${fake.credentials['api_key']}`, {
      recipient_emails: emails,
    });
  }
}

async function post(url: string, authorization: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`A stand-in answered ${answer.status} to its own filling`);
}
