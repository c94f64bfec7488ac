import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import type { ChoiceEvent } from '#contract/choices.ts';
import { applyImport } from '#contract/imports.ts';
import { createIntegration } from '#contract/integrations.ts';
import { getCustomer, getCustomerLists } from '#server/audience/customers/customers.ts';
import { type ChoiceChange, saveChoice } from '#server/choices/choices/choices.ts';
import type { InboundEvent, Resource } from '#server/connectors/connector.ts';
import { findConnector } from '#server/connectors/index.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import type { Job } from '#server/platform/queue.ts';
import { handleEvents } from '#server/sync/inbound/inbound.ts';
import { createCustomer } from '#server/visit/customers/change-customers.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { type SendgridFake, startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import { csv, uploadAndCheck, work } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import { buildWorld, logInAgain, ON_THE_PAGE, type World } from '#test/harness/world.ts';
import { life, type Save, type Step, STEPS, type Tool } from './loop-steps.ts';

/*
 * Two tools and the page in a loop. People save on the page, leave in a tool, are in files that are imported, and their
 * deliveries run late, twice, in any order, and fail; what the tools tell comes late, twice and in any order. Then
 * everything is worked off, and all places have to agree. Each life is one interleaving: ten thousand of them take an hour
 * (`TEST_SCALE=50`), so each run of all tests has some.
 */

const LIVES = scaled(200);
/** Lives side by side, which share their imports. */
const AT_ONCE = 10;

let product: TestProduct;
let world: World;
let brevo: BrevoFake;
let sendgrid: SendgridFake;
let tools: Record<Tool, { id: string; fake: FakeTool }>;
let group: Resource;
let list: Resource;

beforeAll(async () => {
  [brevo, sendgrid] = await Promise.all([startBrevoFake(), startSendgridFake()]);
  product = await startTestProduct({
    env: { CONNECTOR_BREVO_URL: brevo.url, CONNECTOR_SENDGRID_URL: sendgrid.url },
  });
  world = await buildWorld(product);
  tools = {
    brevo: { id: await connect('brevo', brevo), fake: brevo },
    sendgrid: { id: await connect('sendgrid', sendgrid), fake: sendgrid },
  };
  const only = (resources: Resource[]): Resource => {
    const [one] = resources;
    if (one === undefined) throw new Error('The fake made nothing');
    return one;
  };
  group = only(sendgrid.addResources('suppression_groups', 1));
  list = only(brevo.addResources('lists', 1));
  for (const tool of ['brevo', 'sendgrid'] as const) {
    await act(tool, 'global_unsubscribed', { type: 'global_unsubscribe', operation: 'unsubscribe' });
    await act(tool, 'global_resubscribed', { type: 'global_unsubscribe', operation: 'resubscribe' });
  }
  await act('sendgrid', 'unsubscribed', { type: 'suppression_group', operation: 'add', target: group });
  await act('sendgrid', 'subscribed', { type: 'suppression_group', operation: 'remove', target: group });
  await act('brevo', 'unsubscribed', { type: 'list', operation: 'remove', target: list });
  await act('brevo', 'subscribed', { type: 'list', operation: 'add', target: list });
});

afterAll(async () => {
  await product.stop();
  await Promise.all([brevo.close(), sendgrid.close()]);
});

async function connect(provider: Tool, { credentials }: FakeTool): Promise<string> {
  const body = { provider, credentials: { ...credentials } };
  return (await product.call(createIntegration, { params: world.params, body }, world.owner)).id;
}

async function act(
  tool: Tool,
  event: ChoiceEvent,
  parts: { type: 'global_unsubscribe' | 'suppression_group' | 'list'; operation: string; target?: Resource },
): Promise<void> {
  const list_ids = parts.type === 'global_unsubscribe' ? [] : [world.weekly.id];
  const body = {
    name: `${tool} ${event}`,
    integration_id: tools[tool].id,
    trigger: { event, list_ids },
    target: {},
    ...parts,
  };
  await product.call(createAction, { params: world.params, body }, world.owner);
}

interface Told {
  tool: Tool;
  event: InboundEvent;
}

function wishOf(save: Save): ChoiceChange {
  if (save === 'leave' || save === 'come back') return { globalUnsubscribe: save === 'leave' };
  return { lists: [{ list_id: world.weekly.id, subscribed: save === 'weekly on' }] };
}

