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
      help: 'In Sendlane: Account, API, “API v2”. The key and hash of the older API do not work.',
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
        'Sendlane’s API cannot take an unsubscribe back: the person has to subscribe again in Sendlane.',
    },
    suppression_group: 'Sendlane has no suppression groups, and its API cannot lift a suppression again.',
    list: {
      note: 'Leaving takes the contact off the list. Whoever has unsubscribed in Sendlane, or from the list there, is not put back: Sendlane does not say whether they did it themselves. Sendlane takes up to a minute to carry a change out.',
    },
    tag: {
      note: 'Only for people whom Sendlane knows already: its API takes somebody new only with a list.',
    },
    funnel: 'Sendlane’s API cannot list funnels or put a person into one; let a tag or a list start it.',
    automation:
      'Sendlane’s API cannot list automations, put a person into one or take them out; let a tag or a list start it.',
    switch_email: {
      irreversible:
        'Sendlane’s API cannot change an address: the person is added anew with their lists, tags, name and fields, and the old contact is deleted with its history, lifetime value, phone number and SMS consent.',
      note: 'The lists and tags that come along may start automations again.',
    },
  },
  failureOf,
  verify,
  resources,
  state,
  apply,
  inbound: { kind: 'poll', poll },
  people,
  setField,
  mergeTags: {
    email: '{{ contact.email }}',
    field: ({ name }) => `{{ contact.custom('${name.replaceAll("'", String.raw`\'`)}') }}`,
  },
});
