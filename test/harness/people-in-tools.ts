import { createAction, TOOL_ACTIONS, type TargetedActionType } from '#contract/actions.ts';
import type { ChoiceEvent } from '#contract/choices.ts';
import { type Customer, setCustomerLists, updateCustomer } from '#contract/customers.ts';
import { type DeliveryDetail, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import { siteTag } from '#server/accounts/sites/change-site.ts';
import type { Connector, Resource } from '#server/connectors/connector.ts';
import { openToolApi } from '#server/connectors/tool-api.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { newId } from '#server/platform/ids.ts';
import { applyInboundEvent } from '#server/sync/inbound/apply-inbound-event.ts';
import { type FakeTools, startFakeTools } from '#test/fakes/tools/all.ts';
import type { FakeTool, Held } from '#test/fakes/tools/fake-tool.ts';
import { startTestProduct, type TestProduct } from './product.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from './world.ts';

/** The types of actions that put people into something and take them out again, the likeliest first. */
export const PLACES: readonly TargetedActionType[] = ['list', 'suppression_group', 'tag'];

export const isPlace = ({ actions }: Connector, type: TargetedActionType): boolean => {
  const capability = actions[type];
  return capability.can && capability.operations.length === 2;
};

/** What a tool holds of the people of a site. Every attempt is made by hand. */
export class PeopleInTools {
  readonly product: TestProduct;
  readonly tools: FakeTools;
  readonly world: World;
  /** The site, the tool and what people are in there, of the latest `connect`. */
  acme: World;
  tool!: FakeTool;
  connector!: Connector;
  integrationId = '';
  target: Resource = { id: '', name: '' };
  kind: TargetedActionType = 'list';

  private constructor(product: TestProduct, tools: FakeTools, world: World) {
    this.product = product;
    this.tools = tools;
    this.world = world;
    this.acme = world;
  }

  static async start(): Promise<PeopleInTools> {
    const tools = await startFakeTools();
    const env = Object.fromEntries(tools.accounts.map(({ setting, url }) => [setting, url]));
    const product = await startTestProduct({ env });
    return new PeopleInTools(product, tools, await buildWorld(product));
  }

  async stop(): Promise<void> {
    await this.product.stop();
    await this.tools.close();
  }

  /** A new site, connected to the tool. */
  async connect(connector: Connector, place?: TargetedActionType): Promise<void> {
    const { product, world } = this;
    await product.testDatabase.owner.query('delete from rate_limits');
    await logInAgain(product, world.owner);
    const tool = this.tools.fakes[connector.id];
    const kind = place ?? PLACES.find((type) => isPlace(connector, type));
    if (tool === undefined || kind === undefined) throw new Error(`Nobody is in ${connector.name}`);
    this.tool = tool;
    this.connector = connector;
    this.kind = kind;
    const [made] = tool.addResources(TOOL_ACTIONS[kind].target, 1);
    if (made === undefined) throw new Error(`${connector.name} made nothing`);
    this.target = made;
    this.acme = await buildSite(product, world.owner, world.params.organization_id);
    const body = { provider: connector.id, credentials: { ...tool.credentials } };
    const { params, owner } = this.acme;
    this.integrationId = (await product.call(createIntegration, { params, body }, owner)).id;
  }

  async #act(event: ChoiceEvent, list_ids: string[], parts: object): Promise<void> {
    const { params, owner } = this.acme;
    const body = {
      type: 'global_unsubscribe' as const,
      name: 'Follow',
      integration_id: this.integrationId,
      trigger: { event, list_ids },
      target: {},
      ...parts,
    };
    await this.product.call(createAction, { params, body }, owner);
  }

  /** Ties lists to the target: a person who receives one of them is in it. */
  async tie(...lists: { id: string }[]): Promise<void> {
    const { kind: type, target } = this;
    const ids = lists.map(({ id }) => id);
    const [forward, back] = TOOL_ACTIONS[type].operations;
    const [on, off] = type === 'suppression_group' ? [back, forward] : [forward, back];
    await this.#act('subscribed', ids, { type, target, operation: on });
    await this.#act('unsubscribed', ids, { type, target, operation: off });
  }

  followMoves(): Promise<void> {
    return this.#act('email_changed', [], { type: 'switch_email', target: {} });
  }

  followLeaves(): Promise<void> {
    return this.#act('global_unsubscribed', [], {});
  }

  async choose({ id }: Pick<Customer, 'id'>, list: { id: string }, subscribed: boolean): Promise<void> {
    const { params, owner } = this.acme;
    const body = [{ notification_list_id: list.id, subscribed }];
    await this.product.call(setCustomerLists, { params: { ...params, id }, body }, owner);
  }

  async change(
    { id }: Pick<Customer, 'id'>,
    body: { email: string } | { global_unsubscribe: boolean },
  ): Promise<void> {
    const { params, owner } = this.acme;
    await this.product.call(updateCustomer, { params: { ...params, id }, body }, owner);
  }

  /** Oldest first. */
  async deliveriesOf({ id: customer_id }: Pick<Customer, 'id'>): Promise<DeliveryDetail[]> {
    const { params, owner } = this.acme;
    const { results } = await this.product.call(listDeliveries, { params, query: { customer_id } }, owner);
    return Promise.all(
      results
        .toReversed()
        .map(({ id }) => this.product.call(getDelivery, { params: { ...params, id } }, owner)),
    );
  }

  /** One attempt at each delivery that waits; @param isLate not at those that failed before, whose next attempt isn't due */
  async runAll(customer: Pick<Customer, 'id'>, isLate = false): Promise<DeliveryDetail[]> {
    const { product, acme } = this;
    for (const { id, status, attempt_count: round } of await this.deliveriesOf(customer)) {
      if (status !== 'waiting' || (isLate && round > 0)) continue;
      await product.testDatabase.owner.query('delete from tool_rate_limits');
      await deliverNow(product.services, { site_id: acme.params.site_id, id, round });
    }
    return this.deliveriesOf(customer);
  }

  /** The tool was away: nothing waits for it longer than it has to. */
  async forgetOutage(): Promise<void> {
    const { owner } = this.product.testDatabase;
    await owner.query('update integrations set consecutive_failures = 0, rests_until = null');
  }

  #isIn({ unsubscribed, ...held }: Held): boolean {
    const ids = held[TOOL_ACTIONS[this.kind].target] ?? [];
    return !unsubscribed && ids.includes(this.target.id) === (this.kind !== 'suppression_group');
  }

  /** Someone's address opts out in the tool itself: of all mail, and not through us. */
  async #optOutThere(email: string): Promise<void> {
    const { connector, tool, product } = this;
    const { outbound, clock } = product.services;
    const wait = async () => {};
    const api = openToolApi(connector, tool.credentials, {
      outbound,
      clock,
      wait,
      baseUrl: tool.url,
      onCall: () => {},
    });
    await connector.apply(api, { type: 'global_unsubscribe', email, on: true });
  }

  /** Someone opts out in the tool, which tells us of it. Nothing happens where it doesn't have them. */
  async optOutInTool(email: string): Promise<void> {
    if (this.tool.holds(email) === null) return;
    await this.#optOutThere(email);
    const { product, connector, integrationId, acme } = this;
    const now = product.clock.now();
    const origin = { siteId: acme.params.site_id, integrationId, connector, receivedAt: now };
    const event = { id: newId(), at: now, email, kind: 'unsubscribed' as const };
    await applyInboundEvent(product.services, origin, event);
  }

  /** The tool has had this address for long, and may not mail it. */
  async blockInTool(email: string): Promise<void> {
    this.tool.addContact(email);
    await this.#optOutThere(email);
  }

  /** The actions name what this account of the tool doesn't have, as those of another account do; or what it has again. */
  async nameOther(isOther: boolean): Promise<void> {
    const { id } = this.target;
    const middle = Math.floor(id.length / 2);
    const other = `${id.slice(0, middle)}${id[middle] === '9' ? '8' : '9'}${id.slice(middle + 1)}`;
    const { testDatabase, services } = this.product;
    const text = `update actions set target_gone_at = null, target = jsonb_set(target, '{id}', to_jsonb($2::text)) where integration_id = $1 and target ? 'id'`;
    await testDatabase.owner.query(text, [this.integrationId, isOther ? other : id]);
    services.cache.evict(siteTag(this.acme.params.site_id));
  }

  /** Does the tool still send this address what the target stands for? */
  receives(email: string): boolean {
    const held = this.tool.holds(email);
    return held !== null && this.#isIn(held);
  }

  /** Somebody who receives the weekly list, here and in the tool. */
  async reader(): Promise<Customer> {
    const customer = await buildCustomer(this.product, this.acme);
    this.tool.addContact(customer.email);
    await this.choose(customer, this.acme.weekly, true);
    await this.runAll(customer);
    if (!this.receives(customer.email)) throw new Error('The tool has not taken its reader');
    return customer;
  }
}
