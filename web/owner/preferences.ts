import type { Account } from '#contract/accounts.ts';
import type { Language } from '#contract/fields.ts';
import { updateAccount } from './account.ts';
import { readLanguageChoice, setLanguageChoice } from './i18n.ts';
import { toLanguage } from './language.logic.ts';
import { readAuth } from './session.ts';
import { hasOwnTheme, readTheme, setTheme, type Theme, THEMES } from './theme.ts';

const BROWSER_DEFAULT = 'default';

export function chooseLanguage(language: Language | null): void {
  setLanguageChoice(language);
  keep();
}

export function chooseTheme(theme: Theme): void {
  setTheme(theme);
  keep();
}

/** On a browser without choices of its own, takes those of the account. */
export function takePreferences(account: Account): void {
  const language = account.attrs['language'];
  const theme = THEMES.find((one) => one === account.attrs['theme']);
  if (readLanguageChoice() === null && typeof language === 'string' && toLanguage(language)) {
    setLanguageChoice(toLanguage(language));
  }
  if (!hasOwnTheme() && theme) setTheme(theme);
}

/** The choice holds on this browser at once; that it follows to the next one may fail without harm. */
function keep(): void {
  const attrs = { language: readLanguageChoice() ?? BROWSER_DEFAULT, theme: readTheme() };
  updateAccount(readAuth()?.id, { attrs }).catch(() => null);
}
