import { describe, expect, test } from 'vitest';
import type { StoredAttempt } from '#contract/deliveries.ts';
import { askedOf, differencesOf } from './asked.logic.ts';

const change = (name: string, shown: boolean | null = null) => ({
  type: 'tag' as const,
  operation: 'remove',
  target: { id: name, name },
  email: 'nora@example.com',
  previous_email: null,
  shown,
});

function attempt(parts: Partial<StoredAttempt> = {}): StoredAttempt {
  return {
    number: 1,
    started_at: '2026-11-20T09:00:00Z',
    duration_ms: 100,
    outcome: 'arrived',
    request: { method: 'POST', url: 'https://tool.example/tags', headers: {}, body: '{}' },
    response: { status: 200, body: '' },
    error: null,
    changes: [change('weekly')],
    content_deleted_at: null,
    ...parts,
  };
}

describe('the request to a tool', () => {
  test('is that of the last attempt that had one', () => {
    const attempts = [attempt(), attempt({ changes: [change('monthly', false)] }), attempt({ changes: [] })];
    expect(askedOf({ outcome: 'checking', attempts })).toEqual([change('monthly', false)]);
  });

  test('counts as applied once the tool confirmed it later', () => {
    const attempts = [attempt({ changes: [change('weekly', false)] })];
    expect(askedOf({ outcome: 'confirmed', attempts })).toEqual([change('weekly', true)]);
  });

  test('is empty where nothing is stored', () => {
    expect(askedOf({ outcome: 'confirmed', attempts: [attempt({ changes: [] })] })).toEqual([]);
  });
});

describe('an attempt', () => {
  test('like the previous one has no differences, whatever its headers and what the tool showed', () => {
    const { request } = attempt();
    const again = attempt({
      request: { ...request, headers: { 'webhook-timestamp': '2' } },
      changes: [change('weekly', true)],
    });
    expect(differencesOf(attempt(), again)).toBeNull();
  });

  test('differs in its request, its URL, its body and the response', () => {
    const before = attempt({ response: null });
    const request = { ...before.request, url: 'https://tool.example/other', body: '{"a":1}' };
    expect(differencesOf(before, attempt({ request, changes: [change('monthly')] }))).toEqual({
      asked: { before: [change('weekly')], now: [change('monthly')] },
      url: { before: 'https://tool.example/tags', now: 'https://tool.example/other' },
      isOtherBody: true,
      status: { before: null, now: 200 },
    });
  });

  test('is not compared with one whose content is deleted', () => {
    const deleted = attempt({ content_deleted_at: '2026-11-21T00:00:00Z', response: null });
    expect(differencesOf(deleted, attempt())).toBeNull();
  });
});
