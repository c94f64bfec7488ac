import { createIntegration } from '#contract/integrations.ts';
import { deleteList } from '#contract/lists.ts';
import { deletePreferencePage } from '#contract/preference-pages.ts';
import type { BrevoFake } from '#test/fakes/tools/brevo.ts';
import type { TestProduct } from './product.ts';
import { buildWorld, type World } from './world.ts';

/** A site without lists and pages, and a connected tool with three lists, of these names. */
export async function buildToolToSetUp(
  product: TestProduct,
  brevo: BrevoFake,
): Promise<{ world: World; id: string; names: [string, string, string] }> {
  const world = await buildWorld(product);
  for (const { id } of [world.weekly, world.offers]) {
    await product.call(deleteList, { params: { ...world.params, id } }, world.owner);
  }
  const params = { ...world.params, id: world.page.id };
  await product.call(deletePreferencePage, { params }, world.owner);
  const [news = '', staff = '', jobs = ''] = brevo.addResources('lists', 3).map(({ name }) => name);
  const body = { provider: 'brevo', credentials: { ...brevo.credentials } };
  const { id } = await product.call(createIntegration, { params: world.params, body }, world.owner);
  return { world, id, names: [news, staff, jobs] };
}