let count = 0;

class Life {
  readonly id: string;
  readonly email: string;
  /** What the tools have yet to tell; told ones stay, because they may be told again. */
  readonly events: Told[] = [];
  /** In the order in which they happened. */
  readonly acts: string[] = [];

  constructor({ id, email }: { id: string; email: string }) {
    this.id = id;
    this.email = email;
  }

  static async begin(): Promise<Life> {
    count += 1;
    const email = `person-${count}@example.com`;
    const born = new Life(await createCustomer(product.services, world.site.id, email));
    brevo.addContact(email);
    sendgrid.addContact(email);
    await born.save('weekly on');
    await born.settle();
    return born;
  }

  async save(save: Save): Promise<void> {
    this.acts.push(`page ${save}`);
    await saveChoice(product.services, world.site.id, this.id, wishOf(save), ON_THE_PAGE);
  }

  /** With a link in a mail of the tool: there at once, here when the tool tells it. */
  leaveThere(tool: Tool, from: 'everything' | 'group'): void {
    // In Brevo people leave everything with a link of its own.
    const isGroup = tool === 'sendgrid' && from === 'group';
    this.acts.push(isGroup ? 'tool weekly off' : 'tool leave');
    const contact = brevo.contact(this.email);
    if (tool === 'brevo' && contact !== null) contact.emailBlacklisted = true;
    if (isGroup) sendgrid.suppressIn(group.id, this.email);
    else if (tool === 'sendgrid') sendgrid.suppress('global', this.email);
    const id = `${this.id}:${this.events.length}`;
    const common = { id, at: product.clock.now(), email: this.email };
    const event: InboundEvent = isGroup
      ? { ...common, kind: 'group_suppressed', resource: group.id }
      : { ...common, kind: 'unsubscribed' };
    this.events.push({ tool, event });
  }

  async tell(which: readonly number[]): Promise<void> {
    for (const index of which) {
      const told = this.events[index % Math.max(1, this.events.length)];
      if (told !== undefined) await this.hear(told);
    }
  }

  private async hear({ tool, event }: Told): Promise<void> {
    const connector = findConnector(tool);
    if (connector === undefined) throw new Error('There are two tools');
    const receivedAt = product.clock.now();
    const told = { siteId: world.site.id, integrationId: tools[tool].id, connector, receivedAt };
    await handleEvents(product.services, told, [event]);
  }

  /** All of this person's deliveries that have not arrived, as jobs. */
  private async waiting(): Promise<Job[]> {
    const { rows } = await product.testDatabase.owner.query<{ id: string; round: number }>(
      `select id, attempt_count as round from deliveries where customer_id = $1 and status = 'waiting' order by id`,
      [this.id],
    );
    return rows.map((row) => ({ ...row, site_id: world.site.id }));
  }

  async deliver(which: readonly number[], trouble: boolean): Promise<void> {
    const jobs = await this.waiting();
    for (const index of which) {
      const job = jobs[index % Math.max(1, jobs.length)];
      if (job === undefined) continue;
      // Of whom it is does not matter: somebody's call fails.
      if (trouble) tools[index % 2 === 0 ? 'brevo' : 'sendgrid'].fake.trouble({ status: 500, body: '{}' });
      await deliverNow(product.services, job);
    }
  }

  /** Everything arrives, newest first, because the order does not matter. */
  async settle(): Promise<void> {
    for (let rounds = 0; rounds < 50; rounds += 1) {
      const jobs = await this.waiting();
      if (jobs.length === 0) return;
      for (const job of jobs.toReversed()) await deliverNow(product.services, job);
    }
    throw new Error(`Deliveries of ${this.email} do not come to rest: ${this.acts.join(', ')}`);
  }

  /** What each place believes: the page, and both tools. */
  async places() {
    const { global_unsubscribe: hasLeft } = await getCustomer(product.services, world.site.id, this.id);
    const { results } = await getCustomerLists(product.services, world.site.id, this.id);
    const weekly = results.find((one) => one.notification_list_id === world.weekly.id)?.subscribed === true;
    const atBrevo = brevo.holds(this.email);
    const atSendgrid = sendgrid.holds(this.email);
    return {
      page: { hasLeft, getsWeekly: weekly && !hasLeft },
      brevo: {
        hasLeft: atBrevo?.unsubscribed,
        getsWeekly: atBrevo?.lists?.includes(list.id) === true && !atBrevo.unsubscribed,
      },
      sendgrid: {
        hasLeft: atSendgrid?.unsubscribed,
        getsWeekly: atSendgrid?.suppression_groups?.includes(group.id) === false && !atSendgrid.unsubscribed,
      },
    };
  }
}

