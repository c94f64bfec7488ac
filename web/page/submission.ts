import { z } from 'zod';
import { complaintText } from '#contract/complaints.ts';
import { LEAVE_REASONS, type LeaveReason } from '#contract/choices.ts';
import { listPreferences, type ListPreference } from '#contract/customers.ts';
import { id } from '#contract/fields.ts';
import { PENDING_KINDS, type PendingKind } from '#contract/pending-changes.ts';
import {
  DATA_KINDS,
  type DataKind,
  PAUSE_DAYS,
  type PauseLength,
  receipt,
} from '#contract/public-preferences.ts';
import { FIELD, type Intent, INTENTS, LINK_STATES, type LinkState } from './view.ts';

export type Saving = { customer: string; saveId: string };

/** A parsed plain form. Addresses are as typed; the server validates them. */
export type Submission =
  | { intent: 'find'; email: string }
  // `leavesAll`: Unsubscribe from all was pressed, and no list is on.
  | ({ intent: 'save'; lists: ListPreference[]; leavesAll: boolean } & Saving)
  | ({ intent: 'change_email'; newEmail: string } & Saving)
  | ({ intent: 'state'; state: LinkState; listId: string | null } & Saving)
  // Saves nothing, so it needs no identity.
  | { intent: 'language'; lists: ListPreference[]; leavesAll: boolean; customer: string }
  | ({ intent: 'resume' } & Saving)
  | ({ intent: 'data_request'; kind: DataKind } & Saving)
  | ({ intent: 'complain'; text: string } & Saving)
  | ({ intent: 'fresh_link' } & Saving)
  | ({ intent: 'resend'; kind: PendingKind } & Saving)
  | ({ intent: 'end_links' } & Saving)
  // `leavesAll`: of the link of a list that was deleted.
  | { intent: 'leave'; leavesAll: boolean }
  | { intent: 'wrong_recipient' }
  | { intent: 'confirm' }
  // From the landing of a link these come without a customer: there the link says who it is.
  | { intent: 'pause'; length: PauseLength; who: Saving | null }
  | { intent: 'undo'; receipt: string; who: Saving | null }
  | { intent: 'reason'; receipt: string; reason: LeaveReason; who: Saving | null };

type FormBody = Readonly<Record<string, unknown>>;

const MAX_ADDRESS = 320;
const saveId = z.string().regex(/^[\w-]{8,64}$/);
const saving = z.object({ customer: z.string().min(1).max(300), saveId });
const address = z.string().max(MAX_ADDRESS);

function all(body: FormBody, field: string): string[] {
  const value = body[field];
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
}

const first = (body: FormBody, field: string): string | undefined => all(body, field)[0];

function listsOf(body: FormBody, isOn: (listId: string) => boolean): ListPreference[] | null {
  const wanted = all(body, FIELD.list).map((listId) => ({
    notification_list_id: listId,
    subscribed: isOn(listId),
  }));
  const parsed = listPreferences.safeParse(wanted);
  return parsed.success ? parsed.data : null;
}

/** The lists of the page as their switches stand. */
function shownLists(form: FormBody): ListPreference[] | null {
  const on = new Set(all(form, FIELD.on));
  return listsOf(form, (listId) => on.has(listId));
}

/** Ignored if a list was switched on after it. */
const leavesAllOf = (form: FormBody) =>
  first(form, FIELD.leavesAll) === '1' && all(form, FIELD.on).length === 0;

