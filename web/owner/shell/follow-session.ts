import type { RegisteredRouter } from '@tanstack/react-router';
import { queryClient } from '../api/query-client.ts';
import { afterLogin } from '../session/navigation-guard.logic.ts';
import { clearStoredData, followSignOut } from '../session/owner-storage.ts';
import { isLogged, onAuthChange, readAuth } from '../session/session.ts';

/** Brings the screen in line when the session ends, or when another tab logs in. */
export function followSession(router: RegisteredRouter): void {
  followSignOut();
  let ownerId = readAuth()?.id;
  onAuthChange((origin) => {
    const auth = readAuth();
    if (auth?.id !== ownerId) {
      if (origin === 'signed_out' && ownerId !== undefined) clearStoredData(ownerId);
      ownerId = auth?.id;
      queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== 'app-settings' });
      if (!isLogged()) hideChat();
      // Signing out is on the way to /login already.
      if (!isLogged() && origin !== 'signed_out') goToLogin(router);
    }
    if (auth && origin === 'elsewhere') void router.invalidate();
  });
}

function hideChat(): void {
  if (!window.saysoChat) return;
  void import('../support-chat/chat.ts').then(
    ({ resetChat }) => resetChat(),
    () => null,
  );
}

/** Without the unsaved-changes prompt: drafts are kept for the next log-in. */
function goToLogin(router: RegisteredRouter): void {
  const isInside = router.state.matches.some((match) => match.staticData.isAuthRequired);
  if (!isInside) return;
  const search = afterLogin(router.state.location.href);
  void router.navigate({ to: '/login', search, ignoreBlocker: true });
}
