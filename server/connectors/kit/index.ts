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
      help: 'In ConvertKit: Settings, Developer, V4 keys, Add a new key.',
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
    // Known for apps without a secret alone; ours has one (section 1).
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
        'Who is unsubscribed in ConvertKit can come back only by themselves, through one of your ConvertKit forms.',
    },
    tag: {
      note: 'Someone whom ConvertKit does not know is added as an active subscriber, without its confirmation mail. A tag does not subscribe anybody again who has unsubscribed.',
    },
    funnel: {
      oneWay: true,
      irreversible: "ConvertKit's API cannot take a person out of a sequence.",
      note: 'A sequence is not started for people who have unsubscribed in ConvertKit. Someone whom it does not know is added as an active subscriber, without its confirmation mail.',
    },
    switch_email: {
      note: 'If ConvertKit has the new address already, that subscriber gets the tags and the old one is tagged and unsubscribed; sequences that are running do not move along.',
    },
    list: 'ConvertKit has no lists; it sorts people by tags, and its API cannot take anybody off a form: use a tag.',
    suppression_group:
      'ConvertKit has no suppression groups: a person is unsubscribed from everything or from nothing.',
    automation:
      "ConvertKit's API cannot put people into visual automations; let the automation start with a tag instead.",
  },
  failureOf({ status, headers }, now) {
    if (status === 401) {
      return new ConnectorError(
        'bad_credentials',
        'ConvertKit does not accept the API key or the login, or the plan has no access to the API (401).',
      );
    }
    if (status !== 429) return null;
    const seconds = retryAfterSeconds(headers['retry-after'], now) ?? WINDOW_SECONDS;
    return new ConnectorError('rate_limited', 'ConvertKit was called too often (429).', seconds);
  },
  verify,
  resources,
  state,
  apply,
  inbound,
  people,
  setField,
  mergeTags: {
    email: '{{ subscriber.email_address }}',
    field: ({ id: key }) => `{{ subscriber.${key} }}`,
  },
});
