import { createAction } from '#contract/actions.ts';
import { setCustomerLists } from '#contract/customers.ts';
import type { BrevoFake } from '#test/fakes/tools/brevo.ts';
import type { TestProduct } from './product.ts';
import { buildCustomer, type World } from './world.ts';

/**
 * Vera, or all of them, joined the weekly news, and Brevo never heard of it.
 * @returns the action that should have told it
 */
export async function loseAJoin(
  product: TestProduct,
  brevo: BrevoFake,
  world: World,
  integrationId: string,
  emails: readonly string[] = ['vera@example.com'],
): Promise<string> {
  const { params, owner, weekly } = world;
  const [list] = brevo.addResources('lists', 1);
  if (list === undefined) throw new Error('The fake made no list');
  const action = await product.call(
    createAction,
    {
      params,
      body: {
        type: 'list',
        name: 'Into the newsletter',
        integration_id: integrationId,
        trigger: { event: 'subscribed', list_ids: [weekly.id] },
        target: { id: list.id, name: list.name },
        operation: 'add',
      },
    },
    owner,
  );
  const body = [{ notification_list_id: weekly.id, subscribed: true }];
  for (const email of emails) {
    const { id } = await buildCustomer(product, world, email);
    brevo.addContact(email);
    await product.call(setCustomerLists, { params: { ...params, id }, body }, owner);
  }
  await product.testDatabase.owner.query(
    `update deliveries set status = 'failed' where status = 'waiting' and site_id = $1`,
    [params.site_id],
  );
  return action.id;
}
