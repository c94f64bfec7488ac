import { type ComponentType, use } from 'react';
import { partsOfScreens } from './read-ahead.ts';

/**
 * A part of a screen in a file of its own, loaded ahead like the screens, or by `preload`. Once it has come it shows at
 * once: React shows what `lazy` gives no earlier than 300 ms after the fallback before it, even if there is nothing to
 * wait for.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>) {
  let part: ComponentType<P> | undefined;
  let awaited: Promise<ComponentType<P>> | undefined;
  async function preload(): Promise<void> {
    part = await load();
  }
  partsOfScreens.push(preload);

  function LazyPart(props: P) {
    // One that fails ahead is asked for anew; one that somebody waits for fails before their eyes.
    const Part = part ?? use((awaited ??= load()));
    return <Part {...props} />;
  }
  return Object.assign(LazyPart, { preload });
}
