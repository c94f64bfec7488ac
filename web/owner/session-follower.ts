import { queryClient } from './query.ts';
import { router } from './router.tsx';
import { isLogged, onAuthChange, readAuth } from './session.ts';
import { resetChat } from './shell/chat.ts';

/** Brings the screen in line when the session ends, or when another tab logs in. */
export function followSession(): void {
  let ownerId = readAuth()?.id;
  onAuthChange((origin) => {
    const auth = readAuth();
    if (auth?.id !== ownerId) {
      ownerId = auth?.id;
      queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== 'app-settings' });
      if (!isLogged()) leave();
    }
    if (auth && origin === 'elsewhere') void router.invalidate();
  });
}

function leave(): void {
  resetChat();
  const isInside = router.state.matches.some((match) => match.staticData.isAuthRequired);
  if (isInside) void router.navigate({ to: '/login' });
}
