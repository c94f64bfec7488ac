import { defineConnector } from '#server/connectors/define.ts';
import { allFields, allLists, failureOf, verify } from './api.ts';
import { apply, state } from './changes.ts';
import { parse } from './inbound.ts';
import { people, setField } from './people.ts';
import { BASE_URL, oauth } from './oauth.ts';
import { places } from './webhook.ts';
import { LOGO } from './logo.ts';

export const campaignMonitor = defineConnector({
  id: 'campaign-monitor',
  name: 'Campaign Monitor',
  logo: LOGO,
  credentials: [
    {
      name: 'api_key',
      label: 'API key',
      help: 'In Campaign Monitor: Account settings > API keys.',
      secret: true,
      pattern: /^[\w+/=-]{20,500}$/,
      example: '639d8cc27198202f5fe6037a8b17a29a59984b86d3289bc9',
    },
    {
      name: 'client_id',
      label: 'Client ID',
      help: 'In Campaign Monitor: Account settings > API keys. The ID of the client that owns the lists.',
      secret: false,
      pattern: /^[0-9a-f]{32}$/i,
      example: '4a397ccaaa55eb4e6aa1221e1e2d7122',
    },
  ],
  connect: ({ api_key, client_id = '' }) => ({
    baseUrl: BASE_URL,
    // The password may be anything.
    headers: { authorization: `Basic ${Buffer.from(`${api_key}:x`).toString('base64')}` },
    account: client_id.toLowerCase(),
  }),
  oauth,
  accountOf: ({ client_id = '' }) => client_id.toLowerCase(),
  // Campaign Monitor publishes no number for these calls, and its 429 names no time: kept low.
  limits: [{ requests: 5, perSeconds: 1 }],
  concurrency: 2,
  actions: {
    global_unsubscribe: {
      irreversible:
        'Resubscribing lifts the suppression in Campaign Monitor but doesn’t add the customer back to lists. List actions do that.',
    },
    list: {
      note: 'Set every list in Campaign Monitor to unsubscribe from “only this list”. Otherwise, unsubscribing from one list there unsubscribes from all. Customers who unsubscribe on your page are deleted from the list. Customers who unsubscribed in Campaign Monitor aren’t added back.',
    },
    switch_email: {
      deletes: true,
      irreversible:
        'If the new email is already in a list, Campaign Monitor keeps that subscriber and deletes the old one.',
    },
    suppression_group: 'Campaign Monitor has one suppression list without groups. Use a list instead.',
    tag: 'Campaign Monitor has no subscriber tags. Use a list instead.',
    automation:
      'Campaign Monitor’s API can’t add people to journeys. Start the journey when someone joins its list.',
    funnel: 'Campaign Monitor has no funnels or sequences apart from its journeys.',
  },
  failureOf,
  verify,
  async resources(api, kind) {
    if (kind === 'lists') return allLists(api);
    if (kind === 'fields') return allFields(api);
    return [];
  },
  state,
  apply,
  writesBlindly: (change) => change.type === 'global_unsubscribe' && change.on,
  inbound: {
    kind: 'webhook',
    secret: 'none',
    setup:
      'In Campaign Monitor, add a webhook to every list, including each new one: this URL, JSON, and the events Subscribe, Deactivate and Update. Campaign Monitor turns a webhook off after a week of errors. Turn it on again there.',
    places,
    // Nothing is signed: the secret address is all there is.
    isGenuine: () => true,
    parse,
  },
  reportsLeaving: ['lists'],
  people,
  setField,
  mergeTags: { email: '[email]', field: ({ id: key }) => `[${key},fallback=]` },
});
