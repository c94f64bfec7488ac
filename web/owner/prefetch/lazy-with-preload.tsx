import { type ComponentType, use } from 'react';

/**
 * A component in a chunk of its own, which `preload` loads ahead of time. Once loaded it renders at once: React shows
 * what `lazy` returns no sooner than 300 ms after the fallback before it, even if there is nothing to wait for.
 */
export function lazyWithPreload<P extends object>(load: () => Promise<ComponentType<P>>) {
  let awaited: Promise<ComponentType<P>> | undefined;
  async function preload(): Promise<void> {
    const value = await load();
    // What React itself notes down about a promise that it has waited for: it then takes the value at once.
    awaited = Object.assign(Promise.resolve(value), { status: 'fulfilled', value });
  }

  function Preloadable(props: P) {
    // A failed preload is tried again here, and fails visibly.
    const Loaded = use((awaited ??= load()));
    return <Loaded {...props} />;
  }
  return Object.assign(Preloadable, { preload });
}
