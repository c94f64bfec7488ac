import { type ComponentType, use } from 'react';

/**
 * A component in a chunk of its own, which `preload` loads ahead of time. Once loaded it renders at once: React shows
 * what `lazy` returns no sooner than 300 ms after the fallback before it, even if there is nothing to wait for.
 */
export function preloadable<P extends object>(load: () => Promise<ComponentType<P>>) {
  let loaded: ComponentType<P> | undefined;
  let awaited: Promise<ComponentType<P>> | undefined;
  async function preload(): Promise<void> {
    loaded = await load();
  }

  function Preloadable(props: P) {
    // A failed preload is tried again here, and fails visibly.
    const Loaded = loaded ?? use((awaited ??= load()));
    return <Loaded {...props} />;
  }
  return Object.assign(Preloadable, { preload });
}
