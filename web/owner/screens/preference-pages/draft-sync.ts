import { ApiError } from '#contract/client.ts';
import { type DraftConflict, draftConflict, type PageDraft } from '#contract/page-drafts.ts';
import type { PageForm } from './pages.logic.ts';

/** The server's draft and its author. */
export type ServerDraft = Pick<PageDraft, 'revision' | 'saved_at' | 'saved_by' | 'editor_id'>;

/** Stored in this browser until the server has it. */
export interface StoredForm {
  form: PageForm;
  /** What it is based on; null where the page itself does not exist yet. */
  version: number | null;
  revision: number | null;
  /** The editor that it was typed in: whether its last save arrived is not known. */
  editorId: string | null;
}

export type DraftState =
  | { kind: 'none' }
  /** In this browser only, because the page itself does not exist yet. */
  | { kind: 'kept' }
  | { kind: 'saving' }
  | { kind: 'saved'; draft: ServerDraft }
  /** The server did not answer; retried automatically. */
  | { kind: 'away' }
  /** Retried when the form changes. */
  | { kind: 'refused'; error: unknown }
  | { kind: 'conflict'; found: DraftConflict };

export interface DraftParts {
  /** null where the page itself does not exist yet. */
  server: {
    save: (
      form: PageForm,
      on: { version: number; revision: number | null; editorId: string },
    ) => Promise<ServerDraft>;
    discard: (revision: number) => Promise<void>;
  } | null;
  browser: { write: (stored: StoredForm) => void; clear: () => void };
  /** Names this opening of the editor, which recognizes by it a save of its own that was never answered. */
  editorId: string;
  /** What is there when the editor opens. */
  version: number | null;
  draft: ServerDraft | null;
  /** What was not saved last time is based on something that has changed since. */
  conflict: DraftConflict | null;
}

export const SETTLED_MS = 1000;
const RETRY_MS = 5000;

export function conflictOf(error: unknown): DraftConflict | null {
  if (!(error instanceof ApiError) || error.status !== 409) return null;
  const { success, data } = draftConflict.safeParse(error.data);
  return success ? data : null;
}

const isAway = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Saves what an owner types: in the browser at once, on the server a second after the last change. */
export class DraftSync {
  readonly #server: DraftParts['server'];
  readonly #browser: DraftParts['browser'];
  readonly #editorId: string;
  readonly #listeners = new Set<() => void>();
  #version: number | null;
  #draft: ServerDraft | null;
  /** What the server does not have yet; undefined: nothing. */
  #unsaved: PageForm | null | undefined;
  #sending: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPaused = false;
  #state: DraftState;

  constructor({ server, browser, editorId, version, draft, conflict }: DraftParts) {
    this.#server = server;
    this.#browser = browser;
    this.#editorId = editorId;
    this.#version = version;
    this.#draft = draft;
    this.#state = conflict ? { kind: 'conflict', found: conflict } : this.#settled();
  }

  readonly state = (): DraftState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The form as it is now; null: as it is published, so that there is no draft. */
  change(form: PageForm | null): void {
    if (form === null) this.#browser.clear();
    else this.#browser.write({ form, ...this.#base(), editorId: this.#editorId });
    if (this.#server === null) return this.#show({ kind: form === null ? 'none' : 'kept' });
    this.#unsaved = form;
    if (this.#state.kind === 'conflict') return;
    if (form === null && this.#draft === null && this.#sending === null) {
      this.#unsaved = undefined;
      this.stop();
      return this.#show(this.#settled());
    }
    if (this.#state.kind !== 'away') this.#show({ kind: 'saving' });
    this.#schedule(SETTLED_MS);
  }

  /** Saves now instead of in a moment. */
  async flush(): Promise<void> {
    await this.#sending;
    await this.#send();
  }

  /** Waits for the save that is under way, and sends nothing more until `resume`. */
  async pause(): Promise<{ version: number | null; revision: number | null }> {
    this.#isPaused = true;
    this.stop();
    await this.#sending;
    return this.#base();
  }

  /** @param now what the server has from here on, where that has changed */
  resume(now?: { version: number; draft: ServerDraft | null }): void {
    this.#isPaused = false;
    if (now) {
      this.#version = now.version;
      this.#draft = now.draft;
      this.#unsaved = undefined;
      this.#browser.clear();
      this.#show(this.#settled());
    } else if (this.#unsaved !== undefined) this.#schedule(SETTLED_MS);
  }

  /** Resolves a conflict: this form overwrites the other version. */
  overwrite(found: DraftConflict, form: PageForm): void {
    this.#version = found.version;
    this.#draft = found.draft;
    this.#unsaved = form;
    this.#show({ kind: 'saving' });
    this.#schedule(0);
  }

  /** A conflict that another call met. */
  setConflict(found: DraftConflict): void {
    this.#show({ kind: 'conflict', found });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #base() {
    return { version: this.#version, revision: this.#draft?.revision ?? null };
  }

  #settled(): DraftState {
    return this.#draft === null ? { kind: 'none' } : { kind: 'saved', draft: this.#draft };
  }

  #show(next: DraftState): void {
    this.#state = next;
    for (const listener of this.#listeners) listener();
  }

  #schedule(ms: number): void {
    this.stop();
    if (this.#isPaused || this.#state.kind === 'conflict') return;
    this.#timer = setTimeout(() => void this.#send(), ms);
  }

  async #send(): Promise<void> {
    this.stop();
    const isIdle = this.#sending === null && this.#unsaved !== undefined;
    if (!isIdle || this.#isPaused || this.#state.kind === 'conflict') return;
    this.#sending = this.#attempt();
    try {
      await this.#sending;
    } finally {
      this.#sending = null;
    }
  }

  async #attempt(): Promise<void> {
    const form = this.#unsaved;
    if (form === undefined) return;
    try {
      await this.#save(form);
      if (this.#unsaved !== form) return this.#schedule(SETTLED_MS);
      this.#unsaved = undefined;
      this.#browser.clear();
      this.#show(this.#settled());
    } catch (error) {
      this.#fail(error);
    }
  }

  async #save(form: PageForm | null): Promise<void> {
    const { version, revision } = this.#base();
    if (this.#server === null || version === null) return;
    if (form !== null) {
      this.#draft = await this.#server.save(form, { version, revision, editorId: this.#editorId });
    } else if (this.#draft !== null) {
      await this.#server.discard(this.#draft.revision);
      this.#draft = null;
    }
  }

  #fail(error: unknown): void {
    const found = conflictOf(error);
    if (found && this.#isOwn(found)) {
      this.#draft = found.draft;
      return this.#schedule(0);
    }
    if (found) return this.setConflict(found);
    this.#show(isAway(error) ? { kind: 'away' } : { kind: 'refused', error });
    if (isAway(error)) this.#schedule(RETRY_MS);
  }

  /** Whether the response was lost, but the server already has this editor's save or deletion. */
  #isOwn(found: DraftConflict): boolean {
    if (found.version !== this.#version) return false;
    return found.draft === null ? this.#unsaved === null : found.draft.editor_id === this.#editorId;
  }
}
