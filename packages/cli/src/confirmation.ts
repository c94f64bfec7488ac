import { createHash } from 'node:crypto';
import type { BulkChange } from '#contract/bulk-changes.ts';
import type { ChoicePreview } from '#contract/choice-previews.ts';

/** How long a person may take to read a preview and confirm it. */
const VALID_MINUTES = 60;

/** What was previewed is no longer what would happen; the message says what to do. */
export class OutdatedPreview extends Error {}

/** What a preview says would happen, without what is another at each time it is asked for. */
export function contentOfChoice({ customer, choices }: ChoicePreview): unknown {
  return {
    customer: customer.id,
    choices: choices.map((choice) => ({
      lists: choice.lists.map(({ list_id, subscribed }) => [list_id, subscribed]),
      state: [choice.events, choice.global_unsubscribe, choice.paused_until, choice.needs_confirmation],
      actions: choice.actions.map(({ action_id, no_calls_because, changes }) => [
        action_id,
        no_calls_because,
        changes,
      ]),
    })),
  };
}

/** This one preview of an undo, and no other that was worked out later. */
export function contentOfUndo({ id, undo }: BulkChange): unknown {
  return { id, at: undo?.updated_at, counts: undo?.counts, tells: undo?.tells };
}

function codeAt(content: unknown, minute: number): string {
  const text = JSON.stringify([minute, content]);
  return `${minute.toString(36)}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

const minuteOf = (now: Date) => Math.floor(now.getTime() / 60_000);

/** Names a preview: with it, a person confirms what they read and nothing else. */
export function codeOf(content: unknown, now = new Date()): string {
  return codeAt(content, minuteOf(now));
}

/**
 * @param code of the preview that somebody confirms
 * @param content what would happen now
 * @throws OutdatedPreview for another preview, or one that is older than an hour
 */
export function requirePreviewed(code: string, content: unknown, now = new Date()): void {
  const minute = Number.parseInt(/^([0-9a-z]{1,8})-/.exec(code)?.[1] ?? '', 36);
  if (code !== codeAt(content, minute)) {
    throw new OutdatedPreview(
      'What would happen is no longer what the preview showed. Nothing was changed. Preview it again.',
    );
  }
  const age = minuteOf(now) - minute;
  if (age > VALID_MINUTES || age < -1) {
    throw new OutdatedPreview(
      `This preview is older than ${VALID_MINUTES} minutes. Nothing was changed. Preview it again.`,
    );
  }
}
