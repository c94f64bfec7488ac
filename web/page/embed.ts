import { EMBED_ATTRIBUTE, EMBED_MESSAGE } from '#contract/embed-messages.ts';
import { textsIn } from './embed-texts.ts';

// Runs on the sites that show a preference page in a frame. It fits the frame's height to the page, and puts a link in
// place of a frame that the browser refused; without it the frame keeps the height of its snippet and scrolls.

const MAX_HEIGHT = 20_000;

const MARGIN = 16;

/** A page answers at once when it has loaded. */
const PATIENCE_MS = 3000;

type Height = { type: typeof EMBED_MESSAGE.height; height: number };
type Show = { type: typeof EMBED_MESSAGE.show; top: number; bottom: number };

function isHeight(data: unknown): data is Height {
  const { type, height } = (data ?? {}) as Partial<Height>;
  return type === EMBED_MESSAGE.height && typeof height === 'number' && height > 0 && height <= MAX_HEIGHT;
}

function isShow(data: unknown): data is Show {
  const { type, top, bottom } = (data ?? {}) as Partial<Show>;
  return type === EMBED_MESSAGE.show && typeof top === 'number' && typeof bottom === 'number';
}

/** Never below the snippet's own height, to minimize layout shifts below the frame. */
function fit(frame: HTMLIFrameElement, { height }: Height): void {
  frame.style.height = `${Math.max(Math.ceil(height), Number(frame.getAttribute('height')) || 0)}px`;
}

/** Scrolls no further than necessary. */
function show(frame: HTMLIFrameElement, part: Show): void {
  const start = frame.getBoundingClientRect().top;
  const top = start + part.top - MARGIN;
  const beyond = start + part.bottom + MARGIN - window.innerHeight;
  if (top < 0) window.scrollBy(0, top);
  else if (beyond > 0) window.scrollBy(0, Math.min(beyond, top));
}

const originOf = (frame: HTMLIFrameElement) => new URL(frame.src, document.baseURI).origin;

/** Tells the page its parent's origin, for browsers without `ancestorOrigins`. */
function greet(frame: HTMLIFrameElement): void {
  frame.contentWindow?.postMessage({ type: EMBED_MESSAGE.hello }, originOf(frame));
}

const isOurs = (element: unknown): element is HTMLIFrameElement =>
  element instanceof HTMLIFrameElement && element.hasAttribute(EMBED_ATTRIBUTE);

const framesOfPages = () => [...document.querySelectorAll('iframe')].filter(isOurs);

/** Pages that have answered, which a refused one never does. */
const answering = new WeakSet<HTMLIFrameElement>();

/** Instead of the browser's broken frame. The page itself still opens in no frame of this site. */
function replace(frame: HTMLIFrameElement): void {
  const language = frame.closest<HTMLElement>('[lang]')?.lang || navigator.language;
  const [said, label] = textsIn(language);
  const link = document.createElement('a');
  link.href = frame.src;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.textContent = label;
  const note = document.createElement('p');
  note.append(said, ' ', link);
  frame.replaceWith(note);
}

/** Replaces a frame that has loaded and says nothing. Before that, its document is still this site's own empty one. */
function watch(frame: HTMLIFrameElement): void {
  if (frame.contentDocument !== null) return;
  window.setTimeout(() => {
    if (frame.isConnected && !answering.has(frame)) replace(frame);
  }, PATIENCE_MS);
}

window.addEventListener('message', ({ data, origin, source }: MessageEvent<unknown>) => {
  const frame = framesOfPages().find(({ contentWindow }) => contentWindow === source);
  if (!frame || originOf(frame) !== origin) return;
  answering.add(frame);
  if (isHeight(data)) fit(frame, data);
  else if (isShow(data)) show(frame, data);
});

// Also covers frames added later: `load` does not bubble, but it can be captured.
document.addEventListener(
  'load',
  ({ target }) => {
    if (!isOurs(target)) return;
    greet(target);
    watch(target);
  },
  true,
);
framesOfPages().forEach(greet);
// All frames have loaded then, those before this script, too.
if (document.readyState === 'complete') framesOfPages().forEach(watch);
else window.addEventListener('load', () => framesOfPages().forEach(watch));
