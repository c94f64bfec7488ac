import type { Page } from 'playwright-core';

/** Runs in the window: puts two elements in the place of every text, as a browser's page translation does. */
function translateAll(mark: string): void {
  const isLeftAlone = (text: Node) =>
    text.nodeValue?.trim() === '' ||
    text.parentElement?.closest('script, style, noscript, textarea, font, [translate=no]') !== null;
  const translate = (text: Node) => {
    const [outer, inner] = [document.createElement('font'), document.createElement('font')];
    inner.textContent = `${mark}${text.nodeValue}`;
    outer.append(inner);
    text.parentNode?.replaceChild(outer, text);
  };
  const translateIn = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts: Node[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) if (!isLeftAlone(text)) translate(text);
  };
  translateIn(document.body);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (node.isConnected) translateIn(node instanceof Element ? node : (node.parentNode ?? node));
      }
    }
  }).observe(document.body, { childList: true, subtree: true });
}

/**
 * Has a window's page translated from now on.
 * @param mark what a translated text begins with; by default the words stay as they are
 */
export async function translatePage(page: Page, mark = ''): Promise<void> {
  await page.evaluate(translateAll, mark);
}

interface Fiber {
  tag: number;
  memoizedProps: { children?: unknown } | string | null;
  stateNode: { textContent: string } | null;
  child: Fiber | null;
  sibling: Fiber | null;
}

const HOST_ELEMENT = 5;
const HOST_TEXT = 6;

/** React's own tree below an element, in the window. */
function lookAtTexts({ root, element, text }: { root: string; element: number; text: number }) {
  const found = { bare: [] as string[], stale: [] as string[] };
  const container = document.querySelector(root) ?? document.body;
  const key = Object.keys(container).find((one) => one.startsWith('__reactContainer$'));
  const waiting: (Fiber | null)[] = [];
  if (key !== undefined) {
    const { stateNode } = (container as unknown as Record<string, { stateNode: { current: Fiber } }>)[
      key
    ] ?? { stateNode: { current: null } };
    waiting.push(stateNode.current);
  }
  for (let fiber = waiting.pop(); fiber !== undefined; fiber = waiting.pop()) {
    if (fiber === null) continue;
    waiting.push(fiber.child, fiber.sibling);
    const { tag, memoizedProps: props, stateNode } = fiber;
    if (tag === text && typeof props === 'string') found.bare.push(props);
    if (tag !== element || typeof props !== 'object') continue;
    const words = props?.children;
    if (typeof words === 'string' && stateNode?.textContent !== words) {
      found.stale.push(`"${stateNode?.textContent}" for "${words}"`);
    }
  }
  return { isRendered: key !== undefined, ...found };
}

/**
 * The texts of a page that a translator would break.
 * `bare`: React holds a text node itself, because the text is no element's only child. Once a translator has replaced
 * that node, React changes it unseen, and fails when it removes it or puts something before it.
 * `stale`: an element shows other words than were rendered.
 */
export const textsAtRisk = (page: Page, root = '#page') =>
  page.evaluate(lookAtTexts, { root, element: HOST_ELEMENT, text: HOST_TEXT });
