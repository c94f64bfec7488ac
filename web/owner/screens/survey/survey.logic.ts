import { DOMAIN_LABEL } from '#contract/fields.ts';

/** Spec section 2: the steps and their names. */
export const STEPS = [
  'start',
  'integrations-step',
  'contacts-step',
  'third-step',
  'fourth-step',
  'fifth-step',
] as const;
export type Step = (typeof STEPS)[number];

export type Use = 'integrations' | 'preference_center';

export interface Answers {
  use: Use | null;
  /** Chosen tool options, `Other` among them. */
  tools: readonly string[];
  other: string;
  /** Value of the audience bucket. */
  contacts: number | null;
  name: string;
  /** Only the subdomain. */
  domain: string;
}

export const NO_ANSWERS: Answers = { use: null, tools: [], other: '', contacts: null, name: '', domain: '' };

export interface SurveyState {
  step: Step;
  answers: Answers;
  /** Made by an earlier try of the last step; its name can no longer change. */
  organizationId: string | null;
}

export const SURVEY_START: SurveyState = { step: 'start', answers: NO_ANSWERS, organizationId: null };

/** Continue. */
export function goOn(state: SurveyState): SurveyState {
  const { answers } = state;
  switch (state.step) {
    case 'start':
      return answers.use === 'integrations'
        ? { ...state, step: 'integrations-step' }
        : { ...state, step: 'contacts-step', answers: { ...answers, tools: [], other: '' } };
    case 'integrations-step':
      return { ...state, step: 'contacts-step' };
    case 'contacts-step':
      return { ...state, step: 'third-step' };
    case 'third-step':
      return { ...state, step: 'fourth-step' };
    case 'fourth-step':
    case 'fifth-step':
      return { ...state, step: 'fifth-step' };
  }
}

/** Back. Where it returns to the start, it clears all answers; between later steps it keeps them. */
export function goBack(state: SurveyState): SurveyState {
  switch (state.step) {
    case 'start':
    case 'integrations-step':
      return SURVEY_START;
    case 'contacts-step':
      return toolsOf(state.answers).length > 0 ? { ...state, step: 'integrations-step' } : SURVEY_START;
    case 'third-step':
      return { ...state, step: 'contacts-step' };
    case 'fourth-step':
    case 'fifth-step':
      return { ...state, step: state.organizationId === null ? 'third-step' : 'fourth-step' };
  }
}

/** Whether the step has a Back button. */
export function canGoBack(state: SurveyState): boolean {
  return state.step !== 'fifth-step' && !(state.step === 'fourth-step' && state.organizationId !== null);
}

/** The chosen tools, with the text of `Other` appended if it was filled. */
export function toolsOf(answers: Answers): string[] {
  const other = answers.tools.includes('Other') ? answers.other.trim() : '';
  return other === '' ? [...answers.tools] : [...answers.tools, other];
}

/** Which of the sidebar's three entries the step belongs to, from 1. */
export function sectionOf(step: Step): 1 | 2 | 3 {
  if (step === 'start' || step === 'integrations-step') return 1;
  return step === 'contacts-step' ? 2 : 3;
}

export function isDomainLabel(label: string): boolean {
  return DOMAIN_LABEL.test(label);
}

/** What was typed as a subdomain: lower case, and without the shared suffix if that was typed too. */
export function toLabel(typed: string, siteDomain: string): string {
  const value = typed.trim().toLowerCase();
  const suffix = `.${siteDomain.toLowerCase()}`;
  return value.endsWith(suffix) ? value.slice(0, -suffix.length) : value;
}

/** Where the pages of a host are served: scheme and port are those of the app, as the server does it. */
export function pagesUrl(appUrl: string, host: string): string {
  const { protocol, port } = new URL(appUrl);
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}

export type Availability = 'unknown' | 'checking' | 'free' | 'taken' | 'failed';

export type NameVerdict = Availability | 'empty' | 'too_long';
export type DomainVerdict = Availability | 'invalid';

/** What to say of the business name; `settled` is what was typed once typing stopped. */
export function nameVerdict(
  typed: string,
  settled: string,
  isTouched: boolean,
  check: Availability,
): NameVerdict {
  if (typed.trim() !== settled.trim()) return 'unknown';
  if (settled.trim() === '') return isTouched ? 'empty' : 'unknown';
  return settled.trim().length > 100 ? 'too_long' : check;
}

export function domainVerdict(typed: string, settled: string, check: Availability): DomainVerdict {
  if (typed !== settled || settled === '') return 'unknown';
  return isDomainLabel(settled) ? check : 'invalid';
}
