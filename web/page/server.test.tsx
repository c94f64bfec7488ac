import { expect, test } from 'vitest';
import { LIST_DEFAULTS } from '#contract/lists.ts';
import { renderDocument } from './server.tsx';
import { NEUTRAL_PAGE, viewOf, type PageView, type ViewCustomer } from './view.ts';

const assets = { script: '/assets/page.js', style: '.pp{}' };
const ATTACK = `</script><img src=x onerror=alert(1)>"'&`;

const page = {
  ...NEUTRAL_PAGE,
  name: 'Acme',
  lists: [
    {
      ...LIST_DEFAULTS,
      id: 'weekly',
      name: 'Weekly news',
      description: 'Every Friday',
      show_order: 0,
      translations: [
        { language: 'de' as const, name: 'Wochenpost', description: '' },
        { language: 'fr' as const, name: 'Hebdo', description: '' },
      ],
    },
  ],
};

const nora = {
  id: 'sealed',
  level: 'open' as const,
  email: 'nora@example.com',
  global_unsubscribe: false,
  paused_until: null,
  lists: [],
  pending: [],
};
const render = (parts: Pick<PageView, 'step'> & Partial<PageView>) =>
  renderDocument(viewOf({ language: 'en', page, custom_path: 'news', ...parts }), assets, 'n0nce');

test('a document says its language and title, and keeps out of search engines and referrers (spec 4)', () => {
  const html = render({ step: 'form', language: 'de' });
  expect(html).toMatch(/^<!doctype html><html lang="de">/);
  expect(html).toContain('<title>Einstellungen</title>');
  expect(html).toContain('<meta name="robots" content="noindex');
  expect(html).toContain('<meta name="referrer" content="no-referrer">');
});

test('the form works without JavaScript', () => {
  expect(render({ step: 'form' })).toContain('action="/news" method="post"');
});

test('only the chosen language is sent', () => {
  const html = render({ step: 'preferences', customer: nora, language: 'de' });
  expect(html).toContain('Wochenpost');
  expect(html).not.toContain('Hebdo');
  expect(html).not.toContain('Update your preferences');
});

test.each(['default_preference_page', 'stacked_marketer_template'] as const)(
  '%s escapes everything (spec 9, 75)',
  (template_id) => {
    const attrs = {
      ...page.attrs,
      template_id,
      tag_subject: ATTACK,
      tag_pre_name: ATTACK,
      saved_preferences_msg: ATTACK,
    };
    const lists = page.lists.map((list) => ({ ...list, name: ATTACK, description: ATTACK }));
    const html = render({
      step: 'preferences',
      page: {
        ...page,
        name: ATTACK,
        logo: `https://x/"${ATTACK}`,
        favicon: `https://x/"${ATTACK}`,
        attrs,
        lists,
      },
      customer: { ...nora, email: ATTACK },
      query: { challenge: ATTACK, email: ATTACK, state: 'unsubscribe', listId: ATTACK },
      notice: { kind: 'saved', left: true, held: false, receipt: ATTACK },
    });
    expect(html).not.toContain('<img src=x');
    expect(html.match(/<\/script>/g)).toHaveLength(2);
  },
);

const letters = ['News', 'Offers', 'Tips', 'Events', 'Jobs'].map((name) => ({
  ...LIST_DEFAULTS,
  id: name,
  name,
  description: '',
  show_order: 0,
  translations: [],
}));
const receiving = (...ids: string[]) => letters.map(({ id }) => ({ id, subscribed: ids.includes(id) }));
const isPaused = { global_unsubscribe: true, paused_until: '2027-01-20T09:00:00.000Z' };
const awaits = (id: string) => [{ kind: 'subscribe' as const, until: '2027-01-20', list_ids: [id] }];

test.each<[string, string, Partial<ViewCustomer>, boolean]>([
  ['one list', 'You’ll receive: News.', { lists: receiving('News') }, false],
  ['three', 'You’ll receive: News, Offers, and Tips.', { lists: receiving('News', 'Offers', 'Tips') }, false],
  [
    'more',
    'You’ll receive: News, Offers, and 3 more.',
    { lists: receiving(...letters.map(({ id }) => id)) },
    false,
  ],
  ['none', 'You won’t receive any of these emails.', { lists: receiving() }, false],
  ['a pause', 'After the break, you’ll receive: Tips.', { lists: receiving('Tips'), ...isPaused }, false],
  [
    'one that waits',
    'You’ll receive: Tips.',
    { lists: receiving('Tips', 'Jobs'), pending: awaits('Jobs') },
    false,
  ],
  [
    'some held',
    'One step left: check your inbox.',
    { lists: receiving('Tips'), pending: awaits('Jobs') },
    true,
  ],
])('without JavaScript, the result of a save with %s is “%s”', (_case, sentence, customer, held) => {
  const html = render({
    step: 'preferences',
    page: { ...page, lists: letters },
    customer: { ...nora, ...customer },
    notice: { kind: 'saved', left: false, held, receipt: null },
  });
  const [said] = /(?<=role="status">)<p.*?(?=<\/div>)/.exec(html) ?? [];
  const message = held ? '' : 'Your preferences have been saved ';
  expect(
    said
      ?.replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  ).toBe(`${message}${sentence}`);
});

