import type { Page, Request } from 'playwright-core';

const IDLE_MS = 500;
const IDLE_WITHIN_MS = 60_000;

const underWay = new WeakMap<Page, Set<Request>>();

/** The requests of a window that have no answer yet, from the first call on: windows of the harness call it when they open. */
export function requestsOf(page: Page): Set<Request> {
  const known = underWay.get(page);
  if (known !== undefined) return known;
  const requests = new Set<Request>();
  underWay.set(page, requests);
  page.on('request', (request) => requests.add(request));
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
  return requests;
}

/**
 * Resolves when the window has waited for no request for half a second. Playwright's own `networkidle` also waits for
 * frames without a request, such as a preview; it may miss them, and once reached it stays so until the next document.
 */
export async function untilIdle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  const requests = requestsOf(page);
  const end = performance.now() + IDLE_WITHIN_MS;
  for (let since = performance.now(); performance.now() - since < IDLE_MS;) {
    if (requests.size > 0) since = performance.now();
    if (performance.now() > end) {
      throw new Error(`Still loading: ${[...requests].map((request) => request.url()).join(', ')}`);
    }
    await page.waitForTimeout(IDLE_MS / 10);
  }
}
