import { ERROR_STATUS } from '#contract/errors.ts';
import type { Site } from '#contract/sites.ts';
import { AUDIENCE_BUCKETS } from '#contract/survey.ts';
import { BULK_CHANGE, bulkChangeShots } from './owner-bulk-changes.ts';
import { dialogOf, OWNER_LAYERS } from './owner-layers.ts';
import { otherAccountShots, unheardShots } from './owner-integrations.ts';
import { setUpShots } from './owner-proposals.ts';
import type { OwnerShot, OwnerWindow } from './owner-shot.ts';
import type { OwnerWorld } from './owner-world.ts';

/** Screens that are about what a site has, with what they teach without anything of it. */
const LISTINGS = {
  '/dashboard': 'No activity yet',
  '/integrations': 'No tools connected yet',
  '/lists': 'No lists yet',
  '/actions': 'No actions yet',
  '/preference-pages': 'No preference pages yet',
  '/customers': 'No customers yet',
  '/deliveries': 'No deliveries yet',
  '/evidence': 'No choices yet',
  '/complaints': 'No open complaints',
  '/imports': 'No imports yet',
  '/bulk-changes': 'No bulk changes yet',
} as const;
const LISTED = Object.keys(LISTINGS) as (keyof typeof LISTINGS)[];

/** Everything below a site, but for the site itself, which the frame around the screens needs. */
const OF_A_SITE = /\/api\/core\/v1\/organizations\/[^/]+\/sites\/[^/?]+\/./;

/** What the frame around the screens waits for. */
const SITES = /\/api\/core\/v1\.1\/organizations\/[^/]+\/sites$/;

/** The sections of the account settings, with the calls that they wait for. */
const SECTIONS: Record<string, RegExp | null> = {
  profile: /\/api\/core\/v1\/users\/[^/?]+$/,
  security: /\/api\/.*\/(sessions|second-factors)/,
  appearance: null,
  organization: /\/api\/core\/v1\/organizations\/[^/?]+$/,
  team: /\/api\/.*\/members/,
  'api-keys': OF_A_SITE,
  'audit-log': OF_A_SITE,
  data: null,
};

const press = (name: string | RegExp) => (page: OwnerWindow) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click();

const openBy = (name: string | RegExp) => async (page: OwnerWindow) => {
  await press(name)(page);
  await dialogOf(page).waitFor();
};

const setting = (section: string) => ({
  name: `/account-settings ${section}`,
  path: `/account-settings?section=${section}`,
});

type Screen = Pick<OwnerShot, 'name' | 'path'>;

/** Screens about one thing of a site. */
function singleScreens({
  site,
  customer,
  integration,
  list,
  page,
}: OwnerWorld['shop' | 'crowded']): Screen[] {
  return [
    { name: 'a customer', path: `/customers/${customer}` },
    { name: 'an integration', path: `/integrations/${integration}` },
    { name: 'a list', path: `/create-list/${list}` },
    { name: 'a page', path: `/edit-preference-page/${site}/${page}` },
  ].filter(({ path }) => !path.endsWith('/'));
}

function complaintScreens({ complaint }: OwnerWorld['crowded']): Screen[] {
  return [
    { name: '/complaints', path: '/complaints' },
    { name: 'closed complaints', path: '/complaints?state=closed' },
    { name: 'a complaint', path: `/complaints/${complaint}` },
  ];
}

/** The editor beside its first tab, which `a page` shows. */
function editorTabs({ site, page }: OwnerWorld['shop' | 'crowded']): Screen[] {
  return ['look', 'rules', 'links'].map((tab) => ({
    name: `the ${tab} of a page`,
    path: `/edit-preference-page/${site}/${page}?tab=${tab}`,
  }));
}

const chooseTool = (page: OwnerWindow) =>
  page.getByRole('radio', { name: /A connected tool/ }).check({ force: true });

