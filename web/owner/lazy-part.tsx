import { type ComponentType, lazy, useState } from 'react';
import { partsOfScreens } from './read-ahead.ts';

/**
 * A part of a screen in a file of its own, loaded ahead like the screens. Once it has come it shows at once: React shows
 * what `lazy` gives no earlier than 300 ms after the fallback before it, even if there is nothing to wait for.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let Loaded: ComponentType<P> | undefined;
  const Waiting = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  partsOfScreens.push(async () => {
    Loaded = await load();
  });
  return function LazyPart(props: P) {
    // The same for as long as it shows, or it would lose its state.
    const [Part] = useState(() => Loaded ?? Waiting);
    return <Part {...props} />;
  };
}
