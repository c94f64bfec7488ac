import { defineConnector } from '#server/connectors/define.ts';
import { failureOf, readState, resourcesOf, verifyAccount } from './api.ts';
import { applyMany, batchSize } from './batches.ts';
import { applyChange, setField } from './changes.ts';
import { isGenuine, parseEvents } from './inbound.ts';
import { readPeople } from './people.ts';
import { places } from './webhook.ts';
import { LOGO } from './logo.ts';

export const brevo = defineConnector({
  id: 'brevo',
  name: 'Brevo',
  logo: LOGO,
  credentials: [
    {
      name: 'api_key',
      label: 'API key',
      help: 'In Brevo: your name > SMTP & API > API Keys > Generate a new API key. It starts with xkeysib-.',
      secret: true,
      pattern: /^xkeysib-[A-Za-z0-9-]{10,200}$/,
      example: 'xkeysib-0123456789abcdef0123456789abcdef-AbCdEfGh12345678',
    },
  ],
  connect: ({ api_key = '' }) => ({
    baseUrl: 'https://api.brevo.com/v3',
    headers: { 'api-key': api_key },
  }),
  oauth: {
    addresses: () => ({
      authorize: 'https://oauth.brevo.com/realms/partner/oauth/authorize',
      token: 'https://oauth.brevo.com/realms/partner/oauth/token',
    }),
    takes: [],
    authorizeWith: { response_type: 'code' },
    // To write does not mean to read; `/account` has a scope of its own.
    scopes: ['account:read', 'contacts:read', 'contacts:write'],
    scopeSeparator: ' ',
    hasPkce: true,
    tokenCall: 'form',
    refreshWith: ['client'],
    lifeSeconds: 3600,
    connect: (token) => ({
      baseUrl: 'https://api.brevo.com/v3',
      headers: { authorization: `Bearer ${token}` },
    }),
  },
  // Of contacts and their lists, on general plans. `/account` has 100 an hour of its own; only `verify` asks it (S3).
  limits: [
    { requests: 10, perSeconds: 1 },
    { requests: 36_000, perSeconds: 3600 },
  ],
  concurrency: 5,
  actions: {
    global_unsubscribe: {
      note: 'This sets and lifts the block for marketing emails. Brevo blocks transactional emails and SMS separately.',
    },
    list: {
      note: 'Adding someone to a list doesn’t lift their block if they unsubscribed from all emails.',
      isNoteOfForward: true,
    },
    switch_email: {
      deletes: true,
      irreversible:
        'If both emails are already contacts in Brevo, we merge them: the new one gets the lists and blocks. The old one is deleted, or stays blocked and without lists if it was blocked.',
    },
    tag: 'Brevo has no contact tags. Use its lists instead.',
    suppression_group: 'Brevo’s API can’t add a single person to a consent group.',
    automation:
      'Brevo’s API can’t list automations or add people to them. Start the automation when someone joins a list.',
    funnel: 'Brevo has no funnels or sequences apart from its automations.',
  },
  failureOf,
  verify: verifyAccount,
  resources: resourcesOf,
  state: readState,
  apply: applyChange,
  batchSize,
  applyMany,
  inbound: {
    kind: 'webhook',
    secret: 'needed',
    takesAnySecret: true,
    setup:
      'In Brevo: Integrations > Webhooks. Create a webhook with this URL. Choose the events for unsubscribes, spam complaints, hard bounces, contacts added to a list and updated contacts. Choose token authentication and enter the webhook secret that you generate in Sayso.',
    places,
    isGenuine,
    parse: parseEvents,
  },
  people: {
    can: true,
    of: ['lists'],
    exportsUnsubscribed: false,
    note: 'Brevo blocks people for unsubscribes, bounces and complaints without saying which. We import them as receiving nothing, not as unsubscribed.',
    read: readPeople,
  },
  setField,
  mergeTags: { email: '{{ contact.EMAIL }}', field: ({ id }) => `{{ contact.${id} }}` },
});
