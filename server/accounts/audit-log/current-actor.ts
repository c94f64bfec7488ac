import { AsyncLocalStorage } from 'node:async_hooks';
import type { SiteContext, UserContext } from '#server/accounts/access/access.ts';

/** Whoever makes a change, as the audit log keeps them: `user:{id}` or `api_key:{id}`. */
const acting = new AsyncLocalStorage<string | null>();

function actorOf({ actor, user }: Partial<SiteContext & UserContext>): string | null {
  if (actor?.keyId !== undefined) return `api_key:${actor.keyId}`;
  const userId = actor?.userId ?? user?.id;
  return userId === undefined ? null : `user:${userId}`;
}

/**
 * Runs a handler on behalf of who called it.
 * @param context what the guard of the route found out; nobody acts for visitors and customers
 */
export function runAsActor<T>(context: object, work: () => Promise<T>): Promise<T> {
  return acting.run(actorOf(context), work);
}

/** null in work that nobody asked for just now: jobs, scheduled tasks, and what customers do. */
export function currentActor(): string | null {
  return acting.getStore() ?? null;
}
