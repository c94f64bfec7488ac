import { defineConnector } from '#server/connectors/define.ts';
import { failureOf, readState, resourcesOf, verifyAccount } from './api.ts';
import { applyMany, batchSize } from './batches.ts';
import { applyChange, setField } from './changes.ts';
import { isGenuine, parseEvents } from './inbound.ts';
import { readPeople } from './people.ts';
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
      note: 'This sets and lifts the block for marketing emails. Transactional emails and SMS have blocks of their own in Brevo.',
    },
    list: {
      note: 'Being in a list does not lift the block of somebody who unsubscribed from all emails.',
    },
    switch_email: {
      irreversible:
        'Where both addresses are contacts in Brevo already, the lists and blocks go to the new one; the old one is then deleted, or stays blocked and in no list if it was blocked.',
    },
    tag: 'Brevo has no tags for contacts; its lists can be used instead.',
    suppression_group: 'Brevo’s API offers no way to put a single person into a consent group.',
    automation:
      'Brevo’s API can neither list automations nor put a person into one; let the automation start when somebody joins a list.',
    funnel: 'Brevo has no funnels or sequences besides its automations.',
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
    setup:
      'In Brevo, make a webhook of the type marketing for unsubscribed, spam, hardBounce, listAddition and contactUpdated, with this address and token authentication. Think of a long token, give it to Brevo there, and enter the same one here.',
    isGenuine,
    parse: parseEvents,
  },
  people: {
    can: true,
    of: ['lists'],
    tellsWhoLeft: false,
    note: 'Brevo blocks addresses for opt-outs, bounces and complaints alike and does not say here which it was: who is blocked is told as getting nothing, but not as having opted out.',
    read: readPeople,
  },
  setField,
  mergeTags: { email: '{{ contact.EMAIL }}', field: ({ id }) => `{{ contact.${id} }}` },
});
