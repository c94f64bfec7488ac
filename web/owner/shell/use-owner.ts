import { useEffect } from 'react';
import type { Account } from '#contract/accounts.ts';
import { useLanguage } from '../i18n.ts';
import { takePreferences } from '../preferences.ts';
import { storeOrganization } from '../session.ts';
import { useSettings } from '../settings.ts';

/** What follows from knowing who is logged in: their language and theme, and the chat that knows them. */
export function useOwner(account: Account | undefined): void {
  const chat = useSettings()?.chat;
  const language = useLanguage();
  useEffect(() => {
    if (account) takePreferences(account);
  }, [account]);
  useEffect(() => {
    if (!chat || !account) return;
    let isLeft = false;
    import('./chat.ts').then(
      ({ showChat }) => isLeft || showChat(chat, account, language),
      // Nobody waits for it.
      () => null,
    );
    return () => {
      isLeft = true;
    };
  }, [chat, account, language]);
}

/** The survey may have been finished in another browser. */
export function useNewestOrganization(account: Account | undefined): void {
  useEffect(() => {
    if (account) storeOrganization(account.organization);
  }, [account]);
}
