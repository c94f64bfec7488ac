import { AsyncLocalStorage } from 'node:async_hooks';

const rehearsals = new AsyncLocalStorage<true>();

/**
 * Runs work whose choices are decided as always, and then not written: no state, evidence, mail or delivery. No request
 * from outside can ask for it.
 */
export function rehearse<T>(work: () => PromiseLike<T>): Promise<T> {
  // Awaited inside: a lazy promise, such as an injected request, begins only then.
  return rehearsals.run(true, async () => work());
}

/** Whether the caller is in `rehearse`. */
export function isRehearsal(): boolean {
  return rehearsals.getStore() === true;
}
