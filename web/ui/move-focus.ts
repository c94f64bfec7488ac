import type { RefCallback } from 'react';

/**
 * A ref for what may disappear while it has the focus, which would be lost with it. `next` lists where the focus may go
 * instead, while everything is still in place; it goes to the first of these that stays, or else to the title of the
 * screen.
 */
export function moveFocus(
  next: (from: HTMLElement) => readonly (HTMLElement | null | undefined)[],
): RefCallback<HTMLElement> {
  return (element) => () => {
    if (!element?.contains(document.activeElement)) return;
    const fallbacks = next(element);
    // Once the element is gone, and React listens again.
    queueMicrotask(() => {
      if (isFocusLost()) fallbacks.find((fallback) => fallback?.isConnected)?.focus();
      focusScreenIfLost();
    });
  };
}

export const moveFocusToScreen = moveFocus(() => []);

/** Focuses the title of the screen if nothing has the focus. */
export function focusScreenIfLost(): void {
  if (!isFocusLost()) return;
  const main = document.querySelector('main');
  (main?.querySelector<HTMLElement>('h1[tabindex]') ?? main)?.focus({ preventScroll: true });
}

function isFocusLost(): boolean {
  return document.activeElement === document.body;
}
