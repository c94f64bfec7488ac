import type { Page } from 'playwright-core';
import { expect } from 'vitest';

type Look = (page: Page) => Promise<void>;

/**
 * @param look at the dialog with the link
 * @returns the link, which the dialog shows because no mail server would send it
 */
export async function invite(page: Page, email: string, role: string, look?: Look): Promise<string> {
  await page.getByRole('button', { name: 'Invite someone' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('radio', { name: role }).check({ force: true });
  await dialog.getByText('You get a link to send them yourself.').waitFor();
  await dialog.getByRole('button', { name: 'Create invitation' }).click();
  return linkShown(page, email, look);
}

export async function linkShown(page: Page, email: string, look?: Look): Promise<string> {
  const dialog = page.getByRole('alertdialog', { name: `Send this link to ${email}` });
  const link = await dialog.locator('code').innerText();
  await dialog
    .getByText('This server stores emails instead of sending them, so send this link yourself.')
    .waitFor();
  await look?.(page);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByText('Invitation sent').count()).toBe(0);
  return link;
}