/** Screens that wait for their calls, and screens that say they failed. */
function waitingAndFailed(screens: (Screen & Partial<OwnerShot>)[]): OwnerShot[] {
  return screens.flatMap((screen) =>
    (['loading', 'failed'] as const).map((state): OwnerShot => ({
      calls: OF_A_SITE,
      who: 'shop',
      ...screen,
      state,
      answer: state === 'loading' ? 'never' : 'refusal',
      isWithoutFrame:
        screen.isWithoutFrame === true || (state === 'loading' && screen.calls === SECTIONS['profile']),
    })),
  );
}

const settingsAway = Object.entries(SECTIONS).flatMap(([section, calls]) =>
  calls === null ? [] : [{ ...setting(section), calls }],
);

/** What changes something, or is shown by an address of its own; all other dialogs and menus are layers. */
function shownDialogs({ shop }: OwnerWorld): OwnerShot[] {
  const dialogs: (Screen & Pick<OwnerShot, 'reach'>)[] = [
    {
      name: 'an action in a tool',
      path: `/actions?edit=${shop.toolAction}`,
      reach: (page) => dialogOf(page).waitFor(),
    },
    {
      name: 'preview of a call',
      path: '/actions',
      async reach(page) {
        await press(`More for ${shop.webhook}`)(page);
        await page.getByRole('menuitem', { name: 'Preview request' }).click();
        // Whole: others start alike, and the list shows the first of them.
        const start = shop.email.slice(0, shop.email.indexOf('@'));
        // The options are those of the search before until its results are here.
        const found = page.waitForResponse((answer) => answer.url().includes(`search=${start}`));
        await page.getByRole('combobox', { name: 'Customer' }).fill(start);
        await found;
        await page.getByRole('option', { name: shop.email }).click();
        await dialogOf(page).getByText('POST', { exact: true }).first().waitFor();
      },
    },
    {
      name: 'a test of a webhook, with its result',
      path: '/actions',
      async reach(page) {
        await page.route('**/test', (route) => route.fulfill({ json: TEST_RESULT }));
        await press(`More for ${shop.webhook}`)(page);
        await page.getByRole('menuitem', { name: 'Test action' }).click();
        await dialogOf(page).getByRole('button', { name: 'Run test' }).click();
        await dialogOf(page).getByText('Test passed').waitFor();
      },
    },
    { name: 'API key, shown once', ...section('api-keys'), reach: makeKey },
  ];
  return dialogs.map((one) => ({ ...one, who: 'shop', ...OPEN }));
}

/** Nothing is sent for a picture. */
const TEST_RESULT = {
  duration_ms: 184,
  outcome: 'arrived',
  request: {
    method: 'POST',
    url: 'https://hooks.acme-outdoor.example/sayso',
    headers: { 'content-type': 'application/json', 'webhook-id': '019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e10' },
    body: JSON.stringify({ type: 'unsubscribed', data: { test: true } }),
  },
  response: { status: 204, body: '' },
  error: null,
  changes: [],
};

const OPEN = { state: 'open', isInWindow: true } as const;

/** What opens over the screens, each over the one that it belongs to. */
function shownLayers(shots: readonly OwnerShot[]): OwnerShot[] {
  return OWNER_LAYERS.map(({ name, on, width, open }) => {
    const under = shots.find((one) => one.name === on && one.state === 'ready' && !one.reach);
    if (under === undefined) throw new Error(`There is no screen ${on} for ${name}`);
    return { ...under, ...OPEN, name: `${name}, on ${on}`, ...(width ? { width } : {}), reach: open };
  });
}

function section(name: string): { path: string } {
  return { path: setting(name).path };
}

/** Nothing is made: the pictures after it are of the same world. */
async function makeKey(page: OwnerWindow): Promise<void> {
  const made = {
    id: '019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e10',
    name: 'Web shop',
    scopes: ['customers'],
    created_by: 'acme',
    created_by_email: 'acme@example.com',
    created_at: '2026-11-20T09:14:22.000Z',
    expires_at: null,
    last_changed_at: null,
    last_used_at: null,
    key: 'sk_4xHq1Zt7oVb2LkY9sDgW3uJmNcR8eTaFi5xQvB6yKw',
  };
  await page.route('**/api-keys', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 201, json: made }) : route.continue(),
  );
  await openBy('New API key')(page);
  await page.getByLabel('Name').fill('Web shop');
  await press('Create API key')(page);
  await page.getByText(made.key).first().waitFor();
}

