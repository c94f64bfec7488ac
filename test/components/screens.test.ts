import { expect, it } from 'vitest';
import { routes } from './app.tsx';
import { byScreen, countIn, problemsOfAll, problemsWithoutConnection, SHOTS } from './shots.ts';

/** A form that waits for nothing, and one that begins empty where its lists failed to load. */
const WITHOUT_CALLS = ['/email-check', '/integrations/connected', '/create-preference-page/$site'];

const screens = SHOTS.filter(({ state }) => state !== 'open');

it.each(byScreen(screens))('%s looks right in each state: %s', async (_name, _states, shots) => {
  expect(await problemsOfAll(shots)).toEqual({});
});

/** The states of the screens that a path such as `/customers/$id` leads to. */
function statesAt(fullPath: string): string[] {
  const pattern = new RegExp(`^${fullPath.replaceAll(/\$\w+/g, '[^/]+')}$`);
  const isThere = (path: string) => pattern.test(path.split('?')[0] ?? '');
  const isElsewhere = (path: string) => path === '/imports/new' && fullPath === '/imports/$id';
  return SHOTS.filter(({ path }) => isThere(path) && !isElsewhere(path)).map(({ state }) => state);
}

it('every route has states, and those of a site also what they show while they load and when they fail', () => {
  const missing = routes
    .filter(({ fullPath }) => fullPath !== '/' && fullPath !== '/$')
    .flatMap(({ fullPath, options }) => {
      const isOfSite = options.staticData?.prefetch !== undefined && !WITHOUT_CALLS.includes(fullPath);
      const states = statesAt(fullPath);
      const wanted = isOfSite ? ['loading', 'failed'] : [];
      return [
        ...(states.length === 0 ? [`${fullPath} has no state`] : []),
        ...wanted.filter((state) => !states.includes(state)).map((state) => `${fullPath} lacks: ${state}`),
      ];
    });
  expect(missing).toEqual([]);
  expect(routes.length).toBeGreaterThan(30);
});

it('the rows of lists have buttons for an editor, and none for a viewer', async () => {
  const hasButtons: Record<string, boolean> = {};
  for (const shot of SHOTS.filter(
    ({ name, state }) => name === '/lists' && /^(ready|no access)$/.test(state),
  )) {
    hasButtons[shot.who] = (await countIn(shot, ':is(main li, main [role=row]) button')) > 0;
  }
  expect(hasButtons).toEqual({ shop: true, viewer: false });
});

it('a screen reports a lost connection and reloads automatically when it returns', async () => {
  expect(await problemsWithoutConnection('/lists')).toEqual([]);
});
