import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { Language } from '#contract/fields.ts';
import { cssProperties, paletteOf } from '#web/page/colour.ts';
import { localService } from '#web/page/local-service.ts';
import { textsOf } from '#web/page/locales.ts';
import pageCss from '#web/page/page.css?inline';
import * as parts from '#web/page/parts.ts';
import { PreferencePage } from '#web/page/PreferencePage.tsx';
import type { PageView } from '#web/page/view.ts';

interface PreviewFrameProps {
  view: PageView;
  title: string;
  /** The simulated screen in CSS pixels, scaled down to fit. */
  width: number;
  height: number;
  /** A static preview cannot be focused or used. */
  isPicture?: boolean;
  onLanguage?: (language: Language) => void;
}

const EMPTY = '<!doctype html><html><head></head><body></body></html>';

/** The public page by its own renderer and style sheet, in a document of its own; it sends nothing. */
export function PreviewFrame({
  view,
  title,
  width,
  height,
  isPicture = false,
  onLanguage = () => {},
}: PreviewFrameProps) {
  const room = useRef<HTMLDivElement>(null);
  const [frame, setFrame] = useState<Document | null>(null);
  const { scale, margin } = useFitScale(room, width);
  useLayoutEffect(() => {
    if (frame) applyPalette(frame, view);
  }, [frame, view]);

  function open(document: Document | null) {
    if (document) addStyleSheet(document);
    // A static preview does not scroll, so it has no scroll bar.
    if (document && isPicture) document.documentElement.style.overflow = 'hidden';
    setFrame(document);
  }

  return (
    <div ref={room} className="w-full overflow-hidden" style={{ height: height * scale }}>
      {/* Our own renderer draws in it: a sandbox would only keep its events away. */}
      {/* oxlint-disable-next-line react/iframe-missing-sandbox */}
      <iframe
        title={title}
        srcDoc={EMPTY}
        onLoad={(event) => open(event.currentTarget.contentDocument)}
        {...(isPicture ? { inert: true, tabIndex: -1, 'aria-hidden': true } : {})}
        className={`block origin-top-left border-0 bg-surface ${isPicture ? 'pointer-events-none' : ''}`}
        style={{
          width,
          height,
          // Unscaled, it renders exactly like the page itself.
          transform: scale === 1 ? 'none' : `scale(${scale})`,
          marginLeft: margin,
        }}
      />
      {frame &&
        createPortal(
          <PreferencePage
            view={view}
            texts={textsOf(view.language)}
            service={localService}
            parts={parts}
            onLanguage={onLanguage}
          />,
          frame.body,
        )}
    </div>
  );
}

/** The scale at which it fits, and the space left beside it. */
function useFitScale(room: RefObject<HTMLElement | null>, width: number): { scale: number; margin: number } {
  const [available, setAvailable] = useState(width);
  useLayoutEffect(() => {
    const element = room.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setAvailable(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [room]);
  return {
    scale: available === 0 ? 1 : Math.min(1, available / width),
    margin: Math.max(0, Math.floor((available - width) / 2)),
  };
}

/** Not by a style element, which a strict content security policy would refuse. */
function addStyleSheet(frame: Document) {
  const Sheet = frame.defaultView?.CSSStyleSheet;
  if (!Sheet) return;
  const sheet = new Sheet();
  sheet.replaceSync(pageCss);
  frame.adoptedStyleSheets = [sheet];
}

function applyPalette(frame: Document, view: PageView) {
  frame.documentElement.lang = view.language;
  for (const [name, value] of Object.entries(cssProperties(paletteOf(view.page.attrs)))) {
    frame.documentElement.style.setProperty(name, value);
  }
}
