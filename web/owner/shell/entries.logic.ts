/** The five entries of spec section 2, in its order. */
export const MAIN_ENTRIES = [
  '/dashboard',
  '/integrations',
  '/lists',
  '/actions',
  '/preference-pages',
] as const;

/** What accumulates once the main entries are set up: a separate group below them. */
export const RECORD_ENTRIES = ['/customers', '/deliveries'] as const;

export type ShellEntry = (typeof MAIN_ENTRIES)[number] | (typeof RECORD_ENTRIES)[number] | '/site-settings';

const ENTRIES: Record<string, ShellEntry> = {
  dashboard: '/dashboard',
  integrations: '/integrations',
  lists: '/lists',
  'create-list': '/lists',
  actions: '/actions',
  'preference-pages': '/preference-pages',
  'edit-preference-page': '/preference-pages',
  'create-preference-page': '/preference-pages',
  'email-check': '/preference-pages',
  customers: '/customers',
  evidence: '/dashboard',
  imports: '/customers',
  'bulk-changes': '/customers',
  complaints: '/customers',
  deliveries: '/deliveries',
  'site-settings': '/site-settings',
};

/** The sidebar entry that a path belongs to. */
export function entryOf(path: string): ShellEntry | undefined {
  return ENTRIES[path.split('/')[1] ?? ''];
}
