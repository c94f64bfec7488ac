import { keptInBrowser } from '#web/ui/browser-storage.ts';
import { pageDraftKey } from '../../session/owner-storage.ts';
import type { StoredForm } from './draft-sync.ts';
import { emptyPage, type PageForm } from './pages.logic.ts';

/** What was typed and could not be saved, per account, site and page. */
export function formStorage(place: { userId: string; siteId: string; pageId: string | undefined }) {
  const key = pageDraftKey(place.userId, place.siteId, place.pageId);
  return {
    read: (): StoredForm | null => parseStoredForm(keptInBrowser.getItem(key)),
    write: (stored: StoredForm) => keptInBrowser.setItem(key, JSON.stringify(stored)),
    clear: () => keptInBrowser.removeItem(key),
  };
}

/** An entry of an older release may lack newer fields, which get their defaults; null if it is no form. */
export function parseStoredForm(entry: string | null): StoredForm | null {
  if (entry === null) return null;
  try {
    const stored = JSON.parse(entry) as Partial<StoredForm> | null;
    if (stored === null || !isForm(stored.form)) return null;
    const empty = emptyPage();
    const form = { ...empty, ...stored.form, attrs: { ...empty.attrs, ...stored.form.attrs } };
    const { version = null, revision = null, editorId = null } = stored;
    return { form, version, revision, editorId };
  } catch {
    return null;
  }
}

function isForm(form: unknown): form is PageForm {
  return (
    typeof form === 'object' &&
    form !== null &&
    'name' in form &&
    typeof form.name === 'string' &&
    'lists' in form &&
    Array.isArray(form.lists) &&
    'attrs' in form &&
    typeof form.attrs === 'object'
  );
}
