import { EMBED_MESSAGE } from '#contract/embed-messages.ts';

/** Only sites that its owner named can show the page inside of theirs. */
export const isFramed = (window: Window): boolean => window.parent !== window;

export type Frame = {
  /** Asks the surrounding page to scroll so far that the element is in sight. */
  show(element: Element): void;
};

/**
 * Lets the surrounding page fit its frame: tells it the height of the content, and nobody else.
 * Links to elsewhere open outside the frame.
 */
export function liveInFrame(window: Window, content: HTMLElement): Frame {
  const { document, parent } = window;
  // Nothing may hang on the height of the frame, or frame and content would push each other up.
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
    // From now on the frame is as high as the page: nothing has to stick to its edge.
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
      // The frame first has to be as high as what is in it.
      tell(heightOf());
      const { top, bottom } = element.getBoundingClientRect();
      send({ type: EMBED_MESSAGE.show, top, bottom });
    },
  };
}
