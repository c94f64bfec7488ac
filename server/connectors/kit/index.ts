import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import { ConnectorError } from '../connector.ts';
import { defineConnector } from '../define.ts';
import { apply, resources, state, verify } from './api.ts';
import { inbound } from './inbound.ts';
import { people, setField } from './people.ts';
import { LOGO } from './logo.ts';

/** The limit is over a rolling minute, and the answer says no time. */
const WINDOW_SECONDS = 60;

export const kit = defineConnector({
  id: 'kit',
  name: 'ConvertKit',
  logo: LOGO,
  credentials: [
    {
      name: 'api_key',
      label: 'API key (V4)',
      help: 'In ConvertKit: Settings > Developer > V4 keys > Add a new key.',
      secret: true,
      pattern: /^[A-Za-z0-9_-]{16,200}$/,
      example: 'kit_0123456789abcdef0123456789abcdef',
    },
  ],
  connect: ({ api_key: key = '' }) => ({
    baseUrl: 'https://api.kit.com/v4',
    headers: { 'x-kit-api-key': key },
  }),
  oauth: {
    addresses: () => ({
      authorize: 'https://api.kit.com/v4/oauth/authorize',
      token: 'https://api.kit.com/v4/oauth/token',
    }),
    takes: [],
    authorizeWith: { response_type: 'code' },
    scopes: ['read', 'write'],
    scopeSeparator: ' ',
    // Known only for apps without a secret; ours has one (section 1).
    hasPkce: false,
    tokenCall: 'json',
    refreshWith: ['client', 'redirect_uri'],
    lifeSeconds: 3600,
    connect: (token) => ({
      baseUrl: 'https://api.kit.com/v4',
      headers: { authorization: `Bearer ${token}` },
    }),
  },
  limits: [{ requests: 120, perSeconds: WINDOW_SECONDS }],
  concurrency: 2,
  actions: {
    global_unsubscribe: {
      oneWay: true,
      irreversible:
        'Customers who are unsubscribed in ConvertKit can only resubscribe through one of your ConvertKit forms. Someone whom ConvertKit doesn’t have is added there as unsubscribed, so that no import subscribes them.',
    },
    tag: {
      note: 'New people are added to ConvertKit as active subscribers, without its confirmation email. A tag doesn’t resubscribe anyone who unsubscribed.',
      isNoteOfForward: true,
    },
    funnel: {
      oneWay: true,
      irreversible: 'ConvertKit’s API can’t remove people from a sequence.',
      note: 'A sequence doesn’t start for people who unsubscribed in ConvertKit. New people are added as active subscribers, without its confirmation email.',
    },
    switch_email: {
      note: 'If ConvertKit already has the new email, that subscriber gets the tags, and the old one is tagged and unsubscribed. Running sequences don’t move along.',
    },
    list: 'ConvertKit has no lists, and its API can’t remove people from a form. Use a tag.',
    suppression_group:
      'ConvertKit has no suppression groups: people are either unsubscribed from all or not at all.',
    automation:
      'ConvertKit’s API can’t add people to visual automations. Start the automation with a tag instead.',
  },
  failureOf({ status, headers }, now) {
    if (status === 401) {
      return new ConnectorError(
        'bad_credentials',
        'ConvertKit rejected the API key or the login, or your plan has no API access (401).',
      );
    }
    if (status !== 429) return null;
    const seconds = retryAfterSeconds(headers['retry-after'], now) ?? WINDOW_SECONDS;
    return new ConnectorError('rate_limited', 'ConvertKit allows no more calls right now (429).', seconds);
  },
  verify,
  resources,
  state,
  apply,
  writesBlindly: ({ type }) => type === 'tag' || type === 'funnel',
  inbound,
  people,
  setField,
  mergeTags: {
    email: '{{ subscriber.email_address }}',
    field: ({ id: key }) => `{{ subscriber.${key} }}`,
  },
});
