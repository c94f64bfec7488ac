import type { SaysoOptions } from '../../sdk/src/index.ts';

type Send = NonNullable<SaysoOptions['fetch']>;

/** The one call that reads and is no GET: it shows what a choice would send, and stores and sends nothing. */
const PREVIEW = /\/choice-previews$/;

/**
 * Lets nothing through that could change something, whatever asks for it.
 * @throws Error in place of a call that writes
 */
export function readingOnly(send: Send): Send {
  return async (url, init) => {
    const isPreview = init.method === 'POST' && PREVIEW.test(new URL(url).pathname);
    if (init.method !== 'GET' && !isPreview) {
      throw new Error('Agents only read. A person makes changes, with the command line or in the dashboard.');
    }
    return send(url, init);
  };
}
