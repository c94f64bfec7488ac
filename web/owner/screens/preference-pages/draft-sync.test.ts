import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '#contract/client.ts';
import type { DraftConflict } from '#contract/page-drafts.ts';
import { type DraftParts, DraftSync, type ServerDraft, type StoredForm, SETTLED_MS } from './draft-sync.ts';
import { parseStoredForm } from './page-draft-storage.ts';
import { emptyPage } from './pages.logic.ts';

const named = (name: string) => ({ ...emptyPage(), name });
const away = () => new ApiError(0, {}, null);
const EDITOR = 'this-window';
const standing = (revision: number, editor_id: string | null = null): ServerDraft => ({
  revision,
  editor_id,
  saved_at: '2026-11-21T12:04:00.000Z',
  saved_by: { id: '01930000-0000-7000-8000-000000000001', name: 'Nora' },
});
const THEIRS: DraftConflict = {
  version: 3,
  published_by: null,
  draft: { ...standing(9), base_version: 3 },
};
const conflict = (data = THEIRS) =>
  new ApiError(409, { data: { ...data }, meta: { errors: [{ code: 'conflict', message: '' }] } }, null);

/** A sync with a server that says what it is told to, and remembers what it got. */
function build(parts: Partial<DraftParts> = {}) {
  const calls: string[] = [];
  const failures: Error[] = [];
  const kept: { now: StoredForm | null } = { now: null };
  const answer = async (call: string) => {
    calls.push(call);
    const failure = failures.shift();
    if (failure) throw failure;
  };
  const sync = new DraftSync({
    server: {
      async save(form, { version, revision }) {
        await answer(`save ${form.name} on ${version}, ${revision}`);
        return standing((revision ?? 0) + 1);
      },
      discard: (revision) => answer(`discard ${revision}`),
    },
    browser: {
      write: (form) => (kept.now = form),
      clear: () => (kept.now = null),
    },
    editorId: EDITOR,
    version: 1,
    draft: null,
    conflict: null,
    ...parts,
  });
  return { sync, calls, failures, kept };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a draft', () => {
  it('is stored here at once, and on the server a second after the last change', async () => {
    const { sync, calls, kept } = build();
    sync.change(named('A'));
    await pass(SETTLED_MS - 1);
    sync.change(named('Ab'));
    expect(kept.now?.form.name).toBe('Ab');
    await pass(SETTLED_MS - 1);
    expect(calls).toEqual([]);
    await pass(1);
    expect(calls).toEqual(['save Ab on 1, null']);
    expect(sync.state()).toMatchObject({ kind: 'saved', draft: { revision: 1 } });
    expect(kept.now).toBeNull();
  });

  it('that is changed while it is being saved is saved again', async () => {
    const saved: string[] = [];
    const { sync } = build({
      server: {
        async save(form, { revision }) {
          saved.push(form.name);
          if (saved.length === 1) sync.change(named('Ab'));
          return standing((revision ?? 0) + 1);
        },
        discard: async () => {},
      },
    });
    sync.change(named('A'));
    await sync.flush();
    await pass(SETTLED_MS);
    expect(saved).toEqual(['A', 'Ab']);
    expect(sync.state()).toMatchObject({ kind: 'saved', draft: { revision: 2 } });
  });

  it('that equals the published page is no draft', async () => {
    const { sync, calls, kept } = build({ draft: standing(4) });
    sync.change(null);
    await pass(SETTLED_MS);
    expect(calls).toEqual(['discard 4']);
    expect(sync.state()).toEqual({ kind: 'none' });
    expect(kept.now).toBeNull();
  });

  it('that cannot be sent is kept here and retried automatically', async () => {
    const { sync, calls, failures, kept } = build();
    failures.push(away(), away());
    sync.change(named('A'));
    await pass(SETTLED_MS);
    expect(sync.state()).toEqual({ kind: 'away' });
    expect(kept.now?.form.name).toBe('A');
    await pass(60_000);
    expect(calls).toHaveLength(3);
    expect(sync.state()).toMatchObject({ kind: 'saved' });
  });

  it('that is rejected is kept here, and retried when it changes', async () => {
    const { sync, calls, failures, kept } = build();
    const refusal = new ApiError(422, { message: 'too long' }, null);
    failures.push(refusal);
    sync.change(named('A'));
    await pass(60_000);
    expect(sync.state()).toEqual({ kind: 'refused', error: refusal });
    expect(kept.now?.form.name).toBe('A');
    sync.change(named('B'));
    await pass(SETTLED_MS);
    expect(calls).toHaveLength(2);
    expect(sync.state()).toMatchObject({ kind: 'saved' });
  });

  it('that somebody else has saved is not sent again before one of both is chosen', async () => {
    const { sync, calls, failures, kept } = build();
    failures.push(conflict());
    sync.change(named('A'));
    await pass(SETTLED_MS);
    expect(sync.state()).toEqual({ kind: 'conflict', found: THEIRS });
    sync.change(named('Ab'));
    await pass(60_000);
    expect(calls).toHaveLength(1);
    expect(kept.now?.form.name).toBe('Ab');
    sync.overwrite(THEIRS, named('Ab'));
    await pass(0);
    expect(calls.at(-1)).toBe('save Ab on 3, 9');
    expect(sync.state()).toMatchObject({ kind: 'saved', draft: { revision: 10 } });
  });

  it('that was saved without an answer is recognized as one’s own at the next attempt', async () => {
    const { sync, calls, failures } = build();
    const mine = { version: 1, published_by: null, draft: { ...standing(1, EDITOR), base_version: 1 } };
    failures.push(away(), conflict(mine));
    sync.change(named('A'));
    await pass(60_000);
    expect(calls).toEqual(['save A on 1, null', 'save A on 1, null', 'save A on 1, 1']);
    expect(sync.state()).toMatchObject({ kind: 'saved', draft: { revision: 2 } });
  });

  it('that was discarded without an answer is gone', async () => {
    const { sync, calls, failures } = build({ draft: standing(4) });
    failures.push(away(), conflict({ version: 1, published_by: null, draft: null }));
    sync.change(null);
    await pass(60_000);
    expect(calls).toEqual(['discard 4', 'discard 4']);
    expect(sync.state()).toEqual({ kind: 'none' });
  });

  it('is not sent while its page is being published, and starts over afterwards', async () => {
    const { sync, calls } = build({ draft: standing(4) });
    sync.change(named('A'));
    expect(await sync.pause()).toEqual({ version: 1, revision: 4 });
    await pass(60_000);
    expect(calls).toEqual([]);
    sync.resume({ version: 2, draft: null });
    expect(sync.state()).toEqual({ kind: 'none' });
    sync.change(named('B'));
    await pass(SETTLED_MS);
    expect(calls).toEqual(['save B on 2, null']);
  });

  it('continues where publishing failed', async () => {
    const { sync, calls } = build();
    sync.change(named('A'));
    await sync.pause();
    sync.resume();
    await pass(SETTLED_MS);
    expect(calls).toEqual(['save A on 1, null']);
  });

  it('of a page that does not exist yet stays here', async () => {
    const { sync, kept } = build({ server: null, version: null });
    sync.change(named('A'));
    await pass(60_000);
    expect(sync.state()).toEqual({ kind: 'kept' });
    expect(kept.now?.form.name).toBe('A');
    sync.change(null);
    expect(sync.state()).toEqual({ kind: 'none' });
  });
});

describe('a draft in the browser’s storage', () => {
  it.each([null, '', 'null', '{', '[]', '{"form":{"name":1}}', '{"form":{"name":"A","attrs":{}}}'])(
    'is ignored when it is %s',
    (entry) => expect(parseStoredForm(entry)).toBeNull(),
  );

  it('has the default of every field that was added later', () => {
    const entry = JSON.stringify({
      form: { name: 'A', lists: [], attrs: { offer_pause: true } },
      revision: 2,
    });
    expect(parseStoredForm(entry)).toMatchObject({
      form: { name: 'A', custom_path: '', attrs: { offer_pause: true, unsubscribe_all: true } },
      version: null,
      revision: 2,
    });
  });
});