const SURVEY_ANSWERS = {
  use: 'integrations',
  tools: ['Mailchimp', 'Other'],
  other: 'Our own mailer',
  contacts: AUDIENCE_BUCKETS[1].value,
  name: 'The Bakery',
  domain: 'the-bakery',
};

/** As somebody finds each step who has answered those before it. */
function surveySteps(): OwnerShot[] {
  const steps = ['start', 'integrations-step', 'contacts-step', 'third-step', 'fourth-step', 'fifth-step'];
  return steps.map((step, index) => ({
    name: `/signup-survey ${index + 1}`,
    path: '/signup-survey',
    state: step,
    who: 'newcomer',
    // The last step creates the organization automatically: it is shown while that runs.
    ...(step === 'fifth-step'
      ? { calls: /\/api\/core\/v1\/(organizations|users\/[^/]+\/survey)/, answer: 'never' }
      : {}),
    async reach(page) {
      await page.evaluate(
        (state) => {
          const { id } = JSON.parse(localStorage.getItem('auth') ?? '{}') as { id: string };
          sessionStorage.setItem(`survey:${id}`, state);
        },
        JSON.stringify({ step, answers: SURVEY_ANSWERS, organizationId: null }),
      );
      await page.reload();
    },
    ...(step === 'fifth-step' ? { until: textShown('Sit tight while we set up your account!') } : {}),
    ...(step === 'third-step' ? { until: textShown('This name is available') } : {}),
    ...(step === 'fourth-step' ? { until: textShown('This domain is available') } : {}),
  }));
}

const textShown = (text: string) => (page: OwnerWindow) => page.getByText(text).first().waitFor();

/** The survey ended before its last step, which makes the first site. */
function noSiteYet(): OwnerShot {
  return {
    name: 'the sites of an owner',
    path: '/lists',
    state: 'empty',
    who: 'beginner',
    async reach(page) {
      await page.route(SITES, (call) => call.fulfill({ json: { results: [], next: null } }));
      await page.reload();
    },
    until: (page) => page.getByRole('button', { name: 'Create site' }).waitFor(),
  };
}

/** A site in test mode, and what a test customer left behind. */
function inTestMode({ tester }: OwnerWorld): OwnerShot[] {
  const screens: (Screen & Pick<OwnerShot, 'until' | 'reach'>)[] = [
    { name: '/dashboard', path: '/dashboard' },
    { name: '/site-settings', path: '/site-settings' },
    { name: '/customers', path: '/customers' },
    { name: 'a customer', path: `/customers/${tester.customer}` },
    { name: '/deliveries', path: '/deliveries' },
    { name: 'a delivery', path: `/deliveries?delivery=${tester.delivery}` },
    { name: '/evidence', path: '/evidence' },
    { name: 'going live', path: '/customers', reach: openBy('Go live') },
  ];
  const until = textShown('Test mode: changes aren’t sent to your tools.');
  return screens.map((screen) => ({ until, ...screen, state: 'in test mode', who: 'tester' }));
}

/** What somebody finds who may only look. */
function forViewers(world: OwnerWorld): OwnerShot[] {
  const screens = [
    ...LISTED.filter((path) => path !== '/deliveries' && path !== '/evidence').map((path) => ({
      name: path,
      path,
    })),
    { name: '/site-settings', path: '/site-settings' },
    { name: 'a new import', path: '/imports/new' },
    { name: 'an import', path: `/imports/${world.shop.import}` },
    { name: 'the email check', path: '/email-check' },
    setting('organization'),
    setting('team'),
    setting('api-keys'),
    ...singleScreens(world.shop),
  ];
  return screens.map((screen) => ({ ...screen, state: 'no access', who: 'viewer' }));
}

