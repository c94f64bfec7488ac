import { afterEach, expect, it, vi } from 'vitest';
import { createApiKey } from '#contract/api-keys.ts';
import { deleteAccount } from '#contract/account-data.ts';
import { getAccount, logIn } from '#contract/accounts.ts';
import { reauthenticate, startReauthentication } from '#contract/second-factors.ts';
import { getList, updateList } from '#contract/lists.ts';
import { keptInBrowser } from '#web/ui/browser-storage.ts';
import { clearStoredData } from '#web/owner/session/owner-storage.ts';
import { navigateTo } from './app.tsx';
import { fact, Refused } from './fake-api.ts';
import { patience } from './fake-window.ts';
import { idOf } from './made-up.ts';
import { appWindow, leave, settle, visit } from './shots.ts';
import { OWNER, THINGS } from './worlds.ts';

const { shop } = THINGS;
const button = (name: string | RegExp) => appWindow.getByRole('button', { name });
const field = (name: string) => appWindow.getByRole('textbox', { name });
const asks = () => appWindow.getByText('Leave without saving?').waitFor();
const valueOf = (element: unknown) => (element as HTMLInputElement).value;

/** Once more than any form could take it for a new one. */
function submitTwice(): void {
  const [form] = document.querySelectorAll<HTMLFormElement>('[role=dialog] form');
  form?.requestSubmit();
  form?.requestSubmit();
}

afterEach(leave);

it('a form that is submitted twice at once creates one API key', async () => {
  let made = 0;
  const counted = fact(createApiKey, (key) => {
    made += 1;
    return key;
  });
  await visit('/account-settings?section=api-keys', 'shop', [counted]);
  await button('New API key').first().click();
  await appWindow.getByLabel('Name').fill('Web shop');
  submitTwice();
  await button('Done').or(button(/saved/i)).first().waitFor();
  await settle();
  expect(made).toBe(1);
});

it('a dialog that shows a key once is closed by its own button, not by Escape', async () => {
  await visit('/account-settings?section=api-keys');
  await button('New API key').first().click();
  await appWindow.getByLabel('Name').fill('Web shop');
  await button('Create API key').click();
  const dialog = appWindow.locator('[role=alertdialog]');
  await dialog.waitFor();
  await appWindow.keyboard.press('Escape');
  await settle();
  await dialog.waitFor();
});

it('an action’s form that was changed asks before Escape closes it', async () => {
  await visit(`/actions?edit=${shop.toolAction}`);
  await field('Name').fill('Something else');
  await appWindow.keyboard.press('Escape');
  await asks();
  expect(valueOf(await field('Name').waitFor())).toBe('Something else');
});

it('deleting an account without a password asks for a proof, then deletes it', async () => {
  let isProven = false;
  const google = fact(getAccount, (made) => ({ ...made, username: 'nora', has_usable_password: false }));
  const start = fact(startReauthentication, (made) => ({ ...made, ways: ['totp' as const], passkey: null }));
  const prove = fact(reauthenticate, (made) => {
    isProven = true;
    return made;
  });
  let deletions = 0;
  const remove = fact(deleteAccount, (made) => {
    deletions += 1;
    if (!isProven) throw new Refused('reauthentication_required');
    return made;
  });
  await visit('/account-settings?section=data', 'shop', [google, start, prove, remove]);
  await button('Delete account').click();
  await appWindow.getByLabel('Type your username, nora, to confirm').fill('nora');
  await button('Delete for good').click();
  await appWindow.getByText('Confirm it’s you').first().waitFor();
  await appWindow.getByLabel('Code').fill('123456');
  await button('Confirm').click();
  await appWindow.getByText('Your account is deleted.').waitFor();
  expect(deletions).toBe(2);
});

it('a list that somebody else has changed meanwhile is not overwritten', async () => {
  const sent: unknown[] = [];
  const read = fact(getList, (list) => ({
    ...list,
    updated_at: `2026-11-2${1 + sent.length}T09:00:00.000Z`,
  }));
  const refused = fact(updateList, (_made, { body }) => {
    sent.push(body);
    throw new Refused('conflict');
  });
  await visit(`/create-list/${shop.list}`, 'shop', [read, refused]);
  await field('Name').first().fill('Letters');
  await button('Save').click();
  await button('Load current version').waitFor();
  expect(sent).toEqual([{ name: 'Letters', updated_at: '2026-11-21T09:00:00.000Z' }]);
  await button('Load current version').click();
  await vi.waitFor(async () => {
    expect(valueOf(await field('Name').first().waitFor())).not.toBe('Letters');
  }, patience);
});

it('changing the site asks before what was typed is lost', async () => {
  await visit(`/create-list/${shop.list}`);
  await field('Name').first().fill('Letters');
  await button(/Switch site/).click();
  await appWindow.getByRole('menuitemradio', { name: 'Acme for dealers' }).click();
  await asks();
  expect(keptInBrowser.getItem('site')).not.toBe(idOf('site', 1));
  await button('Discard changes').first().click();
  await vi.waitFor(() => expect(keptInBrowser.getItem('site')).toBe(idOf('site', 1)), patience);
});

it('the customers’ search follows the address, as a link to it changes it', async () => {
  await visit('/customers?search=vera');
  const search = appWindow.getByRole('searchbox', { name: 'Search by email' });
  await search.fill('nora');
  await settle();
  await navigateTo('/customers?search=ines');
  await settle();
  expect(valueOf(await search.waitFor())).toBe('ines');
});

it('signing out leaves nothing of what was typed in this browser', () => {
  const keys = [`draft:${OWNER}:list:new`, `survey:${OWNER}`, `page-draft:${OWNER}:shop:new`];
  for (const key of keys) {
    localStorage.setItem(key, '{}');
    sessionStorage.setItem(key, '{}');
  }
  localStorage.setItem('theme', 'dark');
  clearStoredData(OWNER);
  expect(Object.keys(sessionStorage)).toEqual([]);
  expect(Object.keys(localStorage)).not.toEqual(expect.arrayContaining([keys[0]]));
  for (const key of keys) expect(localStorage.getItem(key)).toBeNull();
  expect(localStorage.getItem('theme')).toBe('dark');
});

it('a browser without storage lets its owner log in', async () => {
  const session = { user_id: OWNER, organization_id: idOf('organization') };
  const tokens = { ...session, access_token: 'token', refresh_token: 'refresh' };
  const forbid = vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  });
  try {
    await visit('/login', 'nobody');
    await appWindow.route(new RegExp(logIn.path), (call) => call.fulfill({ json: tokens }));
    await field('Username').or(field('Username or email')).first().fill('nora');
    await appWindow.locator('input[type=password]').fill('a long enough password');
    await button('Log in').first().click();
    await vi.waitFor(() => expect(location.pathname).toBe('/dashboard'), patience);
  } finally {
    forbid.mockRestore();
  }
});
