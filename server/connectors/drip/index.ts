import { defineConnector } from '#server/connectors/define.ts';
import { failureOf, resources, state, verify } from './api.ts';
import { apply } from './changes.ts';
import { isGenuine, parse } from './inbound.ts';
import { people, setField } from './people.ts';
import { connectionTo } from './connection.ts';
import { oauth } from './oauth.ts';
import { places } from './webhook.ts';
import { LOGO } from './logo.ts';

export const drip = defineConnector({
  id: 'drip',
  name: 'Drip',
  logo: LOGO,

  credentials: [
    {
      name: 'api_token',
      label: 'API token',
      help: 'In Drip: User settings (www.getdrip.com/user/edit) > API token.',
      secret: true,
      pattern: /^[\w-]{16,100}$/,
      example: '0a1b2c3d4e5f60718293a4b5c6d7e8f9',
    },
    {
      name: 'account_id',
      label: 'Account ID',
      help: 'The number after getdrip.com in the URL of any Drip page.',
      secret: false,
      pattern: /^\d{4,12}$/,
      example: '9999999',
    },
  ],
  // The token is the name; the password is empty, its colon stays.
  connect: ({ api_token = '', account_id = '' }) =>
    connectionTo(account_id, `Basic ${Buffer.from(`${api_token}:`).toString('base64')}`),
  oauth,
  accountOf: ({ account_id = '' }) => account_id,
  limits: [{ requests: 3600, perSeconds: 3600 }],
  // Two writes to one person at the same time fail, and the limit is one call a second anyway.
  concurrency: 1,

  actions: {
    list: 'Drip has no lists. Use a tag for each topic, or a campaign as a funnel.',
    tag: {
      note: 'Drip identifies tags by name, so a renamed tag is a different tag.',
    },
    suppression_group: 'Drip’s API has no suppression groups. Use tags instead.',
    funnel: {
      note: 'Drip’s funnels are its email series campaigns. The first email goes out right away, unless the campaign asks for a confirmation and the customer hasn’t confirmed here. Customers who unsubscribed from one through its emails aren’t added back.',
    },
    automation: {
      note: 'Drip’s automations are its workflows. Only active workflows accept people.',
    },
    global_unsubscribe: {
      note: 'In email-only Drip accounts, people who unsubscribe become inactive and can only resubscribe through a Drip form. Someone whom Drip doesn’t have is added there as unsubscribed, so that no import subscribes them.',
    },
    switch_email: {
      deletes: true,
      irreversible:
        'If Drip already has the new email, we merge tags, campaigns and unsubscribes there and delete the old person. Their workflows end.',
    },
  },

  failureOf,
  verify,
  resources,
  makesTags: true,
  state,
  apply,
  writesBlindly: ({ type }) => type === 'automation',
  inbound: {
    kind: 'webhook',
    secret: 'none',
    echoesOwnWrites: true,
    setup:
      'In Drip: Settings > Webhooks > New webhook. Choose the events for unsubscribes, campaigns, bounces, complaints and changed emails.',
    places,
    isGenuine,
    parse,
  },
  people,
  setField,
  mergeTags: { email: '{{ subscriber.email }}', field: ({ id }) => `{{ subscriber.${id} }}` },
});