/** What somebody finds who is not logged in. */
function outside({ invitation }: OwnerWorld): OwnerShot[] {
  const screens: (Screen & Partial<OwnerShot>)[] = [
    ...['/login', '/signup', '/reset-password', '/404'].map((path) => ({ name: path, path })),
    {
      name: '/reset-password by a link',
      path: '/reset-password?token=p4xHq1Zt7oVb2LkY9sDgW3uJmNcR8eTaFi5xQvB6yKw',
    },
    { name: '/accept-invitation', path: `/accept-invitation?token=${invitation}` },
    { name: '/accept-invitation', path: '/accept-invitation?token=used', state: 'void' },
    { name: '/confirm', path: '/confirm?token=used', state: 'void' },
    { name: '/login/callback', path: '/login/callback', state: 'void' },
    {
      name: '/login',
      path: '/login',
      state: 'refused',
      async reach(page) {
        await page.getByLabel('Username or email').fill('nobody');
        await page.getByLabel('Password', { exact: true }).fill('not the password');
        await press('Log in')(page);
        await page.getByRole('alert').first().waitFor();
      },
    },
  ];
  return screens.map((screen) => ({ state: 'ready', who: 'nobody', ...screen }));
}

/** Nothing is altered: the check says so of evidence that is as it was recorded. */
function alteredEvidence({ shop }: OwnerWorld): OwnerShot[] {
  const found = {
    checked_at: '2026-11-20T03:00:00.000Z',
    records: 8412,
    chains: 1204,
    broken: 2,
    findings: [
      { problem: 'altered', customer_id: shop.customer, sequence: 3, record_id: shop.list },
      { problem: 'rewritten', customer_id: null, sequence: null, record_id: null },
    ],
  };
  return (['/dashboard', '/evidence'] as const).map((path): OwnerShot => ({
    name: path,
    path,
    state: 'altered evidence',
    who: 'shop',
    async reach(page) {
      await page.route('**/evidence-check', (route) => route.fulfill({ json: found }));
      await page.reload();
    },
    until: (page) => page.getByRole('alert').first().waitFor(),
  }));
}

const ANCHOR = {
  ...{ target: 'proof@florist.example', agreed: false, asked_at: null },
  ...{ head: null, sent_at: null, error: null },
};

/** Where signed evidence goes: the mailbox of the tester's site. */
function anchored(): OwnerShot[] {
  const states: Record<string, Partial<Record<keyof typeof ANCHOR, unknown>>> = {
    'mailbox asked': { asked_at: '2026-11-20T09:14:00.000Z' },
    'mailbox not asked': {},
    'mailbox agreed': { agreed: true },
    'evidence refused': { agreed: true, error: 'The mail server rejected the recipient permanently (550).' },
  };
  return Object.entries(states).map(([state, answer]) => ({
    name: '/site-settings',
    path: '/site-settings#evidence_anchor',
    state,
    who: 'tester',
    async reach(page) {
      await page.route('**/evidence-anchor', (route) => route.fulfill({ json: { ...ANCHOR, ...answer } }));
      await page.reload();
      await page.getByLabel('Email or URL').waitFor();
    },
  }));
}

/** A site whose pages the people who run the server took down. */
function takenDown({ shop }: OwnerWorld): OwnerShot {
  const site: Site = {
    id: shop.site,
    name: 'Acme Outdoor',
    domain_name: 'acme.localhost',
    custom_domain: null,
    custom_domain_status: null,
    url: 'http://acme.localhost',
    link_lifetime_days: 365,
    delivery_content_days: 30,
    sender_name: '',
    reply_to: '',
    operator: { legal_name: '', postal_address: '', privacy_url: '', imprint_url: '' },
    test_mode: false,
    test_emails: [],
    evidence_anchor: '',
    taken_down: { at: '2026-11-20T09:14:00.000Z', reason: 'The page asks for passwords of a bank.' },
  };
  return {
    name: '/lists',
    path: '/lists',
    state: 'taken down',
    who: 'shop',
    async reach(page) {
      await page.route(SITES, (route) => route.fulfill({ json: { results: [site], next: null } }));
      await page.reload();
      await page.getByRole('complementary', { name: 'Pages taken down' }).waitFor();
    },
  };
}

