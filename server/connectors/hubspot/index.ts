import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import { defineConnector } from '../define.ts';
import { failureOf } from './answers.ts';
import { apply, resources, setField, state, verify } from './api.ts';
import { applyMany, batchSize, stateMany } from './batches.ts';
import { poll } from './inbound.ts';
import { readPeople } from './people.ts';
import { oauth } from './oauth.ts';
import { LOGO } from './logo.ts';

export const hubspot = defineConnector({
  id: 'hubspot',
  name: 'HubSpot',
  logo: LOGO,
  credentials: [
    {
      name: 'token',
      label: 'Service key or private app token',
      help: 'In HubSpot: Settings, Integrations, Service Keys. Scopes: crm.objects.contacts.read and .write, crm.lists.read and .write, crm.schemas.contacts.read, communication_preferences.read and .write; with Marketing Hub Enterprise also communication_preferences.statuses.batch.read and .write, with which many people take one call.',
      secret: true,
      pattern: /^pat-[a-z0-9]{2,6}-[A-Za-z0-9-]{20,300}$/,
      example: 'pat-na1-01234567-89ab-cdef-0123-456789abcdef',
    },
  ],
  connect: ({ token = '' }) => ({
    baseUrl: 'https://api.hubapi.com',
    headers: { authorization: `Bearer ${token}` },
  }),
  oauth,
  // Of the smallest plans.
  limits: [
    { requests: 100, perSeconds: 10 },
    { requests: 250_000, perSeconds: 86_400 },
  ],
  concurrency: 4,
  actions: {
    global_unsubscribe: {
      oneWay: true,
      irreversible:
        "HubSpot's API has no way back from an unsubscribe from all email: the person has to come back through HubSpot's own preferences page.",
      note: 'In an account with brands, it unsubscribes from every brand. Somebody who left one brand in HubSpot has not left everything.',
    },
    suppression_group: {
      note: 'The groups are HubSpot\'s subscription types. Adding unsubscribes the person from the type; removing subscribes them, with the legal basis "consent with notice". Who has opted out in HubSpot itself is not subscribed again.',
    },
    list: {
      note: 'Static lists only, for HubSpot fills the others by itself. A list is no consent: whether a person is mailed is decided by the subscription types, and new contacts may have to be made marketing contacts in HubSpot.',
    },
    switch_email: {
      note: 'Opt-outs are carried over to the new address. If another contact has it already, both contacts stay: that one gets the static lists and the opt-outs, and the old one is unsubscribed from every subscription type.',
    },
    tag: 'HubSpot has no tags for contacts; a static list does the same: use a list.',
    automation:
      "HubSpot's calls that put people into workflows end in 2027; let the workflow start when somebody is added to a static list, and use a list.",
    funnel: "HubSpot's API offers no funnels to put people into; use a static list that a workflow follows.",
  },
  failureOf: (answer, now) => failureOf(answer, retryAfterSeconds(answer.headers['retry-after'], now)),
  verify,
  resources,
  state,
  apply,
  batchSize,
  applyMany,
  stateMany,
  inbound: { kind: 'poll', poll },
  people: {
    can: true,
    of: ['lists'],
    tellsWhoLeft: false,
    note: 'Who was taken out of a list is not told; who opted out of all email, bounced or is no marketing contact is told as that. Opt-outs of single subscription types are not read here.',
    read: readPeople,
  },
  setField,
  mergeTags: { email: '{{ contact.email }}', field: ({ id }) => `{{ contact.${id} }}` },
});
