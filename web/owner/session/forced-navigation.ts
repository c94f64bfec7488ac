let isForced = false;

/** Leaves without the unsaved-changes prompt: the session ended, and what was typed is kept as a draft. */
export function leaveWithoutPrompt(leave: () => void): void {
  isForced = true;
  leave();
}

export function isNavigationForced(): boolean {
  return isForced;
}
