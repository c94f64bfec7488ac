export type ShellEntry =
  | '/dashboard'
  | '/integrations'
  | '/lists'
  | '/actions'
  | '/preference-pages'
  | '/site-settings';

const ENTRIES: Record<string, ShellEntry> = {
  dashboard: '/dashboard',
  customers: '/dashboard',
  evidence: '/dashboard',
  imports: '/dashboard',
  integrations: '/integrations',
  lists: '/lists',
  'create-list': '/lists',
  actions: '/actions',
  deliveries: '/actions',
  'preference-pages': '/preference-pages',
  'edit-preference-page': '/preference-pages',
  'create-preference-page': '/preference-pages',
  'site-settings': '/site-settings',
};

/** The sidebar's entry that a path belongs to. */
export function entryOf(path: string): ShellEntry | undefined {
  return ENTRIES[path.split('/')[1] ?? ''];
}
