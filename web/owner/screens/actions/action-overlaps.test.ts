import { describe, expect, it } from 'vitest';
import { overlapping } from '#contract/action-overlaps.ts';
import type { Action } from '#contract/actions.ts';
import { actionFormOf, ANY_LIST, ruleOf } from './actions.logic.ts';
import { anAction } from './an-action.ts';

const LISTS = [{ id: 'news' }, { id: 'offers' }];

const follows = (
  event: Action['trigger']['event'],
  list_ids: string[],
  more: Partial<Action> = {},
): Action => ({
  ...anAction({ trigger: { event, list_ids } }),
  id: [event, ...list_ids].join(' '),
  type: 'list',
  operation: event === 'subscribed' ? 'add' : 'remove',
  integration_id: 'brevo',
  target: { id: '7', name: 'Newsletter' },
  ...more,
});

const found = (rule: Action, ...others: Action[]) =>
  overlapping(rule, [rule, ...others], LISTS).map(({ id }) => id);

const onNews = follows('subscribed', ['news']);
const offNews = follows('unsubscribed', ['news']);
const onOffers = follows('subscribed', ['offers']);
const offOffers = follows('unsubscribed', ['offers']);

describe('actions overlap', () => {
  it('where they take customers of different lists from the same place, and nothing puts them there', () => {
    expect(found(offNews, offOffers)).toEqual([offOffers.id]);
    expect(found(offNews, onNews, offOffers)).toEqual([offOffers.id]);
    expect(found(offOffers, onNews, offNews)).toEqual([offNews.id]);
    expect(found(offNews, follows('unsubscribed', []))).toHaveLength(1);
    expect(found(offNews, follows('unsubscribed', ['offers', 'news']))).toHaveLength(1);
  });

  it('not where subscribers of each list are put there, who stay until they leave the last one', () => {
    expect(found(offNews, onNews, onOffers, offOffers)).toEqual([]);
    expect(found(offOffers, follows('subscribed', []), offNews)).toEqual([]);
  });

  it('in a suppression group, where both add', () => {
    const group = { type: 'suppression_group', operation: 'add' } as const;
    const other = follows('unsubscribed', ['offers'], group);
    expect(found(follows('unsubscribed', ['news'], group), other)).toEqual([other.id]);
    expect(found(follows('unsubscribed', ['news'], { ...group, operation: 'remove' }), other)).toEqual([]);
  });

  it.each([
    ['the lists are the same', follows('unsubscribed', ['news'], { id: 'same' })],
    ['it puts customers there', onOffers],
    ['it is off', { ...offOffers, enabled: false }],
    ['it is about another list of the tool', { ...offOffers, target: { id: '8', name: 'Offers' } }],
    ['it is in another account', { ...offOffers, integration_id: 'another' }],
    ['it is another kind', { ...offOffers, type: 'tag' as const }],
    ['its list is deleted', follows('unsubscribed', ['gone'])],
    ['it is about everything', follows('global_unsubscribed', [])],
  ])('not where %s', (_what, other) => {
    expect(found(offNews, other)).toEqual([]);
    expect(found({ ...other, id: 'own' }, offNews)).toEqual([]);
  });
});

describe('a form', () => {
  const form = actionFormOf(offNews);
  const of = (changed: Partial<typeof form>, id: string | null = null) =>
    overlapping(ruleOf({ ...form, ...changed }, id), [offNews, offOffers], LISTS).map((one) => one.id);

  it('overlaps like the action that it saves, but not with itself', () => {
    expect(of({})).toEqual([offOffers.id]);
    expect(of({ list_ids: [ANY_LIST] })).toEqual([offNews.id, offOffers.id]);
    expect(of({ list_ids: [ANY_LIST] }, offNews.id)).toEqual([offOffers.id]);
  });

  it('overlaps with nothing before its lists and target are chosen, or while it is off', () => {
    expect(of({ list_ids: [] })).toEqual([]);
    expect(of({ target: null })).toEqual([]);
    expect(of({ enabled: false })).toEqual([]);
    expect(of({ receiver: 'webhook', url: 'https://shop.example/hook' })).toEqual([]);
  });
});