/** Reads a form's body, repeated fields as arrays. null: not one of the page's forms. */
export function parseSubmission(body: unknown): Submission | null {
  if (typeof body !== 'object' || body === null) return null;
  const form = body as FormBody;
  const intent = z.enum(INTENTS).safeParse(first(form, FIELD.instead) ?? first(form, FIELD.intent));
  if (!intent.success) return null;

  if (intent.data === 'find') {
    const email = address.safeParse(first(form, FIELD.email) ?? '');
    return email.success ? { intent: 'find', email: email.data.trim() } : null;
  }
  if (isBare(intent.data)) return { intent: intent.data };
  if (intent.data === 'leave') return { intent: 'leave', leavesAll: leavesAllOf(form) };
  if (intent.data === 'language') return parseLanguage(form);
  const who = saving.safeParse({ customer: first(form, FIELD.customer), saveId: first(form, FIELD.saveId) });
  if (intent.data === 'pause' || intent.data === 'undo' || intent.data === 'reason') {
    return parseAfterwards(form, intent.data, who.data ?? null);
  }
  return who.success ? parseSaving(form, intent.data, who.data) : null;
}

/** A button of a page whose URL says everything else. */
type Bare = (typeof BARE)[number];
const BARE = ['wrong_recipient', 'confirm'] as const;

function isBare(intent: Intent): intent is Bare {
  return BARE.some((one) => one === intent);
}

function parseLanguage(form: FormBody): Submission | null {
  const customer = saving.shape.customer.safeParse(first(form, FIELD.customer));
  const lists = all(form, FIELD.list).length === 0 ? [] : shownLists(form);
  return customer.success && lists
    ? { intent: 'language', lists, leavesAll: leavesAllOf(form), customer: customer.data }
    : null;
}

/** The day is as typed; the server validates it. */
function pauseLengthOf(form: FormBody): PauseLength | null {
  const until = first(form, FIELD.until);
  if (until !== undefined) return { pause_until: until };
  const days = PAUSE_DAYS.find((one) => String(one) === first(form, FIELD.days));
  return days === undefined ? null : { pause_days: days };
}

function parseAfterwards(
  form: FormBody,
  intent: 'pause' | 'undo' | 'reason',
  who: Saving | null,
): Submission | null {
  if (intent === 'pause') {
    const length = pauseLengthOf(form);
    return length && { intent, length, who };
  }
  const proof = receipt.safeParse(first(form, FIELD.receipt));
  if (!proof.success) return null;
  if (intent === 'undo') return { intent, receipt: proof.data, who };
  const reason = z.enum(LEAVE_REASONS).safeParse(first(form, FIELD.reason));
  return reason.success ? { intent, receipt: proof.data, reason: reason.data, who } : null;
}

function parseSaving(
  form: FormBody,
  intent: Exclude<Intent, Bare | 'leave' | 'find' | 'language' | 'pause' | 'undo' | 'reason'>,
  who: Saving,
): Submission | null {
  switch (intent) {
    case 'save': {
      const lists = shownLists(form);
      return lists && { intent, lists, leavesAll: leavesAllOf(form), ...who };
    }
    case 'resume':
    case 'fresh_link':
    case 'end_links':
      return { intent, ...who };
    case 'unsubscribe_all': {
      const lists = listsOf(form, () => false);
      return lists && { intent: 'save', lists, leavesAll: true, ...who };
    }
    case 'change_email': {
      const email = address.safeParse(first(form, FIELD.newEmail) ?? '');
      return email.success ? { intent, newEmail: email.data.trim(), ...who } : null;
    }
    case 'data_request': {
      const kind = z.enum(DATA_KINDS).safeParse(first(form, FIELD.kind));
      return kind.success ? { intent, kind: kind.data, ...who } : null;
    }
    case 'complain': {
      const text = complaintText.safeParse(first(form, FIELD.text));
      return text.success ? { intent, text: text.data, ...who } : null;
    }
    case 'resend': {
      const kind = z.enum(PENDING_KINDS).safeParse(first(form, FIELD.kind));
      return kind.success ? { intent, kind: kind.data, ...who } : null;
    }
    case 'state': {
      const state = z.enum(LINK_STATES).safeParse(first(form, FIELD.state));
      const list = id.optional().safeParse(first(form, FIELD.list));
      return state.success && list.success
        ? { intent, state: state.data, listId: list.data ?? null, ...who }
        : null;
    }
  }
}
