import type { SaysoOptions } from '../../sdk/src/index.ts';

type Send = NonNullable<SaysoOptions['fetch']>;

/**
 * The calls that change no customer and are no GET: two work out what a choice would send and what an undo would do; the
 * third writes the agent's call into the audit log.
 */
const HARMLESS = /\/sites\/[^/]+\/(?:choice-previews|bulk-changes\/[^/]+\/undo\/preview|agent-calls)$/;

/**
 * Lets nothing through that could change something, whatever asks for it.
 * @throws Error in place of a call that writes
 */
export function readingOnly(send: Send): Send {
  return async (url, init) => {
    const isHarmless = init.method === 'POST' && HARMLESS.test(new URL(url).pathname);
    if (init.method !== 'GET' && !isHarmless) {
      throw new Error('Agents only read. A person makes changes, with the command line or in the dashboard.');
    }
    return send(url, init);
  };
}
