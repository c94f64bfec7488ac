import type { Page } from 'playwright-core';
import { type Language, LANGUAGES } from '#contract/fields.ts';
import { LIST_DEFAULTS } from '#contract/lists.ts';
import { pageAttrs, type PageAttrs, type PublicPage } from '#contract/preference-pages.ts';
import type { PendingKind } from '#contract/pending-changes.ts';
import { ACME_LISTS } from '#db/demo/texts.ts';
import { textsOf } from '#web/page/locales.ts';
import { fill, type TextKey, type Texts } from '#web/page/texts.ts';
import {
  type ConfirmView,
  type LeaveView,
  listText,
  NEUTRAL_PAGE,
  NO_QUERY,
  type PageStep,
  type PageView,
  type ReportView,
  type ViewCustomer,
  viewOf,
} from '#web/page/view.ts';

/*
 * Every state that a visitor can see the public page in. The catalogue takes a picture of each, axe looks at each in
 * both templates and all languages. A new state of the page is one entry of PAGE_STATES.
 */

/** What an owner decides about the look, and the visitor's language. */
export interface Look {
  template: PageAttrs['template_id'];
  language: Language;
  colours?: Colours;
}

export type Colours = Pick<PageAttrs, 'primary_color' | 'text_color' | 'background_color'>;

/** What the API answers while a state is reached: a status with its body, an answer that never comes, or none. */
export type Answer = { status: number; body: unknown } | 'never' | 'no connection';

export interface PageState {
  /** Unique; names its pictures. */
  name: string;
  view(look: Look): PageView;
  /** Seen without scripts. */
  isPlain?: boolean;
  /** Other than the API's usual answers, by the call's method. */
  answers?: Partial<Record<string, Answer>>;
  /** What the visitor does to get there, once the script runs. */
  reach?(page: Page, texts: Texts): Promise<void>;
}

/** Where the stage keeps the logo of every state. */
export const LOGO_PATH = '/images/logo.svg';

const ACME_COLOURS: Colours = {
  primary_color: '#1F6F5C',
  text_color: '#1D2B27',
  background_color: '#F4F7F4',
};

/** Colours that no designer would choose, and that an owner can. */
export const HOSTILE_COLOURS: Record<string, Colours> = {
  faint: { primary_color: '#F5F5F5', text_color: '#EEEEEE', background_color: '#FFFFFF' },
  black: { primary_color: '#000000', text_color: '#000000', background_color: '#000000' },
  white: { primary_color: '#FFFFFF', text_color: '#FFFFFF', background_color: '#FFFFFF' },
  grey: { primary_color: '#777777', text_color: '#777777', background_color: '#777777' },
  neon: { primary_color: '#39FF14', text_color: '#FF00FF', background_color: '#00FFFF' },
  alarm: { primary_color: '#FFFF00', text_color: '#FFD400', background_color: '#FF0000' },
  night: { primary_color: '#FFD400', text_color: '#E8ECF5', background_color: '#0B1020' },
};

const LISTS: PublicPage['lists'] = ACME_LISTS.map((list, index) => ({
  ...LIST_DEFAULTS,
  ...list,
  id: `018f0000-0000-7000-8000-00000000000${index}`,
  show_order: index,
}));

const [FIRST, SECOND] = LISTS as [PublicPage['lists'][number], PublicPage['lists'][number]];

const NORA: ViewCustomer = {
  id: 'sealed',
  level: 'open',
  email: 'nora.lindqvist@example.com',
  global_unsubscribe: false,
  paused_until: null,
  lists: LISTS.map(({ id }, index) => ({ id, subscribed: index === 0 ? null : index % 2 === 0 })),
  pending: [],
};

/** Nora, once she switched these on or off. */
const switched = (subscribed: boolean, ...lists: PublicPage['lists']): ViewCustomer => ({
  ...NORA,
  lists: NORA.lists.map((one) => (lists.some(({ id }) => id === one.id) ? { ...one, subscribed } : one)),
});

const UNTIL_CONFIRMED = '2026-11-24T10:00:00.000Z';
const waiting = (...kinds: PendingKind[]): ViewCustomer => ({
  ...NORA,
  pending: kinds.map((kind) => ({
    kind,
    until: UNTIL_CONFIRMED,
    ...(kind === 'resubscribe' && { list_ids: [SECOND.id] }),
  })),
});

const waitingFor = (...lists: PublicPage['lists']): ViewCustomer => ({
  ...NORA,
  pending: [{ kind: 'subscribe', until: UNTIL_CONFIRMED, list_ids: lists.map(({ id }) => id) }],
});

type PageParts = Partial<Omit<PublicPage, 'attrs'>> & { attrs?: Partial<PageAttrs> };

