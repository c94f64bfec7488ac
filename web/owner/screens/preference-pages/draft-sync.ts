import { ApiError } from '#contract/client.ts';
import { type DraftConflict, draftConflict, type PageDraft } from '#contract/page-drafts.ts';
import type { PageForm } from './pages.logic.ts';

/** Of the draft that the server has: whose it is, and which. */
export type DraftStanding = Pick<PageDraft, 'revision' | 'saved_at' | 'saved_by' | 'editor_id'>;

/** What this browser keeps until the server has it. */
export interface KeptForm {
  form: PageForm;
  /** What it was begun with; null where the page itself is not made yet. */
  version: number | null;
  revision: number | null;
  /** Of the editor that it was typed in: whether its last save arrived is not known. */
  editorId: string | null;
}

export type DraftState =
  | { kind: 'none' }
  /** In this browser only, because the page itself is not made yet. */
  | { kind: 'kept' }
  | { kind: 'saving' }
  | { kind: 'saved'; draft: DraftStanding }
  /** Tried again by itself. */
  | { kind: 'away' }
  /** Tried again when the form changes. */
  | { kind: 'refused'; error: unknown }
  | { kind: 'conflict'; found: DraftConflict };

export interface DraftParts {
  /** null where the page itself is not made yet. */
  server: {
    save: (
      form: PageForm,
      on: { version: number; revision: number | null; editorId: string },
    ) => Promise<DraftStanding>;
    discard: (revision: number) => Promise<void>;
  } | null;
  browser: { write: (kept: KeptForm) => void; clear: () => void };
  /** A name for this opening of the editor, by which it knows a save of its own that was never answered. */
  editorId: string;
  /** What is there when the editor opens. */
  version: number | null;
  draft: DraftStanding | null;
  /** What was not saved last time rests on something that has changed since. */
  conflict: DraftConflict | null;
}

export interface DraftKeeper {
  state: () => DraftState;
  subscribe: (listener: () => void) => () => void;
  /** The form as it is now; null: as it is published, so that there is nothing to keep. */
  change: (form: PageForm | null) => void;
  /** Saves what waits now instead of in a moment. */
  flush: () => Promise<void>;
  /** Waits for what is on its way, and sends nothing more until `release`. */
  hold: () => Promise<{ version: number | null; revision: number | null }>;
  /** `now`: what is there from here on, where that has changed. */
  release: (now?: { version: number; draft: DraftStanding | null }) => void;
  /** Somebody else's work was looked at: from here on ours takes its place. */
  overrule: (found: DraftConflict, form: PageForm) => void;
  /** Found by somebody else's call. */
  collide: (found: DraftConflict) => void;
  stop: () => void;
}

export const SETTLED_MS = 1000;
const AGAIN_MS = 5000;

export function conflictOf(error: unknown): DraftConflict | null {
  if (!(error instanceof ApiError) || error.status !== 409) return null;
  const { success, data } = draftConflict.safeParse(error.data);
  return success ? data : null;
}

const isAway = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Keeps what an owner types: in the browser at once, on the server a second after the last change. */
export function createDraftKeeper(parts: DraftParts): DraftKeeper {
  const { server, browser, editorId } = parts;
  const listeners = new Set<() => void>();
  let { version, draft } = parts;
  /** What the server does not have yet; undefined: nothing. */
  let waiting: PageForm | null | undefined;
  let sending: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isHeld = false;
  let state: DraftState = parts.conflict ? { kind: 'conflict', found: parts.conflict } : standing();

  function standing(): DraftState {
    return draft === null ? { kind: 'none' } : { kind: 'saved', draft };
  }

  function show(next: DraftState) {
    state = next;
    for (const listener of listeners) listener();
  }

  function schedule(ms: number) {
    clearTimeout(timer);
    if (!isHeld && state.kind !== 'conflict') timer = setTimeout(() => void send(), ms);
  }

  function change(form: PageForm | null) {
    if (form === null) browser.clear();
    else browser.write({ form, version, revision: draft?.revision ?? null, editorId });
    if (server === null) return show({ kind: form === null ? 'none' : 'kept' });
    waiting = form;
    if (state.kind === 'conflict') return;
    if (form === null && draft === null && sending === null) {
      waiting = undefined;
      clearTimeout(timer);
      return show(standing());
    }
    if (state.kind !== 'away') show({ kind: 'saving' });
    schedule(SETTLED_MS);
  }

  async function bring(form: PageForm | null): Promise<void> {
    if (server === null || version === null) return;
    const revision = draft?.revision ?? null;
    if (form !== null) draft = await server.save(form, { version, revision, editorId });
    else if (draft !== null) {
      await server.discard(draft.revision);
      draft = null;
    }
  }

  async function attempt(): Promise<void> {
    const form = waiting;
    if (form === undefined) return;
    try {
      await bring(form);
      if (waiting !== form) return schedule(SETTLED_MS);
      waiting = undefined;
      browser.clear();
      show(standing());
    } catch (error) {
      fail(error);
    }
  }

  /** The answer was lost: what is there was saved from here, or is gone as was asked for. */
  function isOwn(found: DraftConflict): boolean {
    if (found.version !== version) return false;
    return found.draft === null ? waiting === null : found.draft.editor_id === editorId;
  }

  function fail(error: unknown) {
    const found = conflictOf(error);
    if (found && isOwn(found)) {
      ({ draft } = found);
      return schedule(0);
    }
    if (found) return show({ kind: 'conflict', found });
    show(isAway(error) ? { kind: 'away' } : { kind: 'refused', error });
    if (isAway(error)) schedule(AGAIN_MS);
  }

  async function send(): Promise<void> {
    clearTimeout(timer);
    if (sending !== null || waiting === undefined || isHeld || state.kind === 'conflict') return;
    sending = attempt();
    try {
      await sending;
    } finally {
      sending = null;
    }
  }

  function release(now?: { version: number; draft: DraftStanding | null }) {
    isHeld = false;
    if (now) {
      ({ version, draft } = now);
      waiting = undefined;
      browser.clear();
      show(standing());
    } else if (waiting !== undefined) schedule(SETTLED_MS);
  }

  function overrule(found: DraftConflict, form: PageForm) {
    ({ version, draft } = found);
    waiting = form;
    show({ kind: 'saving' });
    schedule(0);
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change,
    async flush() {
      await sending;
      await send();
    },
    async hold() {
      isHeld = true;
      clearTimeout(timer);
      await sending;
      return { version, revision: draft?.revision ?? null };
    },
    release,
    overrule,
    collide: (found) => show({ kind: 'conflict', found }),
    stop: () => clearTimeout(timer),
  };
}
