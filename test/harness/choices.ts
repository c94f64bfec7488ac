import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, getCustomer, getCustomerLists, mintLinks } from '#contract/customers.ts';
import type { Calls } from './product.ts';
import type { World } from './world.ts';

const paramsOf = (world: World, { id }: Customer) => ({ ...world.params, id });

/** What a customer of the world has chosen, as its owner is told; null: nothing yet. */
export async function choicesOf(product: Calls, world: World, customer: Customer) {
  const params = paramsOf(world, customer);
  const { global_unsubscribe: left } = await product.call(getCustomer, { params }, world.owner);
  const { results } = await product.call(getCustomerLists, { params }, world.owner);
  const of = (id: string) => results.find((list) => list.notification_list_id === id)?.subscribed;
  return { left, weekly: of(world.weekly.id), offers: of(world.offers.id) };
}

/** The newest record about a customer. */
export async function newestEvidence(product: Calls, world: World, customer: Customer) {
  const { results } = await product.call(
    listCustomerEvidence,
    { params: paramsOf(world, customer) },
    world.owner,
  );
  return results[0];
}

/** What a personal link proves its bearer with. */
export async function challengeOf(product: Calls, world: World, customer: Customer): Promise<string> {
  const params = paramsOf(world, customer);
  return (await product.call(mintLinks, { params, body: {} }, world.owner)).challenge;
}

/** Subscribes to both lists of the world, or unsubscribes. */
export const bothLists = ({ weekly, offers }: World, isOnWeekly: boolean, isOnOffers: boolean) => ({
  lists: [
    { list_id: weekly.id, subscribed: isOnWeekly },
    { list_id: offers.id, subscribed: isOnOffers },
  ],
});
