import { afterLogin } from './guard.logic.ts';
import { forgetKept } from './kept.ts';
import { queryClient } from './query.ts';
import { router } from './router.tsx';
import { isLogged, onAuthChange, readAuth } from './session.ts';

/** Brings the screen in line when the session ends, or when another tab logs in. */
export function followSession(): void {
  let ownerId = readAuth()?.id;
  onAuthChange((origin) => {
    const auth = readAuth();
    if (auth?.id !== ownerId) {
      if (origin === 'signed_out' && ownerId !== undefined) forgetKept(ownerId);
      ownerId = auth?.id;
      queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== 'app-settings' });
      if (!isLogged() && window.saysoChat) {
        void import('./shell/chat.ts').then(
          ({ resetChat }) => resetChat(),
          () => null,
        );
      }
      // Who signs out is on the way to /login already.
      if (!isLogged() && origin !== 'signed_out') leave();
    }
    if (auth && origin === 'elsewhere') void router.invalidate();
  });
}

/** Nobody is asked about unsaved changes: they are kept for the next log-in. */
function leave(): void {
  const isInside = router.state.matches.some((match) => match.staticData.isAuthRequired);
  if (!isInside) return;
  const search = afterLogin(router.state.location.href);
  void router.navigate({ to: '/login', search, ignoreBlocker: true });
}
