import type { OwnerWindow, Part } from './owner-shot.ts';

/** What opens over the screens of the owner app, and what it says when something is missing. Nothing is changed by it. */
export interface OwnerLayer {
  name: string;
  /** The screen under it, by its name among the shots. */
  on: string;
  /** Where it is only there on one kind of window. */
  width?: 360 | 1280;
  open(page: OwnerWindow): Promise<unknown>;
}

const button = (page: OwnerWindow | Part, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' }).first();

export const dialogOf = (page: OwnerWindow) =>
  page.getByRole('dialog').or(page.getByRole('alertdialog')).first();

const item = (page: OwnerWindow, name: string | RegExp) =>
  page.getByRole('menuitem', { name, exact: typeof name === 'string' });

/** Presses a button that opens a menu; then, one after the other, items of it. */
const menu =
  (name: string | RegExp, ...items: (string | RegExp)[]) =>
  async (page: OwnerWindow) => {
    await button(page, name).click();
    await page.getByRole('menu').first().waitFor();
    for (const one of items) await item(page, one).click();
  };

/** Presses buttons, of which the last opens a dialog. */
const dialog =
  (...names: (string | RegExp)[]) =>
  async (page: OwnerWindow) => {
    for (const name of names) await button(page, name).click();
    await dialogOf(page).waitFor();
  };

/** A dialog behind an item of a menu. */
const dialogOfMenu = (name: string | RegExp, entry: string | RegExp) => async (page: OwnerWindow) => {
  await menu(name, entry)(page);
  await dialogOf(page).waitFor();
};

/** Presses what sends a form as it is. */
const refused = (name: string) => async (page: OwnerWindow) => {
  await button(page, name).click();
  await page.locator('[aria-invalid=true]').first().waitFor();
};

/** The palette, with what was typed and what it then shows. */
const typed = (text: string, shown: string) => async (page: OwnerWindow) => {
  await page.keyboard.press('Control+k');
  await dialogOf(page).getByRole('combobox').fill(text);
  await dialogOf(page).getByText(shown).first().waitFor();
};

const FRAME: OwnerLayer[] = [
  { name: 'the slide-over', on: '/dashboard', width: 360, open: dialog('Open menu') },
  { name: 'the account menu', on: '/lists', open: menu(/^Account menu/) },
  { name: 'the languages', on: '/evidence', open: menu(/^Account menu/, /^Language/) },
  { name: 'the themes', on: '/lists', open: menu(/^Account menu/, /^Theme/) },
  { name: 'the sites', on: '/customers', width: 1280, open: menu(/^Switch site/) },
  { name: 'the command palette', on: '/lists', open: typed('', 'New action') },
  { name: 'the command palette with results', on: '/dashboard', open: typed('list', 'New list') },
  { name: 'the command palette with nothing', on: '/dashboard', open: typed('zzzz', 'Nothing found') },
  {
    name: 'the shortcuts',
    on: '/evidence',
    async open(page) {
      await page.keyboard.press('?');
      await dialogOf(page).waitFor();
    },
  },
];

const LISTS_AND_PAGES: OwnerLayer[] = [
  { name: 'the menu of a list', on: '/lists', open: menu(/^More for/) },
  { name: 'a new list without a name', on: 'a new list', open: refused('Create list') },
  { name: 'the menu of a page', on: '/preference-pages', open: menu(/^More for/) },
  { name: 'the menu of the editor', on: 'a page', open: menu('More') },
  { name: 'the lists to add', on: 'a page', open: menu('Add list') },
  { name: 'a new list of a page', on: 'a page', open: dialogOfMenu('Add list', /^New list/) },
  { name: 'the history of a page', on: 'a page', open: dialog('History') },
  { name: 'the checks of a page', on: 'a page', open: dialog(/^Checks/) },
  { name: 'the tools to copy a link for', on: 'the links of a page', open: menu('Copy link for…') },
  {
    name: 'a copied link',
    on: 'the links of a page',
    open: (page) => copyLink(page),
  },
  { name: 'a new page without a name', on: 'a new page', open: refused('Create page') },
  {
    name: 'leaving a list that is not saved',
    on: 'a list',
    async open(page) {
      await page.getByLabel('Name', { exact: true }).first().fill('Another name');
      await page.getByRole('link', { name: 'All lists' }).first().click();
      await dialogOf(page).waitFor();
    },
  },
];

const ACTIONS_AND_DELIVERIES: OwnerLayer[] = [
  { name: 'the menu of an action', on: '/actions', open: menu(/^More for/) },
  { name: 'an action', on: '/actions', open: dialogOfMenu(/^More for/, 'Edit') },
  { name: 'a duplicate of an action', on: '/actions', open: dialogOfMenu(/^More for/, 'Duplicate') },
  { name: 'a test of an action', on: '/actions', open: dialogOfMenu(/^More for/, 'Test action') },
  {
    name: 'what an action can do',
    on: '/actions',
    async open(page) {
      await dialog('New action')(page);
      await button(dialogOf(page), /Event/).click();
      await page.getByRole('listbox').first().waitFor();
    },
  },
  {
    name: 'a new action without an address',
    on: '/actions',
    async open(page) {
      await dialog('New action')(page);
      await button(dialogOf(page), /Receiver/).click();
      await page.getByRole('option', { name: 'send a webhook to' }).click();
      await refused('Create action')(page);
    },
  },
  { name: 'the actions of deliveries', on: '/deliveries', open: (page) => openList(page, /Action/) },
  {
    name: 'a delivery',
    on: '/deliveries',
    async open(page) {
      await page.locator('main tbody a, main tbody button, main li a, main li button').first().click();
      await dialogOf(page).waitFor();
    },
  },
  { name: 'replay', on: '/deliveries', open: dialog(/^Send again \(/) },
];

async function copyLink(page: OwnerWindow): Promise<void> {
  await page.context().grantPermissions(['clipboard-write']);
  await menu('Copy link for…')(page);
  await page.getByRole('menuitem').first().click();
  await page.getByText('state=').or(page.getByText('email=')).first().waitFor();
}

async function openList(page: OwnerWindow, name: RegExp): Promise<void> {
  await button(page, name).click();
  await page.getByRole('listbox').first().waitFor();
}

const TOOLS: OwnerLayer[] = [
  { name: 'connecting a tool', on: '/integrations', open: dialog(/^Connect /) },
  {
    name: 'connecting a tool without a key',
    on: '/integrations',
    async open(page) {
      await dialog(/^Connect /)(page);
      await refused('Connect')(page);
    },
  },
  { name: 'what a tool can do', on: '/integrations', open: dialog(/^What it can do/) },
  { name: 'the name of a tool', on: 'an integration, settings', open: dialog('Rename') },
  { name: 'new credentials', on: 'an integration, settings', open: dialog('Enter a new API key') },
  { name: 'disconnecting a tool', on: 'an integration, settings', open: dialog('Disconnect') },
];

const CUSTOMERS: OwnerLayer[] = [
  { name: 'exports', on: '/customers', open: menu('Export') },
  { name: 'erasing a customer', on: 'a customer', open: dialog('Erase customer') },
  { name: 'ending the links of a customer', on: 'a customer', open: dialog('End all links') },
  {
    name: 'nobody',
    on: '/customers',
    async open(page) {
      await page.getByRole('searchbox').fill('zzz');
      await button(page, 'Show all customers').waitFor();
    },
  },
];

const ACCOUNT: OwnerLayer[] = [
  {
    name: 'a profile without a username',
    on: '/account-settings profile',
    async open(page) {
      await page.getByLabel('Username').fill('');
      await refused('Save')(page);
    },
  },
  {
    name: 'a password without the present one',
    on: '/account-settings security',
    async open(page) {
      await page.getByLabel('New password').fill('short');
      await refused('Change password')(page);
    },
  },
  { name: 'a new site', on: '/account-settings organization', open: dialog('New site') },
  {
    name: 'requiring a second factor',
    on: '/account-settings organization',
    async open(page) {
      await page.getByRole('switch', { name: 'Require a second factor' }).click({ force: true });
      await dialogOf(page).waitFor();
    },
  },
  { name: 'an invitation', on: '/account-settings team', open: dialog('Invite someone') },
  {
    name: 'leaving the team',
    on: '/account-settings team',
    open: dialogOfMenu(/^More for/, /^(Leave|Remove)/),
  },
  { name: 'a new key', on: '/account-settings api-keys', open: dialog('New API key') },
  {
    name: 'a new key without a name',
    on: '/account-settings api-keys',
    async open(page) {
      await dialog('New API key')(page);
      await refused('Create API key')(page);
    },
  },
  { name: 'deleting the account', on: '/account-settings data', open: dialog('Delete account') },
  {
    name: 'a list that can come back',
    on: '/lists',
    async open(page) {
      // It would go when its screen is left: the pictures after it are of the same world.
      await page.route('**/lists/*', (call) =>
        call.request().method() === 'DELETE' ? undefined : call.continue(),
      );
      await menu(/^More for/, 'Delete')(page);
      await button(page, 'Undo').waitFor();
    },
  },
  { name: 'logging in with nothing', on: '/login', open: refused('Log in') },
  { name: 'signing up with nothing', on: '/signup', open: refused('Create account') },
];

export const OWNER_LAYERS: readonly OwnerLayer[] = [
  ...FRAME,
  ...LISTS_AND_PAGES,
  ...ACTIONS_AND_DELIVERIES,
  ...TOOLS,
  ...CUSTOMERS,
  ...ACCOUNT,
];
