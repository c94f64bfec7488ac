import type { Language } from '#contract/fields.ts';
import { type CheckFinding, findingsOf } from '#contract/page-checks.ts';
import type { Site } from '#contract/sites.ts';
import { accentAdvice, textAdvice, wholeColours } from './colour-advice.ts';
import { keyOf, type PageForm, pathProblem } from './pages.logic.ts';

/** problem: breaks a law or shuts people out. warning: probably unintended. hint: could be better. */
export type Severity = 'problem' | 'warning' | 'hint';

/** The field of the editor where a finding is fixed; `domain` and `site` are fixed in the site's settings. */
export type LintField =
  | 'name'
  | 'custom_path'
  | 'lists'
  | 'primary_color'
  | 'text_color'
  | 'logo'
  | 'unsubscribe_all'
  | 'enhanced_security'
  | 'confirm_links'
  | 'confirm_changes'
  | 'tag_subject'
  | 'tag_pre_name'
  | 'saved_preferences_msg'
  | 'domain'
  | 'site';

export type Finding = { severity: Severity; field: LintField } & (
  | {
      id:
        | 'no_name'
        | 'no_path'
        | 'no_lists'
        | 'no_unsubscribe_all'
        | 'no_logo'
        | 'links_act'
        | 'open_to_all'
        | 'unconfirmed'
        | 'proof_takes_a_mail'
        | 'no_operator'
        | 'no_privacy'
        | 'no_imprint'
        | 'confirms_without_email'
        | 'proves_without_email';
    }
  | { id: 'no_domain' | 'domain_pending'; host: string }
  | ({ id: 'on_by_default' | 'no_description' } & AboutLists)
  | ({ id: 'untranslated'; language: Language } & AboutLists)
  | { id: 'text_untranslated' }
  | { id: 'text_replaced'; ratio: number; colour: string }
  | { id: 'dark_buttons'; white: number }
  | { id: 'switch_moved'; colour: string }
);

/** Names of the lists, and the key of the first of them. */
interface AboutLists {
  lists: string[];
  first: string;
}

const CUSTOM_TEXTS = ['tag_subject', 'tag_pre_name', 'saved_preferences_msg'] as const;
const ORDER: readonly Severity[] = ['problem', 'warning', 'hint'];

