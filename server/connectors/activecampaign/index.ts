import { defineConnector } from '#server/connectors/define.ts';
import { failureOf, fieldTag, hostOf, resources, state, verify } from './api.ts';
import { apply } from './changes.ts';
import { isGenuine, parse } from './inbound.ts';
import { people, setField } from './people.ts';
import { places } from './webhook.ts';
import { LOGO } from './logo.ts';

const API_URL = /^https:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z]{2,}(?:\/api\/3)?\/?$/i;

export const activecampaign = defineConnector({
  id: 'activecampaign',
  name: 'ActiveCampaign',
  logo: LOGO,

  credentials: [
    {
      name: 'api_url',
      label: 'API URL',
      help: 'In ActiveCampaign: Settings > Developer > URL.',
      secret: false,
      pattern: API_URL,
      example: 'https://acme.api-us1.com',
    },
    {
      name: 'api_key',
      label: 'API key',
      help: 'In ActiveCampaign: Settings > Developer > Key. It has the permissions of its user, who must be able to see and change contacts, lists, tags and automations.',
      secret: true,
      pattern: /^[\w-]{20,200}$/,
      example: '0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d',
    },
  ],
  connect: ({ api_url = '', api_key = '' }) => ({
    baseUrl: `${new URL(api_url).origin}/api/3`,
    headers: { 'api-token': api_key },
  }),
  // All keys of an account share its limit.
  accountOf: ({ api_url = '' }) => hostOf(api_url),
  limits: [{ requests: 5, perSeconds: 1 }],
  concurrency: 5,

  actions: {
    list: {
      note: 'Customers who unsubscribed through an ActiveCampaign email, or whose email bounced, aren’t added back.',
      isNoteOfForward: true,
    },
    tag: {},
    suppression_group: 'ActiveCampaign has no suppression groups. Use its lists instead.',
    funnel: 'ActiveCampaign has no funnels. Use an automation instead.',
    automation: {
      note: 'Customers who have completed the automation don’t start it again.',
      isNoteOfForward: true,
    },
    global_unsubscribe: {
      oneWay: true,
      irreversible:
        'ActiveCampaign doesn’t remember a customer’s lists. They have to choose each list again.',
      note: 'ActiveCampaign has no unsubscribe from all, so we unsubscribe the customer from each of their lists. We can’t keep the unsubscribe of someone whom ActiveCampaign doesn’t have.',
    },
    switch_email: {
      deletes: true,
      irreversible:
        'If ActiveCampaign already has the new email, we merge lists, tags and unsubscribes there and delete the old contact. Its automations and deals end.',
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
    setup:
      'In ActiveCampaign: Settings > Developer > Manage webhooks > Add. Choose the events Subscribes, Unsubscribes and Bounces, and all initializing sources except “By API”.',
    places,
    isGenuine,
    parse,
  },
  reportsLeaving: ['lists'],
  people,
  setField,
  mergeTags: { email: '%EMAIL%', field: fieldTag },
});
