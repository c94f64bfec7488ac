import type { FieldError } from '#contract/errors.ts';
import { MAX_EMBED_ORIGINS, originOf } from '#contract/embedding.ts';
import { colour, imageUrl } from '#contract/fields.ts';
import { originsOf, type PageForm, type PathProblem, pathProblem } from './pages.logic.ts';

export const CHECKED_FIELDS = [
  'name',
  'custom_path',
  'logo',
  'favicon',
  'primary_color',
  'text_color',
  'background_color',
  'embed_origins',
] as const;

export type CheckedField = (typeof CHECKED_FIELDS)[number];

type Problem = 'name' | `path_${PathProblem}` | 'image' | 'colour' | 'origin' | 'origins';

/** What has to be fixed before the page can be saved, by field. */
export function pageProblems(form: PageForm): Partial<Record<CheckedField, Problem>> {
  const problems: Partial<Record<CheckedField, Problem>> = {};
  if (form.name.trim() === '') problems.name = 'name';
  const path = pathProblem(form.custom_path);
  if (path) problems.custom_path = `path_${path}`;
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
