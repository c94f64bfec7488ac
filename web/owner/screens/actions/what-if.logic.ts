import type { ActionPlan, PreviewedChoice } from '#contract/choice-previews.ts';
import { email } from '#contract/fields.ts';
import { PAUSE_UNTIL, type PauseDays } from '#contract/public-preferences.ts';

export const CHOICE_KINDS = ['lists', 'leave', 'come_back', 'pause', 'email', 'wrong_recipient'] as const;
export type ChoiceKind = (typeof CHOICE_KINDS)[number];

export interface WhatIfForm {
  who: 'known' | 'new';
  customer: { id: string; email: string } | null;
  /** Of a new customer. */
  newEmail: string;
  kind: ChoiceKind;
  /** The switches that were moved, by list. */
  moved: Readonly<Record<string, boolean>>;
  pause: PauseDays | 'until';
  /** The day, as in 2027-03-01. */
  pauseUntil: string;
  /** What the email is changed to. */
  email: string;
  /** They only typed their email, on a page that asks to confirm changes. */
  confirmChanges: boolean;
}

export type WhatIfField = 'customer' | 'newEmail' | 'pauseUntil' | 'email' | 'lists';

/** A list as the page would show it to the customer. */
export interface ShownList {
  id: string;
  name: string;
  subscribed: boolean;
}

const DAY_MS = 86_400_000;

/** A pause may end on such a day; see `pauseEnd` of the server. */
function isPauseDay(day: string, now: Date): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return false;
  const days = Date.parse(`${day}T00:00:00Z`) / DAY_MS - Math.floor(now.getTime() / DAY_MS);
  return days >= PAUSE_UNTIL.minDays && days <= PAUSE_UNTIL.maxDays;
}

/** A new customer has got no email yet whose recipient could be wrong. */
export function kindsFor({ who }: Pick<WhatIfForm, 'who'>): readonly ChoiceKind[] {
  return who === 'known' ? CHOICE_KINDS : CHOICE_KINDS.filter((kind) => kind !== 'wrong_recipient');
}

const isEmail = (typed: string) => email.safeParse(typed.trim()).success;

/** The fields that have to be filled in before there is something to preview. */
export function whatIfProblems(form: WhatIfForm, lists: readonly ShownList[], now: Date): WhatIfField[] {
  const isUntil = form.kind === 'pause' && form.pause === 'until';
  return [
    ...(form.who === 'known' && form.customer === null ? (['customer'] as const) : []),
    ...(form.who === 'new' && !isEmail(form.newEmail) ? (['newEmail'] as const) : []),
    ...(isUntil && !isPauseDay(form.pauseUntil, now) ? (['pauseUntil'] as const) : []),
    ...(form.kind === 'email' && !isEmail(form.email) ? (['email'] as const) : []),
    ...(form.kind === 'lists' && lists.length === 0 ? (['lists'] as const) : []),
  ];
}

const off = ({ id }: ShownList) => ({ notification_list_id: id, subscribed: false });

/** As the page would send it: all its switches, those that were not moved too. */
export function choiceOf(form: WhatIfForm, lists: readonly ShownList[]): PreviewedChoice {
  switch (form.kind) {
    case 'lists':
      return {
        lists: lists.map(({ id, subscribed }) => ({
          notification_list_id: id,
          subscribed: form.moved[id] ?? subscribed,
        })),
      };
    case 'leave':
      return { ...(lists.length > 0 && { lists: lists.map(off) }), global_unsubscribe: true };
    case 'come_back':
      return { global_unsubscribe: false };
    case 'pause':
      return form.pause === 'until' ? { pause_until: form.pauseUntil } : { pause_days: form.pause };
    case 'wrong_recipient':
      return { wrong_recipient: true };
    case 'email':
      return { email: form.email.trim() };
  }
}

export function customerOf({ who, customer, newEmail }: WhatIfForm): { id: string } | { email: string } {
  return who === 'known' && customer !== null ? { id: customer.id } : { email: newEmail.trim() };
}

/** What would send something, and what would not. An unreadable tool may be told something. */
export function bySending(plans: readonly ActionPlan[]): { sends: ActionPlan[]; rests: ActionPlan[] } {
  const sends = (plan: ActionPlan) =>
    plan.no_calls_because === null || plan.no_calls_because === 'unreadable';
  return { sends: plans.filter(sends), rests: plans.filter((plan) => !sends(plan)) };
}
