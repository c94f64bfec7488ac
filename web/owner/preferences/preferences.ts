import type { Language } from '#contract/fields.ts';
import { updateAccount } from '../account/account.ts';
import { readLanguageChoice, setLanguageChoice } from '../i18n/i18n.ts';
import { readAuth } from '../session/session.ts';
import { readTheme, setTheme, type Theme } from './theme.ts';

export const BROWSER_DEFAULT = 'default';

export function chooseLanguage(language: Language | null): void {
  setLanguageChoice(language);
  save();
}

export function chooseTheme(theme: Theme): void {
  setTheme(theme);
  save();
}

/** The choice applies to this browser at once; failing to save it for the next one does no harm. */
function save(): void {
  const attrs = { language: readLanguageChoice() ?? BROWSER_DEFAULT, theme: readTheme() };
  updateAccount(readAuth()?.id, { attrs }).catch(() => null);
}
