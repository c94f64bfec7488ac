import type { Send } from '#contract/client.ts';
import type { SaysoOptions } from './public-types.ts';

/** For a server that asks to wait without saying how long. */
const DEFAULT_WAIT_MS = 1000;

/** Both mean "not now": 429 of a rate limit, 503 of a server that is busy or restarts. */
const TRY_LATER = [429, 503];

/** `Retry-After` is a number of seconds, or of some proxies a date. */
function waitOf(response: Response): number {
  const said = response.headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(said)) return Number(said) * 1000;
  const date = Date.parse(said);
  return Number.isNaN(date) ? DEFAULT_WAIT_MS : Math.max(0, date - Date.now());
}

/** @throws the signal's reason, once it is aborted */
function wait(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      // As `fetch` does: with the reason as it was given.
      // eslint-disable-next-line promise/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * `fetch` that waits as the server asks. Only calls that read are sent again: of a change that was not answered, nobody
 * knows here whether it was made.
 */
export function retrying({
  fetch: send = fetch,
  retries = 3,
  maxRetryWaitMs = 60_000,
}: Pick<SaysoOptions, 'fetch' | 'retries' | 'maxRetryWaitMs'>): Send {
  return async (url, init) => {
    for (let attempt = 0; ; attempt += 1) {
      const response = await send(url, init);
      const isFinal = init.method !== 'GET' || attempt >= retries || !TRY_LATER.includes(response.status);
      const ms = isFinal ? 0 : waitOf(response);
      if (isFinal || ms > maxRetryWaitMs) return response;
      await response.body?.cancel();
      await wait(ms, init.signal);
    }
  };
}