test.each<[string, string, ViewCustomer['pending'], typeof letters]>([
  [
    'names a list that waits for a confirmation, and says that the rest is saved',
    'Jobs: confirm in the email we sent to nora@example.com. The link works until January 20, 2027. Everything else is saved.',
    awaits('Jobs'),
    letters,
  ],
  [
    'says nothing about the rest where there is none',
    'Jobs: confirm in the email we sent to nora@example.com. The link works until January 20, 2027.',
    awaits('Jobs'),
    letters.filter(({ id }) => id === 'Jobs'),
  ],
  [
    'names a list that somebody wants back after unsubscribing',
    'Tips: confirm in the email we sent to nora@example.com. The link works until January 20, 2027. Everything else is saved.',
    [{ kind: 'resubscribe', until: '2027-01-20', list_ids: ['Tips'] }],
    letters,
  ],
  [
    'names no list where everything is to come back',
    'Check your inbox: to receive these emails, confirm in the email we sent to nora@example.com. The link works until January 20, 2027.',
    [{ kind: 'resubscribe', until: '2027-01-20', list_ids: [] }],
    letters,
  ],
])('%s', (_promise, sentence, pending, lists) => {
  const html = render({ step: 'preferences', page: { ...page, lists }, customer: { ...nora, pending } });
  const [said] = /(?<=class="pp-pending" role="status">).*?(?=<\/div>)/.exec(html) ?? [];
  expect(said?.replaceAll(/<[^>]+>/g, '')).toBe(sentence);
});

test('unsubscribing from all is offered to everyone except those who have already', () => {
  const offers = (customer: ViewCustomer) =>
    render({ step: 'preferences', customer }).includes('value="unsubscribe_all"');
  expect(offers(nora)).toBe(true);
  expect(offers({ ...nora, global_unsubscribe: true })).toBe(false);
  expect(offers({ ...nora, ...isPaused })).toBe(true);
});

test('without JavaScript, the page says once that everything was left', () => {
  const html = render({
    step: 'preferences',
    customer: { ...nora, global_unsubscribe: true },
    notice: { kind: 'saved', left: true, held: false, receipt: null },
  });
  const body = html.slice(html.indexOf('<body'), html.indexOf('<script type="application/json"'));
  expect(body.match(/You won’t receive anything from Acme any more\./g)).toHaveLength(1);
});

test('every inline style and script carries the nonce, and nothing is loaded from elsewhere', () => {
  const html = render({ step: 'form' });
  for (const [tag] of html.matchAll(/<(?:style|script)(?![^>]*application\/json)[^>]*>/g)) {
    expect(tag).toContain('nonce="n0nce"');
  }
  expect(html).not.toMatch(/ style=/);
  expect(html).not.toMatch(/(?:src|href)="https?:/);
});

test('steps that only say something need no script but the message to a surrounding page', () => {
  expect(render({ step: 'not-found', custom_path: '' })).not.toContain('<script');
  const [only, ...more] = render({ step: 'not-found' }).matchAll(/<script[^>]*>(.*?)<\/script>/g);
  expect(more).toEqual([]);
  expect(only?.[1]).toContain("addEventListener('message'");
});

test('an unsubscribe link shows the button, one for strangers, and the masked address only', () => {
  const leave = {
    masked_email: 'n•••@example.com',
    list_name: 'Weekly news',
    action: '/u/abc',
    full_page_url: '/news?challenge=abc',
    is_old: false,
    offers_pause: false,
    done: null,
    list_deleted: false,
    paused_until: null,
    receipt: null,
  };
  const html = render({ step: 'leave', leave });
  expect([...html.matchAll(/name="intent" value="([^"]+)"/g)].map(([, intent]) => intent)).toEqual([
    'leave',
    'wrong_recipient',
  ]);
  expect(html).toContain('Unsubscribe from Weekly news');
  expect(render({ step: 'leave', leave: { ...leave, done: 'left', receipt: 'sealed' } })).toContain(
    'value="undo"',
  );
});

test('badge, email change and unsubscribe all follow the page’s settings (spec 12, 13)', () => {
  const shown = (attrs: Partial<PageView['page']['attrs']>) =>
    render({ step: 'preferences', customer: nora, page: { ...page, attrs: { ...page.attrs, ...attrs } } });
  expect(shown({ remove_badge: false })).toContain('Powered by Sayso</p>');
  expect(shown({ remove_badge: true })).not.toContain('Powered by Sayso</p></footer>');
  expect(shown({ allow_email_change: false })).not.toContain('new_email');
  expect(shown({ unsubscribe_all: false })).not.toContain('value="unsubscribe_all"');
});

test('the operator of a page is named at its foot, as text, with links that reveal nothing about the page', () => {
  const operator = {
    legal_name: `Acme ${ATTACK}`,
    postal_address: '1 High Street\nLondon',
    privacy_url: 'https://acme.example/privacy',
    imprint_url: '',
  };
  const foot = (one: PageView['page']['operator'], remove_badge = true) =>
    /<footer.*<\/footer>/s.exec(
      render({
        step: 'form',
        language: 'de',
        page: { ...page, operator: one, attrs: { ...page.attrs, remove_badge } },
      }),
    )?.[0] ?? '';
  // Of a page, also the link that reports it: it opens beside the page, and names no one.
  const report = /<a href="\/report\/news" target="_blank" rel="noopener noreferrer">[^<]+<\/a>/;
  expect(foot(null).replace(report, '')).toBe('<footer class="pp-foot pp-wrap"></footer>');
  const named = foot(operator);
  expect(named).toContain('1 High Street\nLondon');
  expect(named).not.toContain('<img');
  expect(named).toContain(
    '<a href="https://acme.example/privacy" target="_blank" rel="noopener noreferrer">Datenschutzerklärung</a>',
  );
  expect(named).not.toContain('Impressum');
  expect(named).not.toContain('Sayso');
  expect(foot(operator, false)).toContain('Sayso');
});
