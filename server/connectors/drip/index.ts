import { defineConnector } from '#server/connectors/define.ts';
import { failureOf, resources, state, verify } from './api.ts';
import { apply } from './changes.ts';
import { isGenuine, parse } from './inbound.ts';
import { people, setField } from './people.ts';
import { connectionTo } from './connection.ts';
import { oauth } from './oauth.ts';
import { LOGO } from './logo.ts';

export const drip = defineConnector({
  id: 'drip',
  name: 'Drip',
  logo: LOGO,

  credentials: [
    {
      name: 'api_token',
      label: 'API token',
      help: 'In Drip: your user settings (www.getdrip.com/user/edit), API token.',
      secret: true,
      pattern: /^[\w-]{16,100}$/,
      example: '0a1b2c3d4e5f60718293a4b5c6d7e8f9',
    },
    {
      name: 'account_id',
      label: 'Account ID',
      help: 'The number in the address of every page of Drip, behind getdrip.com.',
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
    list: 'Drip has no lists; use a tag for each topic, or a campaign as a funnel.',
    tag: {
      note: 'Drip knows tags by their names alone; a tag with a new name is another tag.',
    },
    suppression_group: 'Drip has no suppression groups that its API could reach; use tags in their place.',
    funnel: {
      note: 'The funnels of Drip are its email series campaigns. Their first mail goes out at once, without another confirmation. Who left one through its mails is not put back.',
    },
    automation: {
      note: 'The automations of Drip are its workflows. Only an active workflow takes people.',
    },
    global_unsubscribe: {
      note: 'Drip accounts for email marketing alone keep people who unsubscribed as inactive: only a form of Drip brings them back.',
    },
    switch_email: {
      irreversible:
        'Where Drip has the new address already, tags, campaigns and opt-outs are brought together there and the old person is deleted; their workflows end.',
    },
  },

  failureOf,
  verify,
  resources,
  state,
  apply,
  inbound: {
    kind: 'webhook',
    secret: 'none',
    tellsOwnWrites: true,
    setup:
      'In Drip: Settings, Webhooks, New webhook. Choose the events about unsubscribes, campaigns, bounces, complaints and changed addresses.',
    isGenuine,
    parse,
  },
  people,
  setField,
  mergeTags: { email: '{{ subscriber.email }}', field: ({ id }) => `{{ subscriber.${id} }}` },
});
