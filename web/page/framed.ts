import { EMBED_MESSAGE } from '#contract/embed-messages.ts';

/** Whether the page is framed, which only sites named by its owner can do. */
export const isFramed = (window: Window): boolean => window.parent !== window;

export type Frame = {
  /** Asks the parent page to scroll the element into view. */
  show(element: Element): void;
};

/**
 * Reports the height of the content to the parent page only, so that it can fit its frame.
 * Links to elsewhere open outside the frame.
 */
export function liveInFrame(window: Window, content: HTMLElement): Frame {
  const { document, parent } = window;
  // Nothing may depend on the height of the frame, or frame and content would grow each other.
  document.documentElement.dataset['framed'] = '';
  let surrounding: string | null = window.location.ancestorOrigins?.[0] ?? null;
  let told = 0;

  function send(message: object) {
    if (surrounding !== null && surrounding !== 'null') parent.postMessage(message, surrounding);
  }

  function tell(height: number) {
    if (height === told) return;
    if (surrounding !== null) told = height;
    send({ type: EMBED_MESSAGE.height, height });
  }

  const heightOf = () => Math.ceil(content.getBoundingClientRect().height);

  window.addEventListener('message', ({ data, source, origin }: MessageEvent<unknown>) => {
    const isHello = (data as { type?: unknown } | null)?.type === EMBED_MESSAGE.hello;
    if (!isHello || source !== parent) return;
    surrounding = origin;
    // The frame is now as high as the page, so nothing has to be sticky.
    document.documentElement.dataset['framed'] = 'fitted';
    told = 0;
    tell(heightOf());
  });
  new ResizeObserver(() => tell(heightOf())).observe(content);

  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null;
    if (!link || (link.origin === window.location.origin && link.pathname === window.location.pathname))
      return;
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  });

  return {
    show(element) {
      // Wait until the frame is as high as its content.
      tell(heightOf());
      const { top, bottom } = element.getBoundingClientRect();
      send({ type: EMBED_MESSAGE.show, top, bottom });
    },
  };
}
