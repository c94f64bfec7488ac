import type { FieldError } from '#contract/errors.ts';
import { MAX_EMBED_ORIGINS, originOf } from '#contract/embedding.ts';
import { colour, imageUrl } from '#contract/fields.ts';
import { originsOf, type PageForm, type PathProblem, pathProblem } from './pages.logic.ts';

export const CHECKED_FIELDS = [
  'name',
  'custom_path',
  'sign_up',
  'confirm',
  'logo',
  'favicon',
  'primary_color',
  'text_color',
  'background_color',
  'embed_origins',
] as const;

export type CheckedField = (typeof CHECKED_FIELDS)[number];

/** What is asked when a page is created, with the setting that the answer becomes. */
export const CREATION_QUESTIONS = { sign_up: 'allow_customer_create', confirm: 'confirm_changes' } as const;

export type CreationQuestion = keyof typeof CREATION_QUESTIONS;

/** The setting that the field edits. */
export function settingOf(field: CheckedField): string {
  return field === 'sign_up' || field === 'confirm' ? CREATION_QUESTIONS[field] : field;
}

/** @param off answered with "off", which is also the setting's default */
export function questionsLeft(form: PageForm, off: readonly CreationQuestion[]): CreationQuestion[] {
  const isOn = { sign_up: form.allow_customer_create, confirm: form.attrs.confirm_changes };
  return (['sign_up', 'confirm'] as const).filter((question) => !isOn[question] && !off.includes(question));
}

type Problem = CreationQuestion | 'name' | `path_${PathProblem}` | 'image' | 'colour' | 'origin' | 'origins';

/** What has to be fixed before the page can be saved, by field. */
export function pageProblems(
  form: PageForm,
  unanswered: readonly CreationQuestion[] = [],
): Partial<Record<CheckedField, Problem>> {
  const problems: Partial<Record<CheckedField, Problem>> = {};
  if (form.name.trim() === '') problems.name = 'name';
  const path = pathProblem(form.custom_path);
  if (path) problems.custom_path = `path_${path}`;
  for (const question of unanswered) problems[question] = question;
  for (const field of ['logo', 'favicon'] as const) {
    if (!imageUrl.safeParse(form[field]).success) problems[field] = 'image';
  }
  for (const field of ['primary_color', 'text_color', 'background_color'] as const) {
    if (!colour.safeParse(form.attrs[field]).success) problems[field] = 'colour';
  }
  const origins = originsOf(form);
  if (origins.some((typed) => originOf(typed) === null)) problems.embed_origins = 'origin';
  else if (origins.length > MAX_EMBED_ORIGINS) problems.embed_origins = 'origins';
  return problems;
}

/** The field that an API error is about, if the editor shows it. */
export function formFieldOf(error: FieldError): CheckedField | null {
  if (error.code === 'path_taken') return 'custom_path';
  const name = (error.field ?? '').replace(/^attrs\./, '').replace(/^(embed_origins)\..*/, '$1');
  return CHECKED_FIELDS.find((field) => field === name) ?? null;
}
