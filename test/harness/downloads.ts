import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** The file that a press downloads. */
export async function downloadOf(
  page: Page,
  press: () => Promise<void>,
): Promise<{ name: string; text: string }> {
  const waiting = page.waitForEvent('download');
  await press();
  const download = await waiting;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}
