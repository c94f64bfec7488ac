import { describe, expect, it } from 'vitest';
import { LIST_DEFAULTS } from '#contract/lists.ts';
import type { Operator } from '#contract/operator.ts';
import { lintPage } from './page-lint.ts';
import { emptyPage, type FormList, type PageForm } from './pages.logic.ts';

const list: FormList = {
  ...LIST_DEFAULTS,
  id: '1',
  name: 'Weekly',
  description: 'Every Monday',
  show_order: 0,
};

type Changes = Partial<Omit<PageForm, 'attrs'>> & { attrs?: Partial<PageForm['attrs']> };

/** A page that only lacks what the changes take from it. */
function page({ attrs = {}, ...changes }: Changes = {}): PageForm {
  const empty = emptyPage();
  return {
    ...empty,
    name: 'Acme',
    custom_path: 'acme',
    logo: 'https://acme.example/logo.png',
    lists: [list],
    ...changes,
    attrs: {
      ...empty.attrs,
      primary_color: '#0b5c7a',
      enhanced_security: true,
      confirm_links: true,
      ...attrs,
    },
  };
}

const NAMED: Operator = {
  legal_name: 'Acme Ltd',
  postal_address: '1 High Street',
  privacy_url: 'https://acme.example/privacy',
  imprint_url: 'https://acme.example/imprint',
};

const siteOf = (domain: 'verified' | 'pending' | null, operator = NAMED) => ({
  domain_name: 'acme.sayso.example',
  custom_domain_status: domain,
  operator,
});

const found = (changes?: Changes, domain: 'verified' | 'pending' | null = 'verified') =>
  lintPage(page(changes), siteOf(domain), { sendsEmail: true, isNew: false });

const ids = (changes?: Changes, domain: 'verified' | 'pending' | null = 'verified') =>
  found(changes, domain).map(({ id }) => id);

const ALWAYS = 'proof_takes_a_mail';