/** What the links of emails about signed evidence lead to. */
function evidenceLinks(): OwnerShot[] {
  const link = { email: 'proof@florist.example', site_name: 'The Florist', reset_token: null };
  const opened = (kind: string, button?: string) => async (page: OwnerWindow) => {
    await page.route('**/links/*', (route) => route.fulfill({ json: { ...link, kind } }));
    await page.reload();
    await page.getByRole('button', { name: /Agree|Stop emails/ }).waitFor();
    if (button === undefined) return;
    await press(button)(page);
    await page.getByRole('heading', { name: /You agreed|Emails stopped/ }).waitFor();
  };
  const steps = {
    'asks a mailbox': opened('receive_evidence'),
    'mailbox agreed': opened('receive_evidence', 'Agree'),
    'stops emails': opened('stop_evidence'),
    'emails stopped': opened('stop_evidence', 'Stop emails'),
    'asks a mailbox for evidence': opened('receive_records'),
    'mailbox agreed to evidence': opened('receive_records', 'Agree'),
    'stops evidence': opened('stop_records'),
    'evidence stopped': opened('stop_records', 'Stop emails'),
  };
  return Object.entries(steps).map(([state, reach]) => ({
    ...{ name: '/confirm', path: '/confirm?token=evidence', state, who: 'nobody', reach },
  }));
}

const FACTORS = {
  passkeys: [
    {
      id: '019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e11',
      name: 'Nora’s phone',
      created_at: '2026-11-02T09:14:22.000Z',
      last_used_at: '2026-11-20T07:02:51.000Z',
      is_synced: true,
      is_blocked: false,
    },
    {
      id: '019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e12',
      name: 'The security key in the drawer',
      created_at: '2026-11-03T09:14:22.000Z',
      last_used_at: null,
      is_synced: false,
      is_blocked: true,
    },
  ],
  totp: { created_at: '2026-11-02T09:20:00.000Z', last_used_at: '2026-11-19T16:30:00.000Z' },
  recovery_codes: { left: 2, created_at: '2026-11-02T09:14:22.000Z' },
  is_required: false,
};

const CODES = ['7KQ2M-XW4RT', 'B9ZJH-3PNVE', '5TGYC-8DSLF', 'HU6AR-Q2KMW', 'XN4EB-7VJZP'];

const PASSKEY_OPTIONS = {
  challenge: 'AAAA',
  rpId: 'localhost',
  allowCredentials: [],
  userVerification: 'preferred',
  timeout: 120_000,
};

/** Nothing is set up: the pictures after it are of the same world. */
async function withFactors(page: OwnerWindow): Promise<void> {
  await page.route('**/second-factors', (route) => route.fulfill({ json: FACTORS }));
  await page.route('**/second-factors/recovery-codes', (route) =>
    route.fulfill({ status: 201, json: { second_factors: FACTORS, recovery_codes: CODES } }),
  );
  await page.reload();
  await page.getByText(FACTORS.passkeys[0]?.name ?? '').waitFor();
}

async function beginTotp(page: OwnerWindow): Promise<void> {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
  const uri = `otpauth://totp/Sayso:nora%40example.com?issuer=Sayso&secret=${secret}`;
  await page.route('**/totp/start', (route) => route.fulfill({ json: { secret, uri, setup: 'x' } }));
  await openBy('Add an authenticator app')(page);
}