function acmePage({ template, language, colours = ACME_COLOURS }: Look, parts: PageParts = {}): PublicPage {
  return {
    ...NEUTRAL_PAGE,
    name: 'Acme Outdoor',
    logo: LOGO_PATH,
    logo_size: { width: 160, height: 48 },
    languages: { default: 'en', active_languages: [...LANGUAGES] },
    lists: LISTS.slice(0, 4),
    ...parts,
    attrs: pageAttrs.parse({ ...colours, template_id: template, language, ...parts.attrs }),
  };
}

type ViewParts = Partial<Omit<PageView, 'page'>> & { page?: PageParts };

const show =
  (step: PageStep, { page, ...parts }: ViewParts = {}): PageState['view'] =>
  (look) =>
    viewOf({
      step,
      language: look.language,
      page: acmePage(look, page),
      custom_path: 'preferences',
      save_id: 'save-of-this-view',
      ...parts,
    });

const preferences = (parts: ViewParts = {}) => show('preferences', { customer: NORA, ...parts });

function leave(parts: Partial<LeaveView>, view: ViewParts = {}): PageState['view'] {
  return (look) =>
    show('leave', {
      leave: {
        masked_email: 'n•••@example.com',
        list_name: null,
        action: '/u/challenge',
        full_page_url: '/preferences',
        offers_pause: false,
        done: null,
        list_deleted: false,
        paused_until: null,
        receipt: null,
        ...parts,
        ...(parts.list_name ? { list_name: listText(FIRST, look.language).name } : {}),
      },
      ...view,
    })(look);
}

const ofLink = (state: 'subscribe' | 'unsubscribe', listId: string | null, email: string | null = null) => ({
  query: { ...NO_QUERY, challenge: 'challenge', email, state, listId },
});

const confirmed: PageParts = { attrs: { confirm_links: true } };

/** The message of a page that belongs to nobody: unknown hosts and addresses. */
const neutral =
  (step: PageStep, parts: Partial<PageView> = {}): PageState['view'] =>
  ({ language, template, colours }) =>
    viewOf({
      ...parts,
      step,
      language,
      page: { ...NEUTRAL_PAGE, attrs: { ...NEUTRAL_PAGE.attrs, ...colours, template_id: template } },
    });

const failed = (key: TextKey, field: 'email' | 'new_email' | null, value = '') =>
  ({ notice: { kind: 'error', key, field, value } }) as const;

const LONG_WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const LONG_ADDRESS = `${'a-very-long-local-part-of-an-address'.repeat(1)}.with.dots.and-more@subdomain.of-a-rather-long-company-name.example.com`;

const longNames: PageParts = {
  name: `${LONG_WORD} & Co.`,
  lists: LISTS.slice(0, 3).map((list, index) => ({
    ...list,
    translations: [],
    name: index === 0 ? LONG_WORD : `${list.name}, ${'and so on '.repeat(7)}`.slice(0, 100),
    description: 'A description as long as it may be. '.repeat(8).slice(0, 255),
  })),
  attrs: {
    tag_subject:
      'Choose in your own time and at your own pace which of our many letters you would like to have',
    tag_pre_name: 'at the one and only',
    saved_preferences_msg: 'Thank you. What you chose is kept, and takes effect with the very next letter.',
  },
};

const named: PageParts = {
  operator: {
    legal_name: 'Acme Outdoor Bergsport und Reiseausrüstung GmbH & Co. KG',
    postal_address: 'Bergstraße 7\n6020 Innsbruck\nAustria',
    privacy_url: 'https://acme-outdoor.example/privacy',
    imprint_url: 'https://acme-outdoor.example/imprint',
  },
};

