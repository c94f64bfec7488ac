import type { RefCallback } from 'react';

/**
 * A ref for what disappears when its button is pressed: the focus would be lost with it. `next` says where it goes
 * instead, while all is still in place. Where there is nothing, or that is gone too, it goes to the title of the screen.
 */
export function handFocusTo(
  next: (from: HTMLElement) => HTMLElement | null | undefined,
): RefCallback<HTMLElement> {
  return (element) => () => {
    if (!element?.contains(document.activeElement)) return;
    const heir = next(element);
    // Once the element is gone, and React listens again.
    queueMicrotask(() => {
      if (isFocusLost()) heir?.focus();
      focusScreenIfLost();
    });
  };
}

export const handFocusToScreen = handFocusTo(() => null);

/** Focuses the title of the screen if nothing has the focus. */
export function focusScreenIfLost(): void {
  if (!isFocusLost()) return;
  const main = document.querySelector('main');
  (main?.querySelector<HTMLElement>('h1[tabindex]') ?? main)?.focus({ preventScroll: true });
}

function isFocusLost(): boolean {
  return document.activeElement === document.body;
}
