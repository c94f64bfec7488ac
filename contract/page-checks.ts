import { z } from 'zod';
import { contrast } from './contrast.ts';
import { language, line, type Language } from './fields.ts';
import type { PageAttrs } from './preference-pages.ts';

/**
 * What a page is not published with, unless somebody says why.
 * - `no_unsubscribe_all`: 15 U.S.C. 7704(a)(3)(B), 16 CFR 316.5: a choice of lists only where stopping all is one.
 * - `low_contrast`: WCAG 2.2, 1.4.3 and 1.4.11: 3:1 is the least that any text or control may have.
 * - `untranslated`: GDPR Article 7(2) and 12(1): what is consented to, in a language that the person reads.
 * - `on_by_default`: GDPR recital 32, CJEU C-673/17 (Planet49): a box that is ticked beforehand is no consent.
 */
export const PAGE_CHECKS = ['no_unsubscribe_all', 'low_contrast', 'untranslated', 'on_by_default'] as const;

export type PageCheck = (typeof PAGE_CHECKS)[number];

/** Text of any size and parts of controls need this much. */
export const LEAST_CONTRAST = 3;

const COLOUR_FIELDS = ['text_color', 'primary_color'] as const;

export const failedCheck = z
  .object({
    check: z.enum(PAGE_CHECKS),
    field: z.enum(['attrs.unsubscribe_all', 'attrs.text_color', 'attrs.primary_color', 'lists']),
    lists: z.array(z.string()).describe('The names of the lists that it is about.'),
    pages: z.array(z.string()).describe('The names of the pages that it is about.'),
    language: language.nullable().describe('For `untranslated`.'),
    ratio: z.number().nullable().describe('For `low_contrast`: with `attrs.background_color`, 1 to 21.'),
  })
  .meta({ id: 'FailedCheck' });

export type FailedCheck = z.infer<typeof failedCheck>;

/** `data` of a 422 `checks_failed`. */
export const failedChecks = z.object({ checks: z.array(failedCheck) });

export const MAX_OVERRIDE_REASON = 500;

/** Publishes in spite of what fails. */
export const override = z
  .strictObject({ reason: line(MAX_OVERRIDE_REASON) })
  .describe('Publishes although checks fail. The audit log stores the reason, the checks and who published.');

export type Override = z.infer<typeof override>;

export interface CheckedList {
  id?: string | undefined;
  createId?: string | undefined;
  name: string;
  subscription_default_state: boolean;
  translations: readonly { language: Language }[];
  /** What makes it lawful to send the list; not yet said: null or left out. */
  legal_basis?: string | null | undefined;
}

/** A page as visitors would see it. */
export interface CheckedPage {
  name: string;
  attrs: Pick<
    PageAttrs,
    'primary_color' | 'text_color' | 'background_color' | 'language' | 'unsubscribe_all'
  >;
  active_languages: readonly Language[];
  lists: readonly CheckedList[];
}

/** One thing that is wrong. `key` names it, values included: what was changed to another wrong value is another one. */
export interface CheckFinding {
  check: PageCheck;
  field: FailedCheck['field'];
  key: string;
  list?: CheckedList;
  language?: Language;
  ratio?: number;
}

/** Is the list's switch on before anybody asked for it, though only consent makes sending it lawful? */
export function isPretickedConsent({
  subscription_default_state: isOn,
  legal_basis: basis,
}: Pick<CheckedList, 'subscription_default_state' | 'legal_basis'>): boolean {
  return isOn && basis === 'consent';
}

/** The lists without a translation into a language of the page other than its default. */
function untranslatedOf({ attrs, active_languages: languages, lists }: CheckedPage): CheckFinding[] {
  const others = new Set(languages.filter((one) => one !== attrs.language));
  return [...others].flatMap((one) =>
    lists
      .filter(({ translations }) => !translations.some((each) => each.language === one))
      .map((list): CheckFinding => ({
        check: 'untranslated',
        field: 'lists',
        key: `untranslated:${one}:${markOf(list)}`,
        language: one,
        list,
      })),
  );
}

function markOf({ id, createId }: CheckedList): string {
  return id ?? `new:${createId ?? ''}`;
}

function lowContrastOf({ attrs }: CheckedPage): CheckFinding[] {
  return COLOUR_FIELDS.flatMap((name): CheckFinding[] => {
    const ratio = contrast(attrs[name], attrs.background_color);
    if (ratio >= LEAST_CONTRAST) return [];
    const key = `low_contrast:${name}:${attrs[name]}:${attrs.background_color}`.toLowerCase();
    return [{ check: 'low_contrast', field: `attrs.${name}`, key, ratio }];
  });
}

/** What is wrong with a page. The editor shows it while somebody types, the API refuses to publish it. */
export function findingsOf(page: CheckedPage): CheckFinding[] {
  return [
    ...(page.attrs.unsubscribe_all
      ? []
      : ([
          { check: 'no_unsubscribe_all', field: 'attrs.unsubscribe_all', key: 'no_unsubscribe_all' },
        ] satisfies CheckFinding[])),
    ...lowContrastOf(page),
    ...page.lists.filter(isPretickedConsent).map((list): CheckFinding => ({
      check: 'on_by_default',
      field: 'lists',
      key: `on_by_default:${markOf(list)}`,
      list,
    })),
    ...untranslatedOf(page),
  ];
}

/** The findings that a change of a page adds: what was published with them before is not asked about again. */
export function newFindings(before: CheckedPage | null, after: CheckedPage): CheckFinding[] {
  const known = new Set((before === null ? [] : findingsOf(before)).map(({ key }) => key));
  return findingsOf(after).filter(({ key }) => !known.has(key));
}

/** Findings about one page. */
export interface PageFindings {
  page: Pick<CheckedPage, 'name'>;
  findings: readonly CheckFinding[];
}

/** Findings as an answer names them: one for a check, field and language, with all of its lists and pages. */
export function failedChecksOf(pages: readonly PageFindings[]): FailedCheck[] {
  const failed = new Map<string, { one: FailedCheck; marks: Set<string> }>();
  for (const { page, findings } of pages) {
    for (const { check, field, language: of = null, ratio = null, list } of findings) {
      const key = `${check}:${field}:${of ?? ''}`;
      const found = failed.get(key) ?? {
        one: { check, field, lists: [], pages: [], language: of, ratio },
        marks: new Set(),
      };
      if (list !== undefined && !found.marks.has(markOf(list))) {
        found.marks.add(markOf(list));
        found.one.lists.push(list.name);
      }
      if (!found.one.pages.includes(page.name)) found.one.pages.push(page.name);
      failed.set(key, found);
    }
  }
  return [...failed.values()].map(({ one }) => one);
}
