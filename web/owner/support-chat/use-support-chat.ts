import { useEffect } from 'react';
import type { Account } from '#contract/accounts.ts';
import { useAppSettings } from '../api/app-settings.ts';
import { useLanguage } from '../i18n/i18n.ts';

/** Shows the configured chat, which is told who is logged in. */
export function useSupportChat(account: Account | undefined): void {
  const chat = useAppSettings()?.chat;
  const language = useLanguage();
  useEffect(() => {
    if (!chat || !account) return;
    let isLeft = false;
    import('./chat.ts').then(
      ({ showChat }) => isLeft || showChat(chat, account, language),
      // Without its script there is no chat, and nothing else is missing.
      () => null,
    );
    return () => {
      isLeft = true;
    };
  }, [chat, account, language]);
}
