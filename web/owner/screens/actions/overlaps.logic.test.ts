import { describe, expect, it } from 'vitest';
import type { Action } from '#contract/actions.ts';
import { actionFormOf, ANY_LIST } from './actions.logic.ts';
import { anAction } from './an-action.ts';
import { overlapping, ruleOf } from './overlaps.logic.ts';

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
  it('where they follow different lists into the same list, and one removes', () => {
    expect(found(onNews, offNews, onOffers, offOffers)).toEqual([offOffers.id]);
    expect(found(offNews, onNews, onOffers, offOffers)).toEqual([onOffers.id, offOffers.id]);
    expect(found(offNews, follows('subscribed', []))).toHaveLength(1);
    expect(found(offNews, follows('unsubscribed', ['offers', 'news']))).toHaveLength(1);
  });

  it('in a suppression group, where one adds', () => {
    const group = { type: 'suppression_group', operation: 'add' } as const;
    const other = follows('subscribed', ['offers'], { ...group, operation: 'remove' });
    expect(found(follows('unsubscribed', ['news'], group), other)).toEqual([other.id]);
    expect(found(follows('subscribed', ['news'], { ...group, operation: 'remove' }), other)).toEqual([]);
  });

  it.each([
    ['the lists are the same', follows('subscribed', ['news'])],
    ['it is off', { ...onOffers, enabled: false }],
    ['it is about another list of the tool', { ...onOffers, target: { id: '8', name: 'Offers' } }],
    ['it is in another account', { ...onOffers, integration_id: 'another' }],
    ['it is another kind', { ...onOffers, type: 'tag' as const }],
    ['its list is deleted', follows('subscribed', ['gone'])],
    ['it is about everything', follows('global_unsubscribed', [])],
  ])('not where %s', (_what, other) => {
    expect(found(offNews, other)).toEqual([]);
    expect(found({ ...other, id: 'own' }, offNews)).toEqual([]);
  });
});

describe('a form', () => {
  const form = actionFormOf(offNews);
  const of = (changed: Partial<typeof form>, id: string | null = null) =>
    overlapping(ruleOf({ ...form, ...changed }, id), [offNews, onOffers], LISTS).map((one) => one.id);

  it('overlaps like the action that it saves, but not with itself', () => {
    expect(of({})).toEqual([onOffers.id]);
    expect(of({ list_ids: [ANY_LIST] })).toEqual([offNews.id, onOffers.id]);
    expect(of({ list_ids: [ANY_LIST] }, offNews.id)).toEqual([onOffers.id]);
  });

  it('overlaps with nothing before its lists and target are chosen, or while it is off', () => {
    expect(of({ list_ids: [] })).toEqual([]);
    expect(of({ target: null })).toEqual([]);
    expect(of({ enabled: false })).toEqual([]);
    expect(of({ receiver: 'webhook', url: 'https://shop.example/hook' })).toEqual([]);
  });
});
