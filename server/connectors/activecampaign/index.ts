import { defineConnector } from '#server/connectors/define.ts';
import { failureOf, fieldTag, hostOf, resources, state, verify } from './api.ts';
import { apply } from './changes.ts';
import { isGenuine, parse } from './inbound.ts';
import { people, setField } from './people.ts';
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
      help: 'In ActiveCampaign: Settings, Developer, URL.',
      secret: false,
      pattern: API_URL,
      example: 'https://acme.api-us1.com',
    },
    {
      name: 'api_key',
      label: 'API key',
      help: 'In ActiveCampaign: Settings, Developer, Key. It may do what its user may do: choose one who may see and change contacts, lists, tags and automations.',
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
      note: 'Who left the list through a mail of ActiveCampaign, or whose mail bounced, is not put back into it.',
    },
    tag: {},
    suppression_group: 'ActiveCampaign has no suppression groups; its lists play that part.',
    funnel: 'ActiveCampaign knows automations only; choose one of them instead of a funnel.',
    automation: {
      note: 'Who has been through the automation to its end is not started in it again.',
    },
    global_unsubscribe: {
      oneWay: true,
      irreversible:
        'ActiveCampaign does not remember which lists the person was in; each list has to be chosen again.',
      note: 'ActiveCampaign has no opt-out from everything: the person is unsubscribed from every list they are in.',
    },
    switch_email: {
      irreversible:
        'Where ActiveCampaign has the new address already, lists, tags and opt-outs are brought together there and the old contact is deleted; its automations and deals end.',
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
      'In ActiveCampaign: Settings, Developer, Manage webhooks, Add. Choose the events Subscribes, Unsubscribes and Bounces, and as initializing sources all but "By API".',
    isGenuine,
    parse,
  },
  people,
  setField,
  mergeTags: { email: '%EMAIL%', field: fieldTag },
});
