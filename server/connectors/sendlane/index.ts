import { defineConnector } from '../define.ts';
import { failureOf, resources, verify } from './api.ts';
import { apply, state } from './changes.ts';
import { poll } from './inbound.ts';
import { people, setField } from './people.ts';
import { LOGO } from './logo.ts';

export const sendlane = defineConnector({
  id: 'sendlane',
  name: 'Sendlane',
  logo: LOGO,
  credentials: [
    {
      name: 'api_token',
      label: 'API v2 token',
      help: 'In Sendlane: Account > API > API v2. The key and hash of the older API don’t work.',
      secret: true,
      pattern: /^[\w.|+/=-]{16,2000}$/,
      example: 'eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.e30.signature',
    },
  ],
  connect: ({ api_token: token = '' }) => ({
    baseUrl: 'https://api.sendlane.com/v2',
    headers: { authorization: `Bearer ${token}` },
  }),
  // 240 for all keys of the account together; the rest is left to whatever else uses it.
  limits: [{ requests: 200, perSeconds: 60 }],
  concurrency: 4,
  actions: {
    global_unsubscribe: {
      oneWay: true,
      irreversible:
        'Sendlane’s API can’t undo an unsubscribe. Customers have to resubscribe in Sendlane. An email that Sendlane doesn’t have is suppressed there, so that no import subscribes it.',
    },
    suppression_group: 'Sendlane has no suppression groups, and its API can’t lift a suppression.',
    list: {
      note: 'Unsubscribing removes the contact from the list. Customers who are unsubscribed in Sendlane, or from the list there, aren’t added back, because Sendlane doesn’t say whether they did it themselves. Sendlane takes up to a minute to apply a change.',
    },
    tag: {
      note: 'Only for people Sendlane already has. Its API only adds new people with a list.',
    },
    funnel: 'Sendlane’s API can’t list funnels or add people to them. Start the funnel with a tag or a list.',
    automation:
      'Sendlane’s API can’t list automations, or add or remove people. Start the automation with a tag or a list.',
    switch_email: {
      deletes: true,
      irreversible:
        'Sendlane’s API can’t change an email. We add the customer again with their lists, tags, name and fields. The old contact is deleted with its history, lifetime value, phone number and SMS consent.',
      note: 'The lists and tags we add may start automations again.',
    },
  },
  failureOf,
  verify,
  resources,
  state,
  apply,
  inbound: { kind: 'poll', poll },
  reportsLeaving: ['lists'],
  people,
  setField,
  mergeTags: {
    email: '{{ contact.email }}',
    field: ({ name }) => `{{ contact.custom('${name.replaceAll("'", String.raw`\'`)}') }}`,
  },
});
