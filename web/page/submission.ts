import { z } from 'zod';
import { listPreferences, type ListPreference } from '#contract/customers.ts';
import { id } from '#contract/fields.ts';
import { FIELD, INTENTS, type LinkState } from './view.ts';

type Saving = { customer: string; saveId: string };

/** What a plain form asked for. Addresses come as typed; the rules about them are the server's. */
export type Submission =
  | { intent: 'find'; email: string }
  | ({ intent: 'save'; lists: ListPreference[] } & Saving)
  | ({ intent: 'unsubscribe_all'; lists: ListPreference[] } & Saving)
  | ({ intent: 'change_email'; newEmail: string } & Saving)
  | ({ intent: 'state'; state: LinkState; listId: string | null } & Saving)
  | { intent: 'leave' }
  | { intent: 'undo'; undo: string };

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

/** Reads a form's body, repeated fields as arrays. null: not one of the page's forms. */
export function parseSubmission(body: unknown): Submission | null {
  if (typeof body !== 'object' || body === null) return null;
  const form = body as FormBody;
  const intent = z.enum(INTENTS).safeParse(first(form, FIELD.intent));
  if (!intent.success) return null;

  if (intent.data === 'find') {
    const email = address.safeParse(first(form, FIELD.email) ?? '');
    return email.success ? { intent: 'find', email: email.data.trim() } : null;
  }
  if (intent.data === 'leave') return { intent: 'leave' };
  if (intent.data === 'undo') {
    const undo = z.string().min(1).max(300).safeParse(first(form, FIELD.undo));
    return undo.success ? { intent: 'undo', undo: undo.data } : null;
  }
  const who = saving.safeParse({ customer: first(form, FIELD.customer), saveId: first(form, FIELD.saveId) });
  return who.success ? parseSaving(form, intent.data, who.data) : null;
}

function parseSaving(
  form: FormBody,
  intent: 'save' | 'unsubscribe_all' | 'change_email' | 'state',
  who: Saving,
): Submission | null {
  switch (intent) {
    case 'save': {
      const on = new Set(all(form, FIELD.on));
      const lists = listsOf(form, (listId) => on.has(listId));
      return lists && { intent, lists, ...who };
    }
    case 'unsubscribe_all': {
      const lists = listsOf(form, () => false);
      return lists && { intent, lists, ...who };
    }
    case 'change_email': {
      const email = address.safeParse(first(form, FIELD.newEmail) ?? '');
      return email.success ? { intent, newEmail: email.data.trim(), ...who } : null;
    }
    case 'state': {
      const state = z.enum(['subscribe', 'unsubscribe']).safeParse(first(form, FIELD.state));
      const list = id.optional().safeParse(first(form, FIELD.list));
      return state.success && list.success
        ? { intent, state: state.data, listId: list.data ?? null, ...who }
        : null;
    }
  }
}
