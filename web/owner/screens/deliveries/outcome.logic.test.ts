import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type DeliveryDetail, DELIVERY_OUTCOMES, FAILURE_CAUSES } from '#contract/deliveries.ts';
import { LANGUAGES } from '#contract/fields.ts';
import {
  hasResultSince,
  isReceiverGone,
  nextStepOf,
  outcomeKey,
  outcomeTone,
  reasonKey,
} from './outcome.logic.ts';

const CAUSES = [null, ...FAILURE_CAUSES];
const RECEIVERS = ['Brevo', null];

const combinations = DELIVERY_OUTCOMES.flatMap((outcome) =>
  CAUSES.flatMap((cause) => RECEIVERS.map((tool_name) => ({ outcome, cause, tool_name }))),
);

function textsOf(language: string): Record<string, string> {
  const file = new URL(`../../locales/${language}/deliveries.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { outcomes: Record<string, string> }).outcomes;
}

describe('the outcome of a delivery', () => {
  it.each(LANGUAGES)('is one sentence in every combination, in %s', (language) => {
    const texts = textsOf(language);
    // Of one whose attempts say that the receiver is gone.
    const used = new Set<string>(['endpoint_gone']);
    for (const [told, isByKey] of combinations.flatMap((one) => [
      [one, false] as const,
      [one, true] as const,
    ])) {
      const key = outcomeKey(told, isByKey);
      used.add(key);
      const text = texts[key]?.replaceAll('{{tool}}', 'Brevo').replaceAll('{{person}}', 'ada@example.com');
      expect(text, key).toMatch(/^[^{}]{8,}\.$/);
    }
    expect([...used].toSorted()).toEqual(Object.keys(texts).toSorted());
  });

  it.each(LANGUAGES)('never names a tool where there is none, in %s', (language) => {
    const texts = textsOf(language);
    const reachable = combinations.filter(
      ({ outcome, tool_name }) =>
        tool_name === null && ['on_its_way', 'retrying', 'received', 'failed', 'erased'].includes(outcome),
    );
    for (const told of reachable) expect(texts[outcomeKey(told)]).not.toContain('{{tool}}');
  });

  it('says for somebody whom the tool does not have that nothing needs to be done, and does not look like an error', () => {
    const told = { outcome: 'not_known', cause: null, tool_name: 'Brevo' } as const;
    expect(textsOf('en')[outcomeKey(told)]).toBe('No change needed: {{person}} isn’t in {{tool}}.');
    expect(outcomeTone('not_known')).toBe('neutral');
  });

  it('looks done only where it is', () => {
    const done = DELIVERY_OUTCOMES.filter((outcome) => outcomeTone(outcome) === 'success');
    expect(done).toEqual(['confirmed', 'accepted', 'received']);
    const wrong = DELIVERY_OUTCOMES.filter((outcome) => outcomeTone(outcome) === 'danger');
    expect(wrong).toEqual(['failed', 'tool_off', 'action_off']);
  });

  it('in a tool that is off names what to enter again', () => {
    const off = { outcome: 'tool_off', cause: null, tool_name: 'Brevo' } as const;
    expect([outcomeKey(off, false), outcomeKey(off, true)]).toEqual(['tool_off', 'tool_off_key']);
  });

  it('says why it is retried, and why it was given up', () => {
    const keysOf = (outcome: 'retrying' | 'failed', tool_name: string | null) =>
      CAUSES.map((cause) => outcomeKey({ outcome, cause, tool_name }));
    expect(keysOf('failed', 'Brevo')).toEqual([
      'failed',
      'failed_bad_credentials',
      'failed_refused',
      'failed_not_found',
      'failed_rate_limited',
      'failed_unavailable',
    ]);
    expect(keysOf('retrying', 'Brevo')).toEqual([
      'retrying',
      'retrying_bad_credentials',
      'retrying',
      'retrying',
      'retrying_rate_limited',
      'retrying_unavailable',
    ]);
    expect(keysOf('failed', null)).toEqual([
      'failed',
      'endpoint_failed_bad_credentials',
      'endpoint_failed_refused',
      'endpoint_failed_not_found',
      'endpoint_failed_rate_limited',
      'endpoint_failed_unavailable',
    ]);
  });
});

it('the receiver of a webhook is gone once the last attempt was answered with 410', () => {
  const attempt = (status: number) =>
    ({ response: { status, body: '' } }) as DeliveryDetail['attempts'][number];
  const isGone = (tool_name: string | null, ...statuses: number[]) =>
    isReceiverGone({ outcome: 'failed', tool_name, attempts: statuses.map(attempt) });
  expect([isGone(null, 503, 410), isGone(null, 410, 404), isGone('Brevo', 410), isGone(null)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it('a resent delivery has a result after an attempt, or once it ends without one', () => {
  const before = { attempt_count: 1, finished_at: '2026-11-21T09:00:00.000Z' };
  expect(hasResultSince(before, before)).toBe(false);
  expect(hasResultSince(before, { attempt_count: 1, finished_at: null })).toBe(false);
  expect(hasResultSince(before, { attempt_count: 2, finished_at: null })).toBe(true);
  expect(hasResultSince(before, { ...before, finished_at: '2026-11-21T10:00:00.000Z' })).toBe(true);
});

it('the reason why a delivery waits is shown for tools, where it is known', () => {
  const reasonsOf = (tool_name: string | null, isByKey: boolean) =>
    CAUSES.map((cause) => reasonKey({ outcome: 'retrying', cause, tool_name }, isByKey));
  const others = [null, null, 'rate_limited', 'unavailable'];
  expect(reasonsOf('Brevo', true)).toEqual([null, 'bad_key', ...others]);
  expect(reasonsOf('Salesforce', false)).toEqual([null, 'bad_credentials', ...others]);
  expect(reasonsOf(null, false)).toEqual(CAUSES.map(() => null));
});

describe('the next step', () => {
  const told = { action_id: 'a', attempt_count: 1, cause: null, tool_name: 'Brevo' } as const;

  it('after a failure is to remove its cause', () => {
    const failed = { ...told, status: 'failed', outcome: 'failed' } as const;
    expect(nextStepOf({ ...failed, cause: 'bad_credentials' })).toBe('credentials');
    expect(nextStepOf({ ...failed, cause: 'not_found' })).toBe('target');
    expect(nextStepOf({ ...failed, cause: 'unavailable', tool_name: null })).toBe('endpoint');
    expect(nextStepOf({ ...failed, outcome: 'action_off' })).toBe('action_off');
  });

  it('for a webhook whose receiver is gone is its URL, as long as the action is off', () => {
    const failed = { ...told, status: 'failed', outcome: 'failed', cause: 'not_found' } as const;
    expect(nextStepOf({ ...failed, tool_name: null }, true)).toBe('gone');
    expect(nextStepOf({ ...failed, tool_name: null }, false)).toBe('endpoint');
  });

  it('is empty for what arrived, or whose action was deleted', () => {
    expect(nextStepOf({ ...told, status: 'arrived', outcome: 'confirmed' })).toBeNull();
    expect(nextStepOf({ ...told, status: 'failed', outcome: 'failed', action_id: null })).toBeNull();
  });

  it('is empty for what test mode held back after an attempt: its outcome says what to do', () => {
    expect(nextStepOf({ ...told, status: 'waiting', outcome: 'held' })).toBeNull();
    expect(nextStepOf({ ...told, status: 'arrived', outcome: 'test' })).toBeNull();
  });

  it('for a retried delivery happens automatically', () => {
    const waiting = { ...told, status: 'waiting', outcome: 'retrying' } as const;
    expect(nextStepOf(waiting)).toBe('automatic');
    expect(nextStepOf({ ...waiting, cause: 'unavailable' })).toBe('automatic');
    expect(nextStepOf({ ...waiting, cause: 'bad_credentials', tool_name: null })).toBe('automatic');
  });

  it('for rejected credentials is to enter new ones, though the delivery is retried', () => {
    const waiting = { ...told, status: 'waiting', outcome: 'retrying', cause: 'bad_credentials' } as const;
    expect(nextStepOf(waiting)).toBe('new_credentials');
    expect(nextStepOf({ ...waiting, attempt_count: 0 })).toBeNull();
  });
});
