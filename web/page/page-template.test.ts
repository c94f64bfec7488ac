import { describe, expect, it } from 'vitest';
import { type Language, LANGUAGES } from '#contract/fields.ts';
import { TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { PAGE_STATES } from '#test/page/page-states.ts';
import { type ArrivalView, templateOf, isArrival, templateKey } from './page-template.ts';
import { renderDocument } from './server.tsx';
import { NO_QUERY, type PageView } from './view.ts';

const render = (view: PageView) =>
  renderDocument(view, { script: '/assets/page.js', style: '.pp{}' }, 'n0nce');

/** Every arrival of the catalogue in a language, whose template is the next one in turn. */
function arrivalsIn(language: Language): ArrivalView[] {
  const template = TEMPLATE_IDS[LANGUAGES.indexOf(language) % TEMPLATE_IDS.length] ?? TEMPLATE_IDS[0];
  return PAGE_STATES.map((state) => state.view({ language, template })).filter(isArrival);
}

const FIRST = arrivalsIn(LANGUAGES[0])[0] as ArrivalView;

/** Somebody else at the same page: what a person brings along, and nothing of the page. */
function somebodyElse(view: ArrivalView, parts: Partial<ArrivalView['customer']> = {}): ArrivalView {
  const lists = view.page.lists.map(({ id }, index) => ({
    id,
    subscribed: [true, false, null][index % 3] ?? null,
  }));
  const customer = {
    ...view.customer,
    id: 'else.where-1_2',
    email: "o'brien+news@example.org",
    lists,
    ...parts,
  };
  return { ...view, customer, save_id: '018f0000-0000-7000-8000-0000000000ff' };
}

describe('a template', () => {
  it.each(LANGUAGES)('renders the same as without it, for every arrival of the catalog (%s)', (language) => {
    const arrivals = arrivalsIn(language);
    expect(arrivals.length).toBeGreaterThan(1);
    for (const view of arrivals) {
      const fill = templateOf(view, render);
      for (const one of [view, somebodyElse(view)]) expect(fill(one)).toBe(render(one));
    }
  });

  it.each([
    ['markup', `"><script>alert(1)</script>&'@x.example`],
    ['a replacement pattern', '$&$1$$@example.com'],
    ['line separators', '\u2028\u2029@example.com'],
    ['two signs', 'a@b@example.com'],
    ['what a switch is written as', ' checked=""@example.com'],
  ])('renders the same for an address with %s', (_, email) => {
    const one = somebodyElse(FIRST, { email, id: email });
    expect(templateOf(FIRST, render)(one)).toBe(render(one));
  });

  it.each([
    { challenge: 'c.h_a-l', email: null },
    { challenge: null, email: 'jo+a&b=c@example.com' },
    { challenge: 'c"><b>', email: null },
    { challenge: null, email: 'ü @example.com' },
  ])('renders the same for a link with $challenge and $email', (link) => {
    const other = { ...FIRST, query: { ...NO_QUERY, ...link } };
    const made = {
      ...FIRST,
      query: { ...NO_QUERY, challenge: link.challenge && 'x', email: link.email && 'x@y' },
    };
    expect(templateKey(made)).toBe(templateKey(other));
    expect(templateOf(made, render)(somebodyElse(other))).toBe(render(somebodyElse(other)));
  });

  it('stores nothing about the visitor for whom it was made', () => {
    const made = somebodyElse(FIRST, { email: 'first.visitor@example.net', id: 'sealed-of-the-first' });
    const document = templateOf(made, render)(somebodyElse(FIRST));
    expect(document).not.toMatch(/first\.visitor|sealed-of-the-first/);
  });

  it.each([
    [
      'each way to be known',
      { query: { ...NO_QUERY, challenge: 'c' } },
      { query: { ...NO_QUERY, email: 'a@b.cd' } },
    ],
    ['who left and who did not', {}, { customer: { ...FIRST.customer, global_unsubscribe: true } }],
  ])('differs for %s', (_, one, other) => {
    expect(templateKey({ ...FIRST, ...one })).not.toBe(templateKey({ ...FIRST, ...other }));
  });

  it.each<[string, Partial<PageView>]>([
    ['the form', { step: 'form', customer: null }],
    ['nobody known yet', { customer: null }],
    ['an aged link', { customer: { ...FIRST.customer, level: 'leave' } }],
    ['a pause', { customer: { ...FIRST.customer, paused_until: '2027-01-20T09:00:00.000Z' } }],
    ['a link that asks', { query: { ...NO_QUERY, state: 'unsubscribe' } }],
    ['a link that names two', { query: { ...NO_QUERY, challenge: 'c', email: 'a@b.cd' } }],
    ['unsubscribe from all, pressed and not saved', { leaves_all: true }],
    ['something to tell', { notice: { kind: 'undone' } }],
    ['switches that were moved', { edits: { weekly: true } }],
  ])('is not used for %s', (_, parts) => {
    expect(isArrival({ ...FIRST, ...parts })).toBe(false);
  });
});
