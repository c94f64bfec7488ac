import { AsyncLocalStorage } from 'node:async_hooks';
import type { SiteContext, UserContext } from '#server/accounts/access/access.ts';

/** The actor of a change in the audit log: `user:{id}`, `api_key:{id}`, or `operator`. */
const acting = new AsyncLocalStorage<string | null>();

function actorOf({ actor, user }: Partial<SiteContext & UserContext>): string | null {
  if (actor?.keyId !== undefined) return `api_key:${actor.keyId}`;
  const userId = actor?.userId ?? user?.id;
  return userId === undefined ? null : `user:${userId}`;
}

/**
 * Runs a handler on behalf of its caller.
 * @param context from the route's guard; visitors and customers have no actor
 */
export function runAsActor<T>(context: object, work: () => Promise<T>): Promise<T> {
  return acting.run(actorOf(context), work);
}

/** The operator of the service, by a command on its server. */
export const OPERATOR = 'operator';

export function runAsOperator<T>(work: () => Promise<T>): Promise<T> {
  return acting.run(OPERATOR, work);
}

/** Whether the caller identified itself with an API key. */
export function isKeyActing(): boolean {
  return currentActor()?.startsWith('api_key:') === true;
}

/** null in jobs, scheduled tasks, and calls by customers. */
export function currentActor(): string | null {
  return acting.getStore() ?? null;
}
