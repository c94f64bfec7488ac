import { expect, it } from 'vitest';
import type { ActionPlan } from '#contract/choice-previews.ts';
import {
  bySending,
  choiceOf,
  customerOf,
  kindsFor,
  type WhatIfForm,
  whatIfProblems,
} from './what-if.logic.ts';

const form: WhatIfForm = {
  who: 'known',
  customer: { id: 'vera', email: 'vera@example.com' },
  newEmail: '',
  kind: 'lists',
  moved: { offers: true },
  pause: 30,
  pauseUntil: '',
  email: '',
  confirmChanges: false,
};

const lists = [
  { id: 'weekly', name: 'Weekly', subscribed: true },
  { id: 'offers', name: 'Offers', subscribed: false },
];

it.each<[Partial<WhatIfForm>, object]>([
  [
    {},
    {
      lists: [
        { notification_list_id: 'weekly', subscribed: true },
        { notification_list_id: 'offers', subscribed: true },
      ],
    },
  ],
  [
    { kind: 'leave' },
    {
      lists: [
        { notification_list_id: 'weekly', subscribed: false },
        { notification_list_id: 'offers', subscribed: false },
      ],
      global_unsubscribe: true,
    },
  ],
  [{ kind: 'come_back' }, { global_unsubscribe: false }],
  [{ kind: 'pause', pause: 90 }, { pause_days: 90 }],
  [{ kind: 'pause', pause: 'until', pauseUntil: '2027-03-01' }, { pause_until: '2027-03-01' }],
  [{ kind: 'wrong_recipient' }, { wrong_recipient: true }],
  [{ kind: 'email', email: ' new@example.com ' }, { email: 'new@example.com' }],
])('the choice of %j', (changes, expected) => {
  expect(choiceOf({ ...form, ...changes }, lists)).toEqual(expected);
});

it.each<[Partial<WhatIfForm>, string[]]>([
  [{}, []],
  [{ customer: null }, ['customer']],
  [{ who: 'new', newEmail: 'nobody' }, ['newEmail']],
  [{ who: 'new', newEmail: 'new@example.com', customer: null }, []],
  [{ kind: 'email' }, ['email']],
  [{ kind: 'pause', pauseUntil: '' }, []],
  [{ kind: 'pause', pause: 'until', pauseUntil: '' }, ['pauseUntil']],
  [{ kind: 'pause', pause: 'until', pauseUntil: '2027-01-07' }, ['pauseUntil']],
  [{ kind: 'pause', pause: 'until', pauseUntil: '2027-01-08' }, []],
  [{ kind: 'pause', pause: 'until', pauseUntil: '2028-01-01' }, []],
  [{ kind: 'pause', pause: 'until', pauseUntil: '2028-01-02' }, ['pauseUntil']],
])('the missing parts of %j', (changes, expected) => {
  expect(whatIfProblems({ ...form, ...changes }, lists, new Date('2027-01-01T15:00:00Z'))).toEqual(expected);
});

it('a new customer is identified by the email', () => {
  expect(customerOf({ ...form, who: 'new', newEmail: ' new@example.com' })).toEqual({
    email: 'new@example.com',
  });
  expect(customerOf(form)).toEqual({ id: 'vera' });
});

it('a tool that cannot be read is shown among those that may receive something', () => {
  const plan = (no_calls_because: ActionPlan['no_calls_because']) => ({ no_calls_because }) as ActionPlan;
  const [call, unread, off] = [plan(null), plan('unreadable'), plan('disabled')];
  expect(bySending([call, unread, off])).toEqual({ sends: [call, unread], rests: [off] });
});

it('an unknown person cannot be a wrong recipient', () => {
  expect(kindsFor({ who: 'known' })).toContain('wrong_recipient');
  expect(kindsFor({ who: 'new' })).not.toContain('wrong_recipient');
});

it('without lists, leaving is about everything', () => {
  expect(choiceOf({ ...form, kind: 'leave' }, [])).toEqual({ global_unsubscribe: true });
});