describe('the checks', () => {
  it('leave a careful page with a single note about how it is opened', () => {
    expect(ids()).toEqual([ALWAYS]);
  });

  it.each<[string, Changes, string]>([
    ['a missing name', { name: ' ' }, 'no_name'],
    ['a missing address', { custom_path: '' }, 'no_path'],
    ['an address of the product', { custom_path: 'api' }, 'no_path'],
    ['no lists', { lists: [] }, 'no_lists'],
    ['no way to leave everything', { attrs: { unsubscribe_all: false } }, 'no_unsubscribe_all'],
    ['a page that opens for an address', { attrs: { enhanced_security: false } }, 'open_to_all'],
    ['links that act by themselves', { attrs: { confirm_links: false } }, 'links_act'],
    ['no logo', { logo: '' }, 'no_logo'],
    ['text that cannot be read', { attrs: { text_color: '#999999' } }, 'text_replaced'],
    ['an accent that white cannot be read on', { attrs: { primary_color: '#009ad1' } }, 'dark_buttons'],
    ['an accent that is faint', { attrs: { primary_color: '#ffee99' } }, 'switch_moved'],
    [
      'own texts in several languages',
      { active_languages: ['de'], attrs: { tag_subject: 'Hello' } },
      'text_untranslated',
    ],
  ])('report %s', (_, changes, id) => {
    expect(ids(changes)).toContain(id);
    expect(ids()).not.toContain(id);
  });

  it('require a name and a path once the page was created', () => {
    const blank = page({ name: '', custom_path: '', lists: [] });
    const found = lintPage(blank, siteOf('verified'), { sendsEmail: true, isNew: true });
    expect(found.map(({ id }) => id)).toEqual(['no_lists', ALWAYS]);
  });

  it('report the lists that are on by default, undescribed or untranslated', () => {
    const lists = [
      { ...list, translations: [{ language: 'de' as const, name: 'Woche', description: '' }] },
      { ...list, id: '2', name: 'Offers', description: ' ', subscription_default_state: true },
    ];
    expect(found({ lists, active_languages: ['en', 'de'] })).toEqual([
      {
        id: 'untranslated',
        severity: 'problem',
        field: 'lists',
        language: 'de',
        lists: ['Offers'],
        first: '2',
      },
      { id: 'on_by_default', severity: 'warning', field: 'lists', lists: ['Offers'], first: '2' },
      { id: ALWAYS, severity: 'hint', field: 'enhanced_security' },
      { id: 'no_description', severity: 'hint', field: 'lists', lists: ['Offers'], first: '2' },
    ]);
  });

  it.each([
    ['the text cannot be read at all', { text_color: '#bbbbbb' }, 'text_replaced', 'problem'],
    ['the text is only faint', { text_color: '#888888' }, 'text_replaced', 'warning'],
    ['switches fade away', { primary_color: '#ffee99' }, 'switch_moved', 'problem'],
  ] as const)('are as strict as publishing where %s', (_, attrs, id, severity) => {
    expect(found({ attrs })).toContainEqual(expect.objectContaining({ id, severity }));
  });

  it('report the state of the custom domain', () => {
    const host = 'acme.sayso.example';
    expect(found({}, null)).toContainEqual({ id: 'no_domain', severity: 'hint', field: 'domain', host });
    expect(found({}, 'pending')).toContainEqual(expect.objectContaining({ id: 'domain_pending', host }));
  });

  it.each([
    ['legal name', { legal_name: '' }, 'no_operator'],
    ['postal address', { postal_address: '' }, 'no_operator'],
    ['privacy policy', { privacy_url: '' }, 'no_privacy'],
    ['legal notice', { imprint_url: '' }, 'no_imprint'],
  ])('report the missing %s of who is behind the page', (_, missing, id) => {
    const site = siteOf('verified', { ...NAMED, ...missing });
    const findings = lintPage(page(), site, { sendsEmail: true, isNew: false });
    expect(findings.map((one) => one.id).toSorted()).toEqual([id, ALWAYS].toSorted());
    expect(findings.find((one) => one.id === id)).toMatchObject({ field: 'site' });
  });

  it('report settings that need email, which this server does not send', () => {
    const site = siteOf('verified');
    const without = (attrs: Changes['attrs']) =>
      lintPage(page(attrs === undefined ? {} : { attrs }), site, { sendsEmail: false, isNew: false }).filter(
        ({ severity }) => severity === 'problem',
      );
    expect(without({ confirm_changes: true })).toEqual([
      { id: 'proves_without_email', severity: 'problem', field: 'enhanced_security' },
      { id: 'confirms_without_email', severity: 'problem', field: 'confirm_changes' },
    ]);
    expect(without({ enhanced_security: false })).toEqual([]);
    const open = page({ attrs: { enhanced_security: false } });
    const lists = open.lists.map((list) => ({ ...list, double_opt_in: true }));
    const found = lintPage({ ...open, lists }, site, { sendsEmail: false, isNew: false });
    expect(found.filter(({ severity }) => severity === 'problem')).toEqual([
      { id: 'confirms_without_email', severity: 'problem', field: 'lists' },
    ]);
  });

  it('suggest nothing that needs email, which this server does not send', () => {
    const attrs = { enhanced_security: false, confirm_changes: false };
    const suggested = (sendsEmail: boolean) =>
      lintPage(page({ attrs }), siteOf('verified'), { sendsEmail, isNew: false }).map(({ id }) => id);
    expect(suggested(true)).toEqual(['open_to_all', 'unconfirmed']);
    expect(suggested(false)).toEqual([]);
  });

  it('measure the contrast that they state', () => {
    const finding = found({ attrs: { primary_color: '#009ad1' } }).find(({ id }) => id === 'dark_buttons');
    expect(finding).toMatchObject({ white: expect.closeTo(3.21, 2) });
  });

  it('ignore the default colors, whose shades are readable', () => {
    const untouched = { attrs: { primary_color: '#009AD0' } };
    expect(ids(untouched)).toEqual(ids());
    expect(ids({ attrs: { ...untouched.attrs, background_color: '#009ad0' } })).toContain('switch_moved');
  });

  it('begin with the most serious', () => {
    const severities = found({ lists: [], logo: '', attrs: { text_color: '#888888' } }, null).map(
      ({ severity }) => severity,
    );
    expect(severities).toEqual(['problem', 'warning', 'hint', 'hint', 'hint']);
  });
});
