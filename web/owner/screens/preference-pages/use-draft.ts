import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { PageDraft } from '#contract/page-drafts.ts';
import type { PreferencePage } from '#contract/preference-pages.ts';
import { randomId } from '#web/ui/random-id.ts';
import { readAuth } from '../../session/session.ts';
import type { SiteParams } from '../../site/site-params.ts';
import { DraftSync, type DraftState, type StoredForm } from './draft-sync.ts';
import { formStorage } from './page-draft-storage.ts';
import { draftOnServer } from './pages.api.ts';
import { type FormList, formOfContent, type PageForm, pageFormOf } from './pages.logic.ts';

interface DraftPlace {
  site: SiteParams;
  page: PreferencePage | undefined;
  draft: PageDraft | null;
  /** What a new page begins as. */
  begin: PageForm;
  /** The lists of the site, as they are saved. */
  known: () => readonly FormList[];
}

/** What the editor opens with. */
export interface Opening {
  form: PageForm;
  saved: PageForm;
  /** From this browser: it had not been saved. */
  isRestored: boolean;
}

function storageOf({ site, page }: Pick<DraftPlace, 'site' | 'page'>) {
  return formStorage({ userId: readAuth()?.id ?? '', siteId: site.site_id, pageId: page?.id });
}

function openingOf({ page, draft, begin }: DraftPlace, stored: StoredForm | null): Opening {
  const saved = page ? pageFormOf(page) : begin;
  const form = stored?.form ?? (draft ? formOfContent(draft.content) : saved);
  return { form, saved, isRestored: stored !== null };
}

/** What this browser stored is based on something that is no longer there. */
function conflictWith({ page, draft }: DraftPlace, stored: StoredForm | null) {
  if (!page || stored === null) return null;
  const isOwn = stored.editorId !== null && stored.editorId === draft?.editor_id;
  const isSame = stored.version === page.version && (isOwn || stored.revision === (draft?.revision ?? null));
  return isSame ? null : { version: page.version, published_by: null, draft };
}

export interface Draft {
  opening: Opening;
  sync: DraftSync;
  state: DraftState;
}

/** Opens a page's draft, or else what is published, and saves what is typed from then on. */
export function useDraft(place: DraftPlace): Draft {
  const [opened] = useState(() => {
    const browser = storageOf(place);
    const stored = browser.read();
    const { site, page, draft, known } = place;
    const sync = new DraftSync({
      server: page ? draftOnServer(site, page.id, known) : null,
      browser,
      editorId: randomId(),
      // A draft is based on a version: what was published since must not be overwritten.
      version: page ? (draft?.base_version ?? page.version) : null,
      draft,
      conflict: conflictWith(place, stored),
    });
    return { opening: openingOf(place, stored), sync };
  });
  const { sync } = opened;
  const state = useSyncExternalStore(sync.subscribe, sync.state);
  useFlush(sync);
  return { ...opened, state };
}

/** Saves without the usual delay when the owner leaves, or when the connection is back. */
function useFlush(sync: DraftSync) {
  useEffect(() => {
    const flush = () => void sync.flush();
    const flushHidden = () => {
      if (document.visibilityState === 'hidden') flush();
    };
    window.addEventListener('online', flush);
    document.addEventListener('visibilitychange', flushHidden);
    return () => {
      window.removeEventListener('online', flush);
      document.removeEventListener('visibilitychange', flushHidden);
      flush();
    };
  }, [sync]);
}

/** Passes each change of the form on. What it opened with is saved already, unless it came from this browser. */
export function useFormSync(draft: Draft, form: PageForm, saved: PageForm, isDirty: boolean) {
  const { sync, opening } = draft;
  const seen = useRef<{ form: PageForm; saved: PageForm } | null>(
    opening.isRestored ? null : { form: opening.form, saved: opening.saved },
  );
  useEffect(() => {
    if (seen.current?.form === form && seen.current.saved === saved) return;
    seen.current = { form, saved };
    sync.change(isDirty ? form : null);
  }, [sync, form, saved, isDirty]);
  return {
    /** It came from the server: there is nothing to save. */
    skip: (next: { form: PageForm; saved: PageForm }) => {
      seen.current = next;
    },
  };
}
