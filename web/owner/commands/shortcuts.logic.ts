/** After `g`: the screen that a letter goes to. */
export const GO_KEYS = {
  d: '/dashboard',
  c: '/customers',
  l: '/lists',
  a: '/actions',
  i: '/integrations',
  p: '/preference-pages',
  v: '/deliveries',
  m: '/imports',
  s: '/site-settings',
  u: '/account-settings',
} as const;

export type GoPath = (typeof GO_KEYS)[keyof typeof GO_KEYS];

export interface Pressed {
  key: string;
  /** Ctrl or Cmd. */
  hasCommand: boolean;
  hasAlt: boolean;
  /** In a field, or where letters pick from a menu or a list. */
  isTyping: boolean;
  /** A dialog is open over the screen. */
  isCovered: boolean;
  /** Single keys are switched off. */
  isCommandOnly: boolean;
  /** ms */
  at: number;
}

export type Shortcut =
  | { kind: 'palette' }
  | { kind: 'shortcuts' }
  | { kind: 'search' }
  | { kind: 'go'; to: GoPath };

/** How long a `g` waits for its letter. */
const GO_WITHIN_MS = 1_500;

/**
 * What a key does. Single letters never do anything while somebody types or a dialog is open.
 * @param goAt when `g` was pressed, or null
 */
export function shortcutOf(
  pressed: Pressed,
  goAt: number | null,
): { does: Shortcut | null; goAt: number | null } {
  const nothing = { does: null, goAt: null };
  const key = pressed.key.toLowerCase();
  if (pressed.hasAlt) return nothing;
  if (pressed.hasCommand) return key === 'k' ? { does: { kind: 'palette' }, goAt: null } : nothing;
  if (pressed.isTyping || pressed.isCovered || pressed.isCommandOnly) return nothing;
  if (goAt !== null && pressed.at - goAt <= GO_WITHIN_MS && isGoKey(key)) {
    return { does: { kind: 'go', to: GO_KEYS[key] }, goAt: null };
  }
  if (key === '/') return { does: { kind: 'search' }, goAt: null };
  if (key === '?') return { does: { kind: 'shortcuts' }, goAt: null };
  return key === 'g' ? { does: null, goAt: pressed.at } : nothing;
}

function isGoKey(key: string): key is keyof typeof GO_KEYS {
  return Object.hasOwn(GO_KEYS, key);
}