/** Up to the second step of a log-in, which no account of this world has. */
const secondStep = (then?: (page: OwnerWindow) => Promise<unknown>) => async (page: OwnerWindow) => {
  const ways = ['passkey', 'totp', 'recovery_code'];
  const data = { ticket: 'x', ways, expires_at: '2026-11-22T10:00:00.000Z', passkey: PASSKEY_OPTIONS };
  const error = { code: 'second_factor_required', message: 'A second factor is needed.' };
  await page.route('**/users/token', (route) =>
    route.fulfill({ status: 403, json: { message: error.message, data, meta: { errors: [error] } } }),
  );
  await page.getByLabel('Username or email').fill('nora');
  await page.getByLabel('Password', { exact: true }).fill('the password');
  await press('Log in')(page);
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
  await then?.(page);
};

/** A code that the log-in is refused with. */
const refusedCode = (code: 'second_factor_wrong' | 'link_used') => async (page: OwnerWindow) => {
  const error = { code, message: 'Refused.' };
  await page.route('**/users/token/second-factor', (route) =>
    route.fulfill({
      status: ERROR_STATUS[code],
      json: { message: error.message, meta: { errors: [error] } },
    }),
  );
  await press('A code from your authenticator app')(page);
  await page.getByRole('textbox', { name: 'Code' }).fill('000000');
  await press('Log in')(page);
  await page.getByRole('alert').first().waitFor();
};

function secondFactors(): OwnerShot[] {
  // Without a log-in that waits for it, it leads to the log-in.
  const path = '/login/second-factor';
  const step = { name: path, path, who: 'nobody' } as const;
  const card = setting('security');
  return [
    { ...step, state: 'passkey', reach: secondStep() },
    {
      ...step,
      state: 'code, refused',
      reach: secondStep(refusedCode('second_factor_wrong')),
    },
    { ...step, state: 'expired', reach: secondStep(refusedCode('link_used')) },
    { ...step, state: 'recovery code', reach: secondStep(press('A recovery code')) },
    {
      name: '/set-up-second-factor',
      path: '/set-up-second-factor',
      state: 'ready',
      who: 'shop',
      async reach(page) {
        const none = { passkeys: [], totp: null, recovery_codes: null, is_required: true };
        await page.route('**/second-factors', (route) => route.fulfill({ json: none }));
        await page.goto(new URL('/set-up-second-factor', page.url()).href);
        await page.getByRole('button', { name: 'Add a passkey' }).waitFor();
      },
    },
    { ...card, state: 'with second factors', who: 'shop', reach: withFactors },
    {
      ...card,
      ...OPEN,
      name: 'recovery codes, shown once',
      who: 'shop',
      async reach(page) {
        await withFactors(page);
        await openBy('Create new codes')(page);
        await dialogOf(page).getByRole('button', { name: 'Create new codes' }).click();
        await page.getByText(CODES[0] ?? '').waitFor();
      },
    },
    { ...card, ...OPEN, name: 'a new authenticator app', who: 'shop', reach: beginTotp },
  ];
}

/** As somebody finds the dashboard who did the last step in this window. The last picture: its window keeps what it says. */
function firstStepsDone({ shop }: OwnerWorld): OwnerShot {
  return {
    name: '/dashboard',
    path: '/dashboard',
    state: 'first steps done',
    who: 'shop',
    async reach(page) {
      await page.evaluate((site) => {
        for (const key of ['checklist-begun', 'checklist-done']) localStorage.setItem(key, site);
      }, shop.site);
      await page.reload();
    },
    until: textShown('See deliveries'),
  };
}

