import { expect, it } from 'vitest';
import { queryClient } from '#web/owner/api/query-client.ts';
import { api, appWindow, leave, settle, visit } from './shots.ts';

it('a customer is found in “What would happen” after the same search in the palette', async () => {
  await visit('/actions?what_if=anybody');
  await appWindow.keyboard.press('Control+k');
  const palette = appWindow.locator('[role=dialog]');
  await palette.getByRole('combobox').fill('vera.lind@example.com');
  await palette.getByText('vera.lind@example.com').waitFor();
  await settle();
  // The first takes back what was typed, the second closes the palette.
  await appWindow.keyboard.press('Escape');
  await appWindow.keyboard.press('Escape');
  await settle();
  await appWindow.getByRole('combobox', { name: 'Customer' }).fill('vera.lind@example.com');
  await settle();
  await appWindow.getByRole('option', { name: 'vera.lind@example.com' }).click();
  await settle();
  expect(document.querySelector('h1')?.textContent).toBe('What would happen');
  await leave();
});

it('a lost connection redeems the code of a tool’s login only once', async () => {
  await visit('/integrations/connected');
  api.takeAway(/./, 'no connection');
  window.dispatchEvent(new Event('offline'));
  await appWindow.getByText('No connection').waitFor();
  api.again();
  window.dispatchEvent(new Event('online'));
  await settle();
  expect(queryClient.getQueryState(['oauth-return'])?.dataUpdateCount).toBe(1);
  await leave();
});
