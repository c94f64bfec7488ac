import { useEffect } from 'react';
import type { Account } from '#contract/accounts.ts';
import { readLanguageChoice, setLanguageChoice } from '../i18n/i18n.ts';
import { toLanguage } from '../i18n/language.logic.ts';
import { hasOwnTheme, setTheme, THEMES } from './theme.ts';

/** On a browser without choices of its own, applies those of the account. */
export function useAccountPreferences(account: Account | undefined): void {
  useEffect(() => {
    if (account) applyPreferences(account);
  }, [account]);
}

function applyPreferences({ attrs }: Account): void {
  const { language, theme } = attrs;
  if (readLanguageChoice() === null && typeof language === 'string' && toLanguage(language)) {
    setLanguageChoice(toLanguage(language));
  }
  const known = THEMES.find((one) => one === theme);
  if (!hasOwnTheme() && known) setTheme(known);
}
