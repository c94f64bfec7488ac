import { EMBED_MESSAGE } from '#contract/embed-messages.ts';

/** Is the page shown inside another one? Only sites that its owner named can do so. */
export function isFramed(window: Window): boolean {
  return window.parent !== window;
}

/**
 * Lets the surrounding page fit its frame: tells it the height of the content, and nobody else.
 * Links to elsewhere open outside the frame.
 */
export function liveInFrame(window: Window, content: HTMLElement): void {
  const { document, parent } = window;
  // Nothing may hang on the height of the frame, or frame and content would push each other up.
  document.documentElement.dataset['framed'] = '';
  let surrounding: string | null = window.location.ancestorOrigins?.[0] ?? null;
  let told = 0;

  function tell(height: number) {
    if (surrounding === null || surrounding === 'null' || height === told) return;
    told = height;
    parent.postMessage({ type: EMBED_MESSAGE.height, height }, surrounding);
  }

  const heightOf = () => Math.ceil(content.getBoundingClientRect().height);

  window.addEventListener('message', ({ data, source, origin }: MessageEvent<unknown>) => {
    const isHello = (data as { type?: unknown } | null)?.type === EMBED_MESSAGE.hello;
    if (!isHello || source !== parent) return;
    surrounding = origin;
    told = 0;
    tell(heightOf());
  });
  new ResizeObserver(() => tell(heightOf())).observe(content);

  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null;
    if (!link || (link.origin === window.location.origin && link.pathname === window.location.pathname)) return;
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  });
}