const manyLists: PageParts = {
  lists: Array.from({ length: 50 }, (_, index) => ({
    ...(LISTS[index % LISTS.length] ?? FIRST),
    id: `018f0000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  })),
};

const REFUSED = (status: number): Answer => ({
  status,
  body: { message: 'refused', data: null, meta: { errors: [{ code: 'refused', message: 'refused' }] } },
});

/** To a save after which no list is on. */
const ANSWERED = ({
  global_unsubscribe = false,
  ...parts
}: Record<string, unknown> & { global_unsubscribe?: boolean }): Answer => ({
  status: 200,
  body: {
    choice_id: null,
    global_unsubscribe,
    customer: { id: NORA.id, level: NORA.level, email: NORA.email, global_unsubscribe, paused_until: null },
    ignored: [],
    lists: LISTS.slice(0, 4).map(({ id }) => ({ notification_list_id: id, subscribed: false })),
    receipt: 'receipt',
    pending: [],
    ...parts,
  },
});

const switches = (page: Page) => page.getByRole('switch');
const toggle = (page: Page) => switches(page).first().click();

async function save(page: Page, texts: Texts): Promise<void> {
  await toggle(page);
  await page.getByRole('button', { name: texts['pref_template.save'], exact: true }).click();
}

const saveFails = async (page: Page, texts: Texts) => {
  await save(page, texts);
  await page.getByRole('alert').waitFor();
};

async function openDialog(page: Page, texts: Texts): Promise<void> {
  await page.getByRole('button', { name: texts['pref_template.change_email'] }).click();
  await page.getByRole('dialog').waitFor();
}

const changeEmail = (address: string) => async (page: Page, texts: Texts) => {
  await openDialog(page, texts);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(address);
  await dialog.getByRole('button', { name: texts['modal_mail.update'] }).click();
};

const emailRefused = (address: string) => async (page: Page, texts: Texts) => {
  await changeEmail(address)(page, texts);
  await page.getByRole('dialog').getByRole('alert').waitFor();
};

const enterAddress = (address: string) => async (page: Page, texts: Texts) => {
  await page.getByRole('textbox').fill(address);
  await page.getByRole('button', { name: texts['pref_template.continue'] }).click();
};

const loading = (page: Page) => page.locator('.pp-loader:visible').waitFor();

const press = (key: TextKey) => (page: Page, texts: Texts) =>
  page.getByRole('button', { name: texts[key] }).click();

const forms: PageState[] = [
  { name: 'form', view: show('form') },
  { name: 'form without scripts', view: show('form'), isPlain: true },
  { name: 'form with a long name', view: show('form', { page: longNames }) },
  {
    name: 'form without logo and badge',
    view: show('form', { page: { logo: '', attrs: { remove_badge: true } } }),
  },
  {
    name: 'form, address from the link',
    view: show('form', { query: { ...NO_QUERY, email: 'nora@example.com' } }),
    isPlain: true,
  },
  {
    name: 'form, wrong address',
    view: show('form'),
    reach: async (page, texts) => {
      await enterAddress('nora@nowhere')(page, texts);
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'form, wrong address, without scripts',
    view: show('form', failed('pref_template.error_invalid', 'email', 'nora@nowhere')),
    isPlain: true,
  },
  {
    name: 'form after a form that was open too long',
    view: show('form', failed('form_error.expired', null)),
  },
  {
    name: 'form, server away',
    view: show('form'),
    answers: { POST: REFUSED(503) },
    reach: async (page, texts) => {
      await enterAddress('nora@example.com')(page, texts);
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'form, too many attempts',
    view: show('form'),
    answers: { POST: REFUSED(429) },
    reach: async (page, texts) => {
      await enterAddress('nora@example.com')(page, texts);
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'form, sent',
    view: show('form'),
    answers: { POST: 'never' },
    reach: enterAddress('nora@example.com'),
  },
  {
    name: 'form, loading what was found',
    view: show('form'),
    answers: { GET: 'never' },
    reach: async (page, texts) => {
      await enterAddress('nora@example.com')(page, texts);
      await loading(page);
    },
  },
  {
    name: 'loading a remembered visitor',
    view: show('form', { query: { ...NO_QUERY, email: 'nora@example.com' } }),
    answers: { POST: 'never' },
    reach: loading,
  },
];

const choices: PageState[] = [
  { name: 'preferences', view: preferences() },
  { name: 'preferences without scripts', view: preferences(), isPlain: true },
  {
    name: 'preferences with long names',
    view: preferences({ page: longNames, customer: { ...NORA, email: LONG_ADDRESS } }),
    reach: toggle,
  },
  { name: 'preferences with fifty lists', view: preferences({ page: manyLists }) },
  { name: 'preferences with fifty lists, changed', view: preferences({ page: manyLists }), reach: toggle },
  { name: 'preferences with one list', view: preferences({ page: { lists: [FIRST], logo: '' } }) },
  { name: 'preferences without lists', view: preferences({ page: { lists: [] } }) },
  {
    name: 'preferences with everything switched off by the owner',
    view: preferences({
      page: { logo: '', attrs: { allow_email_change: false, unsubscribe_all: false, remove_badge: true } },
    }),
  },
  { name: 'form, with who is behind it', view: show('form', { page: named }) },
  { name: 'preferences with who is behind them', view: preferences({ page: named }) },
  { name: 'preferences, changed', view: preferences(), reach: toggle },
  {
    name: 'preferences, everything off',
    view: preferences(),
    reach: press('pref_template.unsubscribe_all'),
  },
  { name: 'preferences, saving', view: preferences(), answers: { PUT: 'never' }, reach: save },
  {
    name: 'preferences, saved',
    view: preferences(),
    reach: async (page, texts) => {
      await save(page, texts);
      await page.getByText(texts['pref_template.saved']).waitFor();
    },
  },
  {
    name: 'preferences, saved and received',
    view: preferences({ customer: { ...NORA, level: 'proven' } }),
    answers: { GET: { status: 200, body: { state: 'received' } } },
    reach: async (page, texts) => {
      await save(page, texts);
      await page.getByText(texts['progress.received']).waitFor();
    },
  },
  {
    name: 'preferences, saved and confirmed',
    view: preferences({ customer: { ...NORA, level: 'proven' } }),
    answers: { GET: { status: 200, body: { state: 'confirmed' } } },
    reach: async (page, texts) => {
      await save(page, texts);
      await page.getByText(texts['progress.confirmed']).waitFor();
    },
  },
  {
    name: 'preferences, saved, with what will come',
    view: preferences({ customer: { ...NORA, level: 'proven' } }),
    answers: { GET: { status: 200, body: { state: 'delayed' } } },
    reach: async (page, texts) => {
      await save(page, texts);
      await page.getByText(texts['progress.delayed']).waitFor();
    },
  },
  {
    name: 'preferences, saved, all off one by one',
    view: preferences({ customer: switched(false, ...LISTS) }),
    reach: async (page, texts) => {
      await press('pref_template.save')(page, texts);
      await page.getByText(texts['result.nothing']).waitFor();
    },
  },
  {
    name: 'preferences, saved, everything left',
    view: preferences(),
    answers: { PUT: ANSWERED({ global_unsubscribe: true }) },
    reach: async (page, texts) => {
      await press('pref_template.unsubscribe_all')(page, texts);
      await press('pref_template.save')(page, texts);
      await page.getByText(fill(texts['pref_template.globally_off'], { name: 'Acme Outdoor' })).waitFor();
    },
  },
  {
    name: 'preferences, saved, one step left',
    view: preferences(),
    answers: { PUT: ANSWERED({ receipt: null, pending: waitingFor(SECOND).pending }) },
    reach: async (page, texts) => {
      await switches(page).nth(1).click();
      await press('pref_template.save')(page, texts);
      await page.getByText(texts['pending.short']).waitFor();
    },
  },
  {
    name: 'preferences, saved, in the owner’s words',
    view: preferences({ page: longNames }),
    reach: async (page, texts) => {
      await save(page, texts);
      await page.getByText('Thank you.').waitFor();
    },
  },
  {
    name: 'preferences, saved, without scripts',
    view: preferences({
      customer: switched(false, FIRST),
      notice: { kind: 'saved', left: true, held: false, receipt: 'receipt' },
    }),
    isPlain: true,
  },
  {
    name: 'save failed, no connection',
    view: preferences(),
    answers: { PUT: 'no connection' },
    reach: saveFails,
  },
  { name: 'save failed, too many', view: preferences(), answers: { PUT: REFUSED(429) }, reach: saveFails },
  { name: 'save failed, our side', view: preferences(), answers: { PUT: REFUSED(500) }, reach: saveFails },
  {
    name: 'save failed, open too long',
    view: preferences(),
    answers: { PUT: REFUSED(404), POST: REFUSED(404) },
    reach: saveFails,
  },
  {
    name: 'save failed, without scripts',
    view: preferences({ ...failed('save_error.server', null), edits: { [FIRST.id]: false } }),
    isPlain: true,
  },
  {
    name: 'preferences of who left everything',
    view: preferences({ customer: { ...NORA, global_unsubscribe: true } }),
  },
];

const addresses: PageState[] = [
  { name: 'email change', view: preferences(), reach: openDialog },
  { name: 'email change, empty', view: preferences(), reach: emailRefused('') },
  { name: 'email change, same', view: preferences(), reach: emailRefused(NORA.email) },
  { name: 'email change, invalid', view: preferences(), reach: emailRefused('nora@nowhere') },
  {
    name: 'email change, taken',
    view: preferences(),
    answers: { PATCH: REFUSED(409) },
    reach: emailRefused('ben@example.com'),
  },
  {
    name: 'email change, no connection',
    view: preferences(),
    answers: { PATCH: 'no connection' },
    reach: emailRefused('ben@example.com'),
  },
  {
    name: 'email change, sent',
    view: preferences(),
    answers: { PATCH: 'never' },
    reach: changeEmail('ben@example.com'),
  },
  {
    name: 'email change, done',
    view: preferences(),
    reach: async (page, texts) => {
      await changeEmail('ben@example.com')(page, texts);
      await page.getByRole('dialog').getByText(texts['pref_template.email_updated']).waitFor();
    },
  },
  {
    name: 'email updated',
    view: preferences(),
    reach: async (page, texts) => {
      await changeEmail('ben@example.com')(page, texts);
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.getByText(texts['pref_template.saved']).waitFor();
    },
  },
  {
    name: 'email updated, without scripts',
    view: preferences({
      customer: { ...NORA, email: 'ben@example.com' },
      notice: { kind: 'email_updated' },
    }),
    isPlain: true,
  },
  {
    name: 'email change, without scripts',
    view: preferences(),
    isPlain: true,
    reach: (page) => page.locator('.pp-plain-email summary').click(),
  },
  ...(
    [
      ['empty', ''],
      ['same', NORA.email],
      ['invalid', 'nora@nowhere'],
      ['exists', 'ben@example.com'],
    ] as const
  ).map(([wrong, value]): PageState => ({
    name: `email change, ${wrong}, without scripts`,
    view: preferences(failed(`modal_mail.error_${wrong}`, 'new_email', value)),
    isPlain: true,
  })),
];

const stateLinks: PageState[] = [
  ...(['unsubscribe', 'subscribe'] as const).flatMap((state): PageState[] => [
    {
      name: `link to ${state} one list, asked`,
      view: preferences({
        ...ofLink(state, state === 'subscribe' ? SECOND.id : FIRST.id),
        page: confirmed,
      }),
    },
    {
      name: `link to ${state} everything, asked`,
      view: preferences({ ...ofLink(state, null), page: confirmed }),
    },
    {
      name: `link to ${state} one list, done, without scripts`,
      view: preferences({
        customer: switched(state === 'subscribe', SECOND),
        notice: { kind: 'state_saved', state, list_id: SECOND.id, held: false, receipt: 'receipt' },
      }),
      isPlain: true,
    },
    {
      name: `link to ${state} everything, done, without scripts`,
      view: preferences({
        customer: state === 'subscribe' ? switched(true, ...LISTS) : { ...NORA, global_unsubscribe: true },
        notice: { kind: 'state_saved', state, list_id: null, held: false, receipt: 'receipt' },
      }),
      isPlain: true,
    },
  ]),
  {
    name: 'link of somebody else, held',
    view: preferences(ofLink('unsubscribe', FIRST.id, 'benedikt.schwarzenberger@mail.example.org')),
  },
  {
    name: 'link of somebody else, without scripts',
    view: preferences({ query: { ...NO_QUERY, challenge: 'challenge', email: 'ben@example.com' } }),
    isPlain: true,
  },
  {
    name: 'link of somebody else, who is not known',
    view: preferences({ query: { ...NO_QUERY, challenge: 'challenge', email: 'ben@example.com' } }),
    answers: { POST: REFUSED(404) },
    reach: async (page, texts) => {
      const other = 'ben@example.com';
      await page.getByRole('button', { name: fill(texts['other.continue'], { other }) }).click();
      await page.getByText(fill(texts['other.unknown'], { other, email: NORA.email })).waitFor();
    },
  },
  {
    name: 'coming back to everything waits for an email',
    view: preferences({
      customer: { ...NORA, pending: [{ kind: 'resubscribe', until: UNTIL_CONFIRMED, list_ids: [] }] },
    }),
  },
  {
    name: 'the only list waits for an email',
    view: preferences({ page: { lists: [FIRST] }, customer: waitingFor(FIRST) }),
  },
  {
    name: 'coming back waits for an email',
    view: preferences({ customer: waiting('resubscribe') }),
  },
  {
    name: 'lists with double opt-in wait for an email',
    view: preferences({ customer: waitingFor(FIRST, SECOND) }),
  },
  {
    name: 'lists with double opt-in wait for an email, sent again, without scripts',
    view: preferences({
      customer: waitingFor(SECOND),
      notice: { kind: 'resent', pending: 'subscribe' },
    }),
    isPlain: true,
  },
  {
    name: 'coming back and a new address wait for emails',
    view: preferences({ customer: waiting('resubscribe', 'email_change') }),
  },
  {
    name: 'coming back waits for an email, just saved, without scripts',
    view: preferences({
      customer: waiting('resubscribe'),
      notice: { kind: 'saved', left: false, held: true, receipt: null },
    }),
    isPlain: true,
  },
  {
    name: 'a new address waits for an email, without scripts',
    view: preferences({ customer: waiting('email_change'), notice: { kind: 'held' } }),
    isPlain: true,
  },
  {
    name: 'link to subscribe waits for an email, without scripts',
    view: preferences({
      customer: waiting('resubscribe'),
      notice: { kind: 'state_saved', state: 'subscribe', list_id: SECOND.id, held: true, receipt: null },
    }),
    isPlain: true,
  },
  {
    name: 'link with nothing to undo',
    view: preferences({
      notice: { kind: 'state_saved', state: 'unsubscribe', list_id: SECOND.id, held: false, receipt: null },
    }),
    isPlain: true,
  },
  {
    name: 'link that saves without a click, done',
    view: preferences(ofLink('unsubscribe', FIRST.id)),
    reach: (page, texts) => page.getByRole('button', { name: texts['state.undo'] }).waitFor(),
  },
  {
    name: 'link, undone',
    view: preferences({ ...ofLink('unsubscribe', FIRST.id), page: confirmed }),
    reach: async (page, texts) => {
      await press('state.confirm')(page, texts);
      await press('state.undo')(page, texts);
      await page.getByText(texts['state.undone']).waitFor();
    },
  },
  {
    name: 'link, failed',
    view: preferences({ ...ofLink('unsubscribe', FIRST.id), page: confirmed }),
    answers: { PUT: REFUSED(500) },
    reach: async (page, texts) => {
      await press('state.confirm')(page, texts);
      await page.getByText(texts['unavailable.text']).waitFor();
    },
  },
];

const UNTIL = '2027-01-20T09:00:00.000Z';
const offered: PageParts = { attrs: { offer_pause: true } };
const paused: ViewCustomer = { ...NORA, global_unsubscribe: true, paused_until: UNTIL };

const afterwards: PageState[] = [
  {
    name: 'left a list, asked why',
    view: preferences(),
    reach: async (page, texts) => {
      await save(page, texts);
      await page.getByText(texts['reason.question']).waitFor();
    },
  },
  {
    name: 'left a list, told why',
    view: preferences(),
    reach: async (page, texts) => {
      await save(page, texts);
      await press('reason.too_many')(page, texts);
      await page.getByText(texts['reason.thanks']).waitFor();
    },
  },
  {
    name: 'saved, undone',
    view: preferences(),
    reach: async (page, texts) => {
      await save(page, texts);
      await press('state.undo')(page, texts);
      await page.getByText(texts['state.undone']).waitFor();
    },
  },
  {
    name: 'saved, cannot be undone any more',
    view: preferences(),
    answers: { POST: REFUSED(409) },
    reach: async (page, texts) => {
      await save(page, texts);
      await press('state.undo')(page, texts);
      await page.getByText(texts['save_error.changed']).waitFor();
    },
  },
  {
    name: 'left a list, asked why, without scripts',
    view: preferences({
      customer: switched(false, FIRST),
      notice: { kind: 'saved', left: true, held: false, receipt: 'receipt' },
    }),
    isPlain: true,
  },
  ...(['undone', 'reason_given', 'paused', 'resumed'] as const).map((kind): PageState => ({
    name: `${kind}, without scripts`,
    view: preferences({ notice: { kind }, customer: kind === 'paused' ? paused : NORA }),
    isPlain: true,
  })),
  { name: 'pause offered', view: preferences({ page: offered }) },
  {
    name: 'pause failed',
    view: preferences({ page: offered }),
    answers: { PATCH: REFUSED(500) },
    reach: async (page) => {
      await page.locator('.pp-chips button').first().click();
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'paused just now',
    view: preferences({ page: offered }),
    reach: async (page, texts) => {
      await page.locator('.pp-chips button').first().click();
      await page.getByRole('button', { name: texts['pause.end'] }).waitFor();
    },
  },
  { name: 'paused', view: preferences({ page: offered, customer: paused }) },
];

const landings: PageState[] = [
  { name: 'leave one list', view: leave({ list_name: FIRST.name }) },
  { name: 'leave everything', view: leave({}) },
  { name: 'leave a list that was deleted', view: leave({ list_deleted: true }) },
  { name: 'leave everything, no full page', view: leave({ full_page_url: null }) },
  { name: 'leave everything, or pause', view: leave({ offers_pause: true }) },
  { name: 'left one list', view: leave({ list_name: FIRST.name, done: 'left', receipt: 'receipt' }) },
  { name: 'left everything', view: leave({ done: 'left', receipt: 'receipt' }) },
  {
    name: 'left everything, told why',
    view: leave({ done: 'left', receipt: 'receipt' }, { notice: { kind: 'reason_given' } }),
  },
  { name: 'left before', view: leave({ done: 'left' }) },
  {
    name: 'stopped for a wrong recipient',
    view: leave({ done: 'wrong_recipient', receipt: 'receipt', full_page_url: null }),
  },
  {
    name: 'leave everything, a pause until a day too near',
    view: leave({ offers_pause: true }, failed('pause.range', null)),
  },
  { name: 'paused by the link', view: leave({ done: 'paused', paused_until: UNTIL, receipt: 'receipt' }) },
  { name: 'leave, undone', view: leave({ list_name: FIRST.name }, { notice: { kind: 'undone' } }) },
  {
    name: 'leave, too late to undo',
    view: leave({ list_name: FIRST.name }, failed('save_error.changed', null)),
  },
];

const languages: PageState[] = [
  {
    name: 'languages, open',
    view: show('form'),
    reach: (page) => page.locator('.pp-languages summary').click(),
  },
  {
    name: 'languages over the preferences, open, without scripts',
    view: preferences(),
    isPlain: true,
    reach: (page) => page.locator('.pp-languages summary').click(),
  },
  {
    name: 'page in one language',
    view: preferences({ page: { languages: { default: 'en', active_languages: [] } } }),
  },
  { name: 'switches moved before the language', view: preferences({ edits: { [FIRST.id]: false } }) },
  {
    name: 'unsubscribe from all, pressed before the language',
    view: preferences({ edits: Object.fromEntries(LISTS.map(({ id }) => [id, false])), leaves_all: true }),
  },
];

function confirm({
  lists = [],
  ...parts
}: Pick<ConfirmView, 'kind'> &
  Partial<Omit<ConfirmView, 'lists'>> & { lists?: PublicPage['lists'] }): PageState['view'] {
  return (look) =>
    show('confirm', {
      confirm: {
        email: parts.kind === 'email_change' && parts.done !== true ? 'nora@example.com' : 'n•••@example.com',
        action: '/confirm/link',
        done: false,
        refusal: null,
        lists: lists.map((list) => listText(list, look.language).name),
        ...parts,
      },
    })(look);
}

const openData = (page: Page) => page.locator('.pp-data > summary').click();

const COMPLAINED = { masked_email: 'n•••@example.com', due_at: '2026-12-20T09:14:00.000Z' };

async function openComplaint(page: Page): Promise<void> {
  await openData(page);
  await page.locator('.pp-data details > summary').click();
}

const AGED: ViewCustomer = { ...NORA, level: 'leave', email: 'n•••@example.com' };
const aged = (parts: ViewParts = {}) => preferences({ customer: AGED, ...parts });

const agedLinks: PageState[] = [
  { name: 'aged link', view: aged() },
  { name: 'aged link, without scripts', view: aged(), isPlain: true },
  { name: 'aged link, long names', view: aged({ page: longNames }) },
  { name: 'aged link, everything left', view: aged({ customer: { ...AGED, global_unsubscribe: true } }) },
  {
    name: 'aged link, paused',
    view: aged({ page: offered, customer: { ...paused, level: 'leave', email: AGED.email } }),
  },
  {
    name: 'aged link, fresh one asked for',
    view: aged(),
    answers: { POST: { status: 202, body: { masked_email: 'n•••@example.com' } } },
    reach: async (page, texts) => {
      await press('aged.button')(page, texts);
      await page.locator('.pp-aged', { hasText: 'n•••@example.com' }).waitFor();
    },
  },
  {
    name: 'aged link, too many asked for',
    view: aged(),
    answers: { POST: REFUSED(429) },
    reach: async (page, texts) => {
      await press('aged.button')(page, texts);
      await page.getByText(texts['rate_limited.text']).waitFor();
    },
  },
  {
    name: 'aged link, fresh one asked for, without scripts',
    view: aged({ notice: { kind: 'fresh_link_sent', masked_email: 'n•••@example.com' } }),
    isPlain: true,
  },
  {
    name: 'aged link, refused, without scripts',
    view: aged(failed('save_error.link_expired', null)),
    isPlain: true,
  },
  {
    name: 'links, to be ended',
    view: preferences({ customer: { ...NORA, level: 'proven' } }),
    reach: openData,
  },
  { name: 'links ended, without scripts', view: aged({ notice: { kind: 'links_ended' } }), isPlain: true },
];

const ownData: PageState[] = [
  { name: 'own data, open', view: preferences(), reach: openData },
  {
    name: 'own data, asked for',
    view: preferences(),
    answers: { POST: { status: 200, body: { masked_email: 'n•••@example.com' } } },
    reach: async (page, texts) => {
      await openData(page);
      await press('data.download')(page, texts);
      await page.locator('.pp-data-answer', { hasText: 'n•••@example.com' }).waitFor();
    },
  },
  {
    name: 'own data, failed',
    view: preferences(),
    answers: { POST: REFUSED(500) },
    reach: async (page, texts) => {
      await openData(page);
      await press('data.erase')(page, texts);
      await page.getByText(texts['unavailable.text']).waitFor();
    },
  },
  {
    name: 'own data, asked for, without scripts',
    view: preferences({ notice: { kind: 'data_requested', masked_email: 'n•••@example.com' } }),
    isPlain: true,
  },
  { name: 'complaint, open', view: preferences(), reach: openComplaint },
  {
    name: 'complaint, sent',
    view: preferences(),
    answers: { POST: { status: 202, body: COMPLAINED } },
    reach: async (page, texts) => {
      await openComplaint(page);
      await page.locator('.pp-complaint textarea').fill('I never agreed to this.');
      await press('complaint.send')(page, texts);
      await page.locator('.pp-data-answer', { hasText: COMPLAINED.masked_email }).waitFor();
    },
  },
  {
    name: 'complaint, failed',
    view: preferences(),
    answers: { POST: REFUSED(500) },
    reach: async (page, texts) => {
      await openComplaint(page);
      await page.locator('.pp-complaint textarea').fill('I never agreed to this.');
      await press('complaint.send')(page, texts);
      await page.getByText(texts['unavailable.text']).waitFor();
    },
  },
  {
    name: 'complaint, sent, without scripts',
    view: preferences({ notice: { kind: 'complained', ...COMPLAINED } }),
    isPlain: true,
  },
  ...(['email_undo', 'data_download', 'data_erasure'] as const).map((kind): PageState => ({
    name: `${kind}, asked`,
    view: confirm({ kind }),
  })),
  ...(['resubscribe', 'email_change', 'resubscribe_undo'] as const).flatMap((kind): PageState[] => [
    { name: `${kind}, asked`, view: confirm({ kind }) },
    { name: `${kind}, done`, view: confirm({ kind, done: true }) },
  ]),
  {
    name: 'resubscribe to lists, asked',
    view: confirm({ kind: 'resubscribe', lists: [FIRST, SECOND] }),
  },
  { name: 'email_change, taken since', view: confirm({ kind: 'email_change', refusal: 'taken' }) },
  { name: 'email_undo, done', view: confirm({ kind: 'email_undo', done: true }) },
  { name: 'data_erasure, done', view: confirm({ kind: 'data_erasure', done: true }) },
  { name: 'email_undo, changed since', view: confirm({ kind: 'email_undo', refusal: 'changed' }) },
  { name: 'email_undo, taken since', view: confirm({ kind: 'email_undo', refusal: 'taken' }) },
  { name: 'restore, asked', view: confirm({ kind: 'restore' }) },
  { name: 'restore, one list, asked', view: confirm({ kind: 'restore', lists: [FIRST] }) },
  { name: 'restore, done', view: confirm({ kind: 'restore', done: true }) },
  { name: 'restore, one list, done', view: confirm({ kind: 'restore', lists: [FIRST], done: true }) },
  { name: 'restore, changed since', view: confirm({ kind: 'restore', refusal: 'changed' }) },
];

const messages: PageState[] = (
  ['link-sent', 'link-void', 'not-found', 'rate-limited', 'unavailable'] as const
).flatMap((step) => [
  { name: step, view: show(step) },
  { name: `${step}, of no page`, view: neutral(step) },
]);

const report = (parts: Partial<ReportView> = {}): PageState['view'] =>
  neutral('report', {
    report: {
      url: 'https://acme.pages.example.com/preferences',
      action: '/report/preferences',
      reason: null,
      text: '',
      email: '',
      problem: null,
      done: false,
      ...parts,
    },
  });

const operatorsPages: PageState[] = [
  { name: 'report', view: report() },
  { name: 'report, without a reason', view: report({ text: 'It looks like my bank.', problem: 'reason' }) },
  { name: 'report, wrong address', view: report({ reason: 'phishing', email: 'vera@', problem: 'email' }) },
  { name: 'report, sent', view: report({ done: true }) },
  { name: 'taken down', view: neutral('taken-down') },
  {
    name: 'taken down, by a personal link',
    view: neutral('taken-down', { query: { ...NO_QUERY, challenge: 'sealed' } }),
  },
];

/** Every state of the public page, in the order in which a visitor may meet them. */
export const PAGE_STATES: readonly PageState[] = [
  ...forms,
  ...choices,
  ...addresses,
  ...stateLinks,
  ...afterwards,
  ...landings,
  ...languages,
  ...ownData,
  ...agedLinks,
  ...messages,
  ...operatorsPages,
];

/** Between them these hold every kind of text and control of the page. */
export const TELLING_STATES: readonly PageState[] = [
  'form, wrong address',
  'loading a remembered visitor',
  'preferences, changed',
  'preferences, saved',
  'preferences of who left everything',
  'preferences without scripts',
  'save failed, our side',
  'email change, taken',
  'link, undone',
  'left a list, asked why',
  'pause failed',
  'paused',
  'languages, open',
  'leave one list',
  'left one list',
  'rate-limited',
  'own data, open',
  'complaint, open',
  'data_erasure, asked',
].map(stateNamed);

/** One of the states above. */
export function stateNamed(name: string): PageState {
  const found = PAGE_STATES.find((state) => state.name === name);
  if (!found) throw new Error(`There is no state of the page called "${name}".`);
  return found;
}

/** The customer whom all states show. */
export const PAGE_CUSTOMER = NORA;

/** The page's texts in the language of a look. */
export const textsFor = ({ language }: Look): Texts => textsOf(language);