/** All pictures of the owner app. */
export function ownerShots(world: OwnerWorld): OwnerShot[] {
  const { shop, crowded } = world;
  const single = singleScreens(shop);
  const anImport = { name: 'an import', path: `/imports/${shop.import}` };
  const ready: Screen[] = [
    ...LISTED.map((path) => ({ name: path, path })),
    ...Object.keys(SECTIONS).map(setting),
    { name: 'a year on the dashboard', path: '/dashboard?range=12m' },
    { name: 'actions by list', path: '/actions?by=list' },
    { name: 'what would happen', path: '/actions?what_if=anybody' },
    { name: 'back from a tool', path: '/integrations/connected' },
    { name: '/site-settings', path: '/site-settings' },
    { name: 'a new list', path: '/create-list/new' },
    { name: 'a new page', path: `/create-preference-page/${shop.site}` },
    { name: 'a new import', path: '/imports/new' },
    { name: 'the email check', path: '/email-check' },
    anImport,
    ...single,
    ...editorTabs(shop),
    { name: 'the links of a new page', path: `/create-preference-page/${shop.site}?tab=links` },
    ...['links', 'comparison', 'settings', 'technical'].map((tab) => ({
      name: `an integration, ${tab}`,
      path: `/integrations/${shop.integration}?tab=${tab}`,
    })),
  ];
  const full: Screen[] = [
    ...(['/lists', '/actions', '/preference-pages', '/customers', '/evidence'] as const).map((path) => ({
      name: path,
      path,
    })),
    { name: '/site-settings', path: '/site-settings' },
    setting('organization'),
    ...singleScreens(crowded),
    ...complaintScreens(crowded),
    ...editorTabs(crowded),
  ];
  const shots: OwnerShot[] = [
    ...outside(world),
    ...evidenceLinks(),
    ...anchored(),
    takenDown(world),
    ...surveySteps(),
    ...setUpShots(world),
    ...unheardShots(world),
    ...otherAccountShots(world),
    ...ready.map((screen): OwnerShot => ({ ...screen, state: 'ready', who: 'shop' })),
    {
      name: '/customers',
      path: `/customers?receives_list_id=${crowded.list}&state=active&search=a`,
      state: 'filtered',
      who: 'crowded',
    },
    {
      name: '/customers',
      path: '/customers?search=nobody%40nowhere&state=paused',
      state: 'nobody matches',
      who: 'shop',
      until: textShown('No customers match'),
    },
    {
      name: 'a new import',
      path: '/imports/new',
      state: 'of a tool',
      who: 'shop',
      reach: chooseTool,
    },
    ...LISTED.map((path): OwnerShot => ({
      name: path,
      path,
      state: 'empty',
      who: 'beginner',
      until: textShown(LISTINGS[path]),
    })),
    ...full.map((screen): OwnerShot => ({ ...screen, state: 'full', who: 'crowded' })),
    ...waitingAndFailed([
      ...LISTED.map((path) => ({ name: path, path })),
      ...single,
      anImport,
      { name: 'a complaint', path: `/complaints/${crowded.complaint}`, who: 'crowded' },
      { name: 'a new import', path: '/imports/new', reach: chooseTool },
      { name: '/site-settings', path: '/site-settings', who: 'crowded' },
      ...settingsAway,
      { name: 'setting up a tool', path: `/integrations/${shop.integration}/set-up`, calls: /\/proposals\?/ },
      BULK_CHANGE,
      { name: 'what would happen', path: `/actions?what_if=${shop.customer}` },
      {
        name: 'a delivery',
        path: `/deliveries?delivery=${shop.delivery}`,
        calls: /\/deliveries\/[\da-f-]{36}$/,
      },
      {
        name: '/accept-invitation',
        path: `/accept-invitation?token=${world.invitation}`,
        calls: /\/invitations\/read$/,
        who: 'nobody',
      },
      { name: '/confirm', path: '/confirm?token=waiting', calls: /\/links\/read$/, who: 'nobody' },
      { name: '/set-up-second-factor', path: '/set-up-second-factor', calls: /\/second-factors$/ },
      { name: 'the sites of an owner', path: '/lists', calls: SITES, isWithoutFrame: true },
    ]),
    // Without its lists it starts empty.
    {
      name: 'a new page',
      path: `/create-preference-page/${shop.site}`,
      state: 'loading',
      who: 'shop',
      calls: OF_A_SITE,
      answer: 'never',
    },
    noSiteYet(),
    ...inTestMode(world),
    ...alteredEvidence(world),
    ...forViewers(world),
    ...shownDialogs(world),
    ...secondFactors(),
    ...bulkChangeShots(),
  ];
  return [...shots, ...shownLayers(shots), firstStepsDone(world)];
}