/** Legal, accessibility and other problems of the page in the form, most severe first. */
export function lintPage(
  form: PageForm,
  site: Pick<Site, 'domain_name' | 'custom_domain_status' | 'operator'>,
  { sendsEmail, isNew }: { sendsEmail: boolean; isNew: boolean },
): Finding[] {
  // What publishing refuses, too.
  const failed = findingsOf({ ...form, attrs: wholeColours(form.attrs) });
  const findings = [
    // Not while there was no time to fill them in: creating the page asks for both.
    ...(isNew ? [] : addressFindings(form)),
    ...ruleFindings(form, sendsEmail, failed),
    ...emailFindings(form, sendsEmail),
    ...listFindings(form, failed),
    ...languageFindings(form, failed),
    ...lookFindings(form, failed),
    ...operatorFindings(site),
    ...domainFindings(site),
  ];
  return findings.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

function addressFindings({ name, custom_path }: PageForm): Finding[] {
  return [
    ...(name.trim() === '' ? [{ id: 'no_name', severity: 'problem', field: 'name' } as const] : []),
    ...(pathProblem(custom_path) === null
      ? []
      : [{ id: 'no_path', severity: 'problem', field: 'custom_path' } as const]),
  ];
}

function ruleFindings({ attrs }: PageForm, sendsEmail: boolean, failed: readonly CheckFinding[]): Finding[] {
  const found: Finding[] = [];
  if (failed.some(({ check }) => check === 'no_unsubscribe_all')) {
    found.push({ id: 'no_unsubscribe_all', severity: 'problem', field: 'unsubscribe_all' });
  }
  // Mail scanners run scripts: their visit can't be told from a person's.
  if (!attrs.confirm_links) found.push({ id: 'links_act', severity: 'hint', field: 'confirm_links' });
  if (attrs.enhanced_security) {
    found.push({ id: 'proof_takes_a_mail', severity: 'hint', field: 'enhanced_security' });
    return found;
  }
  // Without email, what would protect the page would shut customers out of it.
  if (!sendsEmail) return found;
  found.push({ id: 'open_to_all', severity: 'hint', field: 'enhanced_security' });
  if (!attrs.confirm_changes) {
    found.push({ id: 'unconfirmed', severity: 'hint', field: 'confirm_changes' });
  }
  return found;
}

/** These settings depend on email. */
function emailFindings({ attrs, lists }: PageForm, sendsEmail: boolean): Finding[] {
  if (sendsEmail) return [];
  const found: Finding[] = [];
  if (attrs.enhanced_security) {
    found.push({ id: 'proves_without_email', severity: 'problem', field: 'enhanced_security' });
  }
  if (attrs.confirm_changes) {
    found.push({ id: 'confirms_without_email', severity: 'problem', field: 'confirm_changes' });
  } else if (lists.some((list) => list.double_opt_in)) {
    found.push({ id: 'confirms_without_email', severity: 'problem', field: 'lists' });
  }
  return found;
}

function operatorFindings({ operator }: Pick<Site, 'operator'>): Finding[] {
  const found: Finding[] = [];
  // 16 CFR 316.5, 15 U.S.C. 7704(a)(5): a valid physical postal address; GDPR Article 13: who the controller is.
  if (operator.legal_name === '' || operator.postal_address === '') {
    found.push({ id: 'no_operator', severity: 'warning', field: 'site' });
  }
  if (operator.privacy_url === '') found.push({ id: 'no_privacy', severity: 'warning', field: 'site' });
  // An obligation in some countries only, such as Germany and Austria.
  if (operator.imprint_url === '') found.push({ id: 'no_imprint', severity: 'hint', field: 'site' });
  return found;
}

function listFindings({ lists }: PageForm, failed: readonly CheckFinding[]): Finding[] {
  if (lists.length === 0) return [{ id: 'no_lists', severity: 'problem', field: 'lists' }];
  const pretickedKeys = new Set(failed.filter(({ check }) => check === 'on_by_default').map(keyOfFinding));
  const isPreticked = (list: PageForm['lists'][number]) => pretickedKeys.has(keyOf(list));
  const preticked = aboutLists(lists.filter(isPreticked));
  const on = aboutLists(lists.filter((list) => list.subscription_default_state && !isPreticked(list)));
  const bare = aboutLists(lists.filter((list) => list.description.trim() === ''));
  return [
    ...(preticked
      ? [{ id: 'on_by_default', severity: 'problem', field: 'lists', ...preticked } as const]
      : []),
    // GDPR: a box that is ticked beforehand is no consent.
    ...(on ? [{ id: 'on_by_default', severity: 'warning', field: 'lists', ...on } as const] : []),
    ...(bare ? [{ id: 'no_description', severity: 'hint', field: 'lists', ...bare } as const] : []),
  ];
}

function keyOfFinding({ list }: CheckFinding): string {
  return list?.id ?? list?.createId ?? '';
}

function aboutLists(lists: PageForm['lists']): AboutLists | null {
  const [first] = lists;
  return first === undefined ? null : { lists: lists.map(({ name }) => name), first: keyOf(first) };
}

function languageFindings(
  { attrs, active_languages, lists }: PageForm,
  failed: readonly CheckFinding[],
): Finding[] {
  const others = active_languages.filter((language) => language !== attrs.language);
  const untranslated = others.flatMap((language): Finding[] => {
    const keys = new Set(failed.filter((one) => one.language === language).map(keyOfFinding));
    const missing = aboutLists(lists.filter((list) => keys.has(keyOf(list))));
    return missing === null
      ? []
      : [{ id: 'untranslated', severity: 'problem', field: 'lists', language, ...missing }];
  });
  const own = CUSTOM_TEXTS.find((text) => attrs[text].trim() !== '');
  return own === undefined || others.length === 0
    ? untranslated
    : [...untranslated, { id: 'text_untranslated', severity: 'hint', field: own }];
}

function lookFindings({ attrs, logo }: PageForm, failed: readonly CheckFinding[]): Finding[] {
  const isFaint = (field: CheckFinding['field']) => failed.some((one) => one.field === field);
  const colours = wholeColours(attrs);
  const text = textAdvice(colours);
  const found: Finding[] = [];
  if (text.kind === 'text_replaced') {
    const { ratio, colour } = text;
    const severity = isFaint('attrs.text_color') ? 'problem' : 'warning';
    found.push({ id: 'text_replaced', severity, field: 'text_color', ratio, colour });
  }
  for (const advice of accentAdvice(colours)) {
    if (advice.kind === 'dark') {
      found.push({ id: 'dark_buttons', severity: 'hint', field: 'primary_color', white: advice.white });
    }
    if (advice.kind === 'switch_moved') {
      found.push({
        id: 'switch_moved',
        severity: isFaint('attrs.primary_color') ? 'problem' : 'hint',
        field: 'primary_color',
        colour: advice.colour,
      });
    }
  }
  if (logo === '') found.push({ id: 'no_logo', severity: 'hint', field: 'logo' });
  return found;
}

function domainFindings({
  domain_name,
  custom_domain_status,
}: Pick<Site, 'domain_name' | 'custom_domain_status'>): Finding[] {
  if (custom_domain_status === 'verified') return [];
  const id = custom_domain_status === null ? 'no_domain' : 'domain_pending';
  return [{ id, severity: 'hint', field: 'domain', host: domain_name }];
}
