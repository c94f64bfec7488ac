let isForced = false;

/** The session takes the window elsewhere; what was typed is kept (`kept-draft.ts`), so nobody is asked. */
export function leaveUnasked(leave: () => void): void {
  isForced = true;
  leave();
}

export function isLeavingUnasked(): boolean {
  return isForced;
}
