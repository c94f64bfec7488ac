import type { LintField } from './page-lint.ts';
import type { CheckedField } from './page-problems.ts';

export const EDITOR_TABS = ['content', 'look', 'rules', 'links'] as const;
export type EditorTab = (typeof EDITOR_TABS)[number];

/** What the editor itself shows; the rest is fixed on other screens. */
export type EditorField = CheckedField | Exclude<LintField, 'domain' | 'site'>;

const TAB_OF: Record<EditorField, EditorTab> = {
  name: 'content',
  custom_path: 'content',
  sign_up: 'content',
  confirm: 'content',
  lists: 'content',
  tag_subject: 'content',
  tag_pre_name: 'content',
  saved_preferences_msg: 'content',
  primary_color: 'look',
  text_color: 'look',
  background_color: 'look',
  logo: 'look',
  favicon: 'look',
  unsubscribe_all: 'rules',
  enhanced_security: 'rules',
  confirm_links: 'rules',
  confirm_changes: 'rules',
  embed_origins: 'links',
};

export function tabOf(field: EditorField): EditorTab {
  return TAB_OF[field];
}

/** The tabs with one of the fields, in their order. */
export function tabsWith(fields: readonly EditorField[]): EditorTab[] {
  return EDITOR_TABS.filter((tab) => fields.some((field) => tabOf(field) === tab));
}

/** Where to go for the first of the fields; nowhere else if one is here. */
export function nearestTab(fields: readonly EditorField[], here: EditorTab): EditorTab {
  const tabs = tabsWith(fields);
  return tabs.includes(here) ? here : (tabs[0] ?? here);
}
