import type { ActionPlan, PreviewedChoice } from '#contract/choice-previews.ts';
import { email } from '#contract/fields.ts';
import type { PauseDays } from '#contract/public-preferences.ts';

export const CHOICE_KINDS = ['lists', 'leave', 'come_back', 'pause', 'email'] as const;
export type ChoiceKind = (typeof CHOICE_KINDS)[number];

export interface WhatIfForm {
  who: 'known' | 'new';
  customer: { id: string; email: string } | null;
  /** Of a new customer. */
  newEmail: string;
  kind: ChoiceKind;
  /** The switches that were moved, by list. */
  moved: Readonly<Record<string, boolean>>;
  pauseDays: PauseDays;
  /** What the email is changed to. */
  email: string;
}

export type WhatIfField = 'customer' | 'newEmail' | 'email' | 'lists';

/** A list as the page would show it to the customer. */
export interface ShownList {
  id: string;
  name: string;
  subscribed: boolean;
}

const isEmail = (typed: string) => email.safeParse(typed.trim()).success;

/** The fields that have to be filled in before there is something to preview. */
export function whatIfProblems(form: WhatIfForm, lists: readonly ShownList[]): WhatIfField[] {
  return [
    ...(form.who === 'known' && form.customer === null ? (['customer'] as const) : []),
    ...(form.who === 'new' && !isEmail(form.newEmail) ? (['newEmail'] as const) : []),
    ...(form.kind === 'email' && !isEmail(form.email) ? (['email'] as const) : []),
    ...(form.kind === 'lists' && lists.length === 0 ? (['lists'] as const) : []),
  ];
}

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
    case 'come_back':
      return { global_unsubscribe: form.kind === 'leave' };
    case 'pause':
      return { pause_days: form.pauseDays };
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
