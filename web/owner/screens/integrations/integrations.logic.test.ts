import { describe, expect, it, test } from 'vitest';
import { ApiError } from '#contract/client.ts';
import type { ConnectorInfo } from '#contract/integrations.ts';
import {
  fieldOfRefusal,
  inOrder,
  mayStartAutomations,
  needsSecret,
  lacksWebhook,
  addedReason,
  noticeOf,
  placeOf,
  sentenceOf,
  standingOf,
} from './integrations.logic.ts';
import { hasErrorCode } from '../../api/error-codes.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const well = {
  status: 'connected',
  rests_until: null,
  failing_since: null,
  webhook_state: 'registered',
} as const;

describe('the state of an integration', () => {
  test.each([
    ['connected', well],
    ['connected', { ...well, webhook_state: 'by_hand' }],
    ['connected', { ...well, webhook_state: null }],
    ['preparing', { ...well, webhook_state: 'pending' }],
    ['unheard', { ...well, webhook_state: 'missing' }],
    ['failing', { ...well, webhook_state: 'missing', failing_since: '2026-11-21T11:00:00Z' }],
    ['resting', { ...well, rests_until: '2026-11-21T12:05:00Z', failing_since: '2026-11-21T11:00:00Z' }],
    ['failing', { ...well, rests_until: '2026-11-21T11:55:00Z', failing_since: '2026-11-21T11:00:00Z' }],
    ['credentials_refused', { ...well, status: 'credentials_refused', rests_until: '2026-11-21T12:05:00Z' }],
    ['switched_off', { ...well, status: 'switched_off' }],
  ] as const)('is %s', (standing, integration) => {
    expect(standingOf(integration, NOW)).toBe(standing);
  });

  it('names what was rejected: the only key, the credentials, or the login', () => {
    const asking = (...names: string[]) => ({
      credentials: names.map((name) => ({
        name,
        label: name,
        help: '',
        secret: true,
        example: '',
        choices: name === 'region' ? { global: 'Global', eu: 'EU' } : null,
      })),
    });
    const refused = (by: 'credentials' | 'oauth', ...names: string[]) =>
      noticeOf('credentials_refused', by, asking(...names));
    expect(refused('credentials', 'api_key')).toBe('key_refused');
    expect(refused('credentials', 'api_key', 'region')).toBe('key_refused');
    expect(refused('credentials', 'api_url', 'api_key')).toBe('credentials_refused');
    expect(refused('oauth', 'api_key')).toBe('access_ended');
    expect(noticeOf('credentials_refused', 'credentials', undefined)).toBe('credentials_refused');
    expect(noticeOf('switched_off', 'credentials', asking('api_key'))).toBe('key_switched_off');
    expect(noticeOf('switched_off', 'credentials', asking('api_url', 'api_key'))).toBe('switched_off');
  });

  it('shows the tool’s message without repeating the notice', () => {
    const refused = (reason: string | null) => addedReason('credentials_refused', reason);
    expect(refused(null)).toBe('');
    expect(refused('SendGrid rejected the API key (401).')).toBe('');
    const more = 'It may have been deleted, or be limited to certain IP addresses.';
    expect(refused(`Brevo rejected the API key (401). ${more}`)).toBe(more);
    expect(refused('Salesforce rejected the app (invalid_client).')).toBe(
      'Salesforce rejected the app (invalid_client).',
    );
    expect(addedReason('failing', 'Brevo rejected the request (400).')).toBe(
      'Brevo rejected the request (400).',
    );
  });
});

describe('a refusal', () => {
  it('is shown beside the credential that it names', () => {
    expect(fieldOfRefusal('credentials.account_id', ['api_key', 'account_id'])).toBe('account_id');
  });

  it('of all credentials is shown beside the only one, or above the buttons', () => {
    expect(fieldOfRefusal('credentials', ['api_key'])).toBe('api_key');
    expect(fieldOfRefusal('credentials', ['api_key', 'account_id'])).toBeNull();
    expect(fieldOfRefusal('name', ['api_key'])).toBeNull();
  });

  it('does not name its field twice', () => {
    expect(sentenceOf({ message: 'credentials: the key is wrong.', field: 'credentials' })).toBe(
      'The key is wrong.',
    );
    expect(sentenceOf({ message: 'Brevo is away.' })).toBe('Brevo is away.');
  });

  it('is recognized by its code', () => {
    const error = new ApiError(
      409,
      { message: '', meta: { errors: [{ code: 'conflict', message: '' }] } },
      null,
    );
    expect(hasErrorCode(error, 'conflict')).toBe(true);
    expect(hasErrorCode(new Error('conflict'), 'conflict')).toBe(false);
  });
});

it('tools named in the survey come first, connected ones last, the rest in its order', () => {
  const tools = ['Brevo', 'Drip', 'Kit', 'Mailchimp'].map(
    (name) => ({ id: name.toLowerCase(), name }) as ConnectorInfo,
  );
  const names = (named: string[], connected: string[] = []) =>
    inOrder(tools, { named, connected: new Set(connected) }).map(({ name }) => name);
  expect(names(['Mailchimp', 'Drip', 'My own tool'])).toEqual(['Drip', 'Mailchimp', 'Brevo', 'Kit']);
  expect(names([])).toEqual(['Brevo', 'Drip', 'Kit', 'Mailchimp']);
  expect(names(['Mailchimp', 'Drip'], ['drip', 'brevo'])).toEqual(['Mailchimp', 'Kit', 'Brevo', 'Drip']);
});

test.each([
  ['global_unsubscribe', 'all'],
  ['suppression_group', 'member'],
  ['automation', 'member'],
  ['list', 'list'],
  ['tag', 'tag'],
] as const)('a difference about %s uses the words for %s', (type, place) => {
  expect(placeOf({ type })).toBe(place);
});

describe('a webhook must be set up', () => {
  const needed = { webhook_secret: 'needed', tells_us: 'webhook' } as const;
  const none = { webhook_secret: 'none', tells_us: 'webhook' } as const;
  const standing = (
    webhook_state: 'registered' | 'by_hand' | 'pending' | 'missing' | null,
    hasSecret = true,
  ) => ({
    webhook_state,
    has_webhook_secret: hasSecret,
  });

  test('until we have registered it, or the tool has called', () => {
    const states = ['pending', 'missing', 'registered', 'by_hand'] as const;
    expect(states.map((state) => lacksWebhook(standing(state), none))).toEqual([true, true, false, false]);
  });

  test('again where its secret is gone, without which calls are rejected', () => {
    expect(needsSecret(standing('registered', false), needed)).toBe(true);
    expect(lacksWebhook(standing('registered', false), needed)).toBe(true);
    expect(needsSecret(standing('registered', false), none)).toBe(false);
  });

  test('never for a tool that we poll', () => {
    expect(lacksWebhook(standing(null, false), { ...none, tells_us: 'poll' })).toBe(false);
  });
});

it('only joining a list or getting a tag in the tool may start automations', () => {
  const of = (type: 'list' | 'tag' | 'global_unsubscribe', on: boolean, where: 'tool' | 'here' = 'tool') => [
    { change: { in: where, type, target: null, on, list_ids: [] } },
  ];
  expect(mayStartAutomations([...of('list', false), ...of('list', true)])).toBe(true);
  expect(mayStartAutomations(of('tag', true))).toBe(true);
  const others = [
    of('list', false),
    of('tag', false),
    of('global_unsubscribe', true),
    of('list', true, 'here'),
  ];
  expect(mayStartAutomations(others.flat())).toBe(false);
});
