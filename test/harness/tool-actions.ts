import type { Page } from 'playwright-core';
import { listConnectors } from '#contract/integrations.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import type { TestProduct } from './product.ts';
import type { World } from './world.ts';

/** In the gallery, with the fields that the connector asks for. */
export async function connectOnScreen(
  product: TestProduct,
  world: World,
  page: Page,
  tool: { provider: string; name: string; fake: FakeTool },
): Promise<void> {
  const { results } = await product.call(listConnectors, {}, world.owner);
  const fields = results.find(({ id }) => id === tool.provider)?.credentials ?? [];
  await page.goto(`${product.url}/integrations`);
  await page.getByRole('button', { name: `What it can do: ${tool.name}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: `Connect ${tool.name}` }).click();
  for (const { name: field, label } of fields) {
    const value = tool.fake.credentials[field];
    if (value !== undefined) await dialog.getByLabel(label, { exact: true }).fill(value);
  }
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}
