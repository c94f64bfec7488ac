import type { KeptForm } from './draft-sync.ts';
import { emptyPage, type PageForm } from './pages.logic.ts';

/** What was typed and could not be saved, per account, site and page; nothing is lost where storage is missing. */
export function keptFormAt(place: { userId: string; siteId: string; pageId: string | undefined }) {
  const key = `page-draft:${place.userId}:${place.siteId}:${place.pageId ?? 'new'}`;
  return {
    read(): KeptForm | null {
      try {
        return parseKept(localStorage.getItem(key));
      } catch {
        return null;
      }
    },
    write(kept: KeptForm) {
      try {
        localStorage.setItem(key, JSON.stringify(kept));
      } catch {
        // Full, or forbidden: the server still gets it.
      }
    },
    clear() {
      try {
        localStorage.removeItem(key);
      } catch {
        // Nothing was kept either.
      }
    },
  };
}

/** An entry of an older release may lack what has come since; one that is no form is none. */
export function parseKept(entry: string | null): KeptForm | null {
  if (entry === null) return null;
  try {
    const kept = JSON.parse(entry) as Partial<KeptForm> | null;
    if (kept === null || !isForm(kept.form)) return null;
    const empty = emptyPage();
    const form = { ...empty, ...kept.form, attrs: { ...empty.attrs, ...kept.form.attrs } };
    const { version = null, revision = null, editorId = null } = kept;
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