async function live(lives: readonly (readonly Step[])[]): Promise<Life[]> {
  const born = await Promise.all(lives.map(() => Life.begin()));
  for (let moment = 0; moment < STEPS; moment += 1) {
    product.clock.advance({ seconds: 10 });
    await Promise.all(
      born.map(async (one, index) => {
        const now = lives[index]?.[moment];
        if (now?.what === 'save') await one.save(now.save);
        if (now?.what === 'leave there') one.leaveThere(now.tool, now.from);
        if (now?.what === 'deliver') await one.deliver(now.which, now.trouble);
        if (now?.what === 'tell') await one.tell(now.which);
      }),
    );
    await importAll(
      born,
      lives.map((steps) => steps[moment]),
    );
  }
  return born;
}

/** One file for all whose turn it is. */
async function importAll(born: readonly Life[], steps: readonly (Step | undefined)[]): Promise<void> {
  const rows = born.flatMap((one, index) => {
    const now = steps[index];
    if (now?.what !== 'import') return [];
    if (now.all === 'yes') one.acts.push('import leave');
    else if (now.weekly === 'no') one.acts.push('import weekly off');
    return [[one.email, now.weekly, now.all].join()];
  });
  if (rows.length === 0) return;
  await logInAgain(product, world.owner);
  const one = await uploadAndCheck(product, world, csv('email,Weekly news,opted out', ...rows));
  await product.call(applyImport, { params: { ...world.params, id: one.id } }, world.owner);
  await work(product, world, one.id);
}

/** No tool rests, and nobody was called too often: what failed on purpose is over. */
async function troubleIsOver(): Promise<void> {
  for (const { fake } of Object.values(tools)) fake.calm();
  await product.testDatabase.owner.query(
    `update integrations set consecutive_failures = 0, rests_until = null, failing_since = null`,
  );
}

const callsOf = ({ fake }: { fake: FakeTool }) =>
  fake.seen.filter(({ method, url }) => method !== 'GET' && !url.includes('search')).length;

it(
  'two tools and the product end in the same state, lose no opt-out, and write nothing once all agree',
  { timeout: 600_000 + LIVES * 1000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (lives) => {
        await product.testDatabase.owner.query('delete from tool_rate_limits');
        const born = await live(lives);
        await troubleIsOver();
        // What the tools have not told yet comes now, the last first, and all of it once more.
        for (const one of born) {
          const rest = one.events.map((_, index) => index).toReversed();
          await one.tell([...rest, ...rest]);
        }
        for (const one of born) await one.settle();
        for (const one of born) {
          const story = one.acts.join(', ');
          const { page, brevo: there, sendgrid: elsewhere } = await one.places();
          expect({ story, ...there }).toEqual({ story, ...page });
          expect({ story, ...elsewhere }).toEqual({ story, ...page });
          const isAfter = (at: number, ...saves: string[]) =>
            one.acts.some((what, index) => index > at && saves.includes(what));
          for (const [at, what] of one.acts.entries()) {
            const isOut = what.endsWith('leave');
            // Only the person, on the page and later, takes an opt-out back.
            if (isOut && !isAfter(at, 'page come back', 'page weekly on'))
              expect(page, story).toMatchObject({ hasLeft: true });
            if (what.endsWith('weekly off') && !isAfter(at, 'page weekly on', 'page come back')) {
              expect(page, story).toMatchObject({ getsWeekly: false });
            }
          }
        }
        // All agree: telling everything once more writes nothing.
        const before = [callsOf(tools.brevo), callsOf(tools.sendgrid)];
        for (const one of born) {
          await one.tell(one.events.map((_, index) => index));
          await one.settle();
        }
        expect([callsOf(tools.brevo), callsOf(tools.sendgrid)]).toEqual(before);
      }),
      { numRuns: Math.ceil(LIVES / AT_ONCE), endOnFailure: true },
    );
  },
);
