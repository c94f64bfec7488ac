import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { PageDraft } from '#contract/page-drafts.ts';
import type { PreferencePage } from '#contract/preference-pages.ts';
import { randomId } from '#web/ui/random-id.ts';
import { readAuth } from '../../session/session.ts';
import type { SiteParams } from '../../site/site-params.ts';
import { createDraftKeeper, type DraftKeeper, type DraftState, type KeptForm } from './draft-sync.ts';
import { keptFormAt } from './draft-storage.ts';
import { draftOnServer } from './pages.api.ts';
import { type FormList, formOfContent, type PageForm, pageFormOf } from './pages.logic.ts';

interface DraftPlace {
  site: SiteParams;
  page: PreferencePage | undefined;
  draft: PageDraft | null;
  /** What a page begins as that is not made yet. */
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

function keptOf({ site, page }: Pick<DraftPlace, 'site' | 'page'>) {
  return keptFormAt({ userId: readAuth()?.id ?? '', siteId: site.site_id, pageId: page?.id });
}

function openingOf({ page, draft, begin }: DraftPlace, kept: KeptForm | null): Opening {
  const saved = page ? pageFormOf(page) : begin;
  const form = kept?.form ?? (draft ? formOfContent(draft.content) : saved);
  return { form, saved, isRestored: kept !== null };
}

/** What was kept here rests on something that is not there any more. */
function conflictWith({ page, draft }: DraftPlace, kept: KeptForm | null) {
  if (!page || kept === null) return null;
  const isOwn = kept.editorId !== null && kept.editorId === draft?.editor_id;
  const isSame = kept.version === page.version && (isOwn || kept.revision === (draft?.revision ?? null));
  return isSame ? null : { version: page.version, published_by: null, draft };
}

export interface Draft {
  opening: Opening;
  keeper: DraftKeeper;
  state: DraftState;
}

/** Opens what there is of a page, the draft before what is published, and keeps what is typed from then on. */
export function useDraft(place: DraftPlace): Draft {
  const [opened] = useState(() => {
    const browser = keptOf(place);
    const kept = browser.read();
    const { site, page, draft, known } = place;
    const keeper = createDraftKeeper({
      server: page ? draftOnServer(site, page.id, known) : null,
      browser,
      editorId: randomId(),
      // What was kept is held against what is there; what was published meanwhile is not ours to write over.
      version: page ? (draft?.base_version ?? page.version) : null,
      draft,
      conflict: conflictWith(place, kept),
    });
    return { opening: openingOf(place, kept), keeper };
  });
  const { keeper } = opened;
  const state = useSyncExternalStore(keeper.subscribe, keeper.state);
  useSendInTime(keeper);
  return { ...opened, state };
}

/** Nothing waits for its second when the owner goes away, or when the connection is back. */
function useSendInTime(keeper: DraftKeeper) {
  useEffect(() => {
    const flush = () => void keeper.flush();
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
  }, [keeper]);
}

/** Hands each change of the form to the keeper; what it opened with is there already, unless it came from this browser. */
export function useKeeping(draft: Draft, form: PageForm, saved: PageForm, isDirty: boolean) {
  const { keeper, opening } = draft;
  const seen = useRef<{ form: PageForm; saved: PageForm } | null>(
    opening.isRestored ? null : { form: opening.form, saved: opening.saved },
  );
  useEffect(() => {
    if (seen.current?.form === form && seen.current.saved === saved) return;
    seen.current = { form, saved };
    keeper.change(isDirty ? form : null);
  }, [keeper, form, saved, isDirty]);
  return {
    /** Comes from the server: there is nothing to keep. */
    skip: (next: { form: PageForm; saved: PageForm }) => {
      seen.current = next;
    },
  };
}
