import { createMemoryHistory, createRouter } from '@tanstack/react-router';
import { expect, it } from 'vitest';
import { router } from '#web/owner/router.tsx';
import { routes } from './app.tsx';
import { leave, visit } from './shots.ts';

const REFUSED = 'https://evil.example/%00';

/** As the screen at an address reads its search parameters. */
function searchAt(address: string): Record<string, unknown> {
  const there = createRouter({
    ...router.options,
    history: createMemoryHistory({ initialEntries: [address] }),
  });
  const match = there.matchRoutes(there.parseLocation(there.history.location)).at(-1);
  return match?.search ?? {};
}

it('no screen reads a search parameter that its route did not validate', () => {
  const names = ['next', 'tab', 'section', 'state', 'status', 'since', 'range', 'by', 'made_up'];
  const query = new URLSearchParams(names.map((name) => [name, REFUSED]));
  const reading = routes.filter(({ options }) => options.validateSearch !== undefined);
  const unvalidated = reading
    .map(({ fullPath }) => [fullPath, searchAt(`${fullPath.replaceAll('$', '')}?${query}`)] as const)
    .filter(([, search]) => Object.values(search).includes(REFUSED));
  expect(unvalidated).toEqual([]);
  expect(reading.length).toBeGreaterThan(12);
});

it('a log-in that is to lead to another site leads to the dashboard', async () => {
  await visit('/login?next=https://evil.example/', 'nobody');
  expect(location.search).toBe('');
  await leave();
});
