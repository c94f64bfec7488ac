import { defineConnector } from '#server/connectors/define.ts';
import { allFields, allLists, failureOf, verify } from './api.ts';
import { apply, state } from './changes.ts';
import { parse } from './inbound.ts';
import { people, setField } from './people.ts';
import { BASE_URL, oauth } from './oauth.ts';
import { LOGO } from './logo.ts';

export const campaignMonitor = defineConnector({
  id: 'campaign-monitor',
  name: 'Campaign Monitor',
  logo: LOGO,
  credentials: [
    {
      name: 'api_key',
      label: 'API key',
      help: 'In Campaign Monitor under Account settings, API keys.',
      secret: true,
      pattern: /^[\w+/=-]{20,500}$/,
      example: '639d8cc27198202f5fe6037a8b17a29a59984b86d3289bc9',
    },
    {
      name: 'client_id',
      label: 'Client ID',
      help: 'In Campaign Monitor under Account settings, API keys: the ID of the client whose lists these are.',
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
        'Taking it back lifts the suppression in Campaign Monitor, but puts the person into no list again; list actions do that.',
    },
    list: {
      note: 'Set every list in Campaign Monitor to unsubscribe from “only this list”: else whoever unsubscribes from one there leaves all. Whoever leaves by your page is deleted from the list, and whoever unsubscribed in Campaign Monitor is not brought back.',
    },
    switch_email: {
      irreversible:
        'Where the new address is in a list already, Campaign Monitor keeps that one as it is, and the old one is deleted.',
    },
    suppression_group: 'Campaign Monitor has one suppression list and no groups of it; use a list instead.',
    tag: 'Campaign Monitor keeps no tags on subscribers; use a list instead.',
    automation:
      'Campaign Monitor’s API offers no way to put a person into a journey; start the journey when somebody joins its list.',
    funnel: 'Campaign Monitor has no funnels or sequences besides its journeys.',
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
  inbound: {
    kind: 'webhook',
    secret: 'none',
    setup:
      'In Campaign Monitor, give every list, also each new one, a webhook with this address, in JSON, for the events Subscribe, Deactivate and Update. Campaign Monitor switches it off after a week of errors; switch it on again there.',
    // Nothing is signed: the secret address is all there is.
    isGenuine: () => true,
    parse,
  },
  people,
  setField,
  mergeTags: { email: '[email]', field: ({ id: key }) => `[${key},fallback=]` },
});
