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
      help: 'In HubSpot: Development > Keys > Service keys. Scopes: crm.objects.contacts.read and .write, crm.lists.read and .write, crm.schemas.contacts.read, communication_preferences.read and .write. With Marketing Hub Enterprise, add communication_preferences.statuses.batch.read and .write so that we can send many changes in one call.',
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
        'HubSpot’s API can’t undo an unsubscribe from all email. Customers have to resubscribe on HubSpot’s own preferences page.',
      note: 'In an account with brands, this unsubscribes from every brand. Someone who unsubscribed from one brand in HubSpot isn’t unsubscribed from all.',
    },
    suppression_group: {
      note: 'The groups are HubSpot’s subscription types. Adding unsubscribes the customer from the type. Removing subscribes them, with the legal basis “consent with notice”. Customers who unsubscribed in HubSpot aren’t resubscribed.',
    },
    list: {
      note: 'Static lists only, because HubSpot fills the others automatically. A list isn’t consent: subscription types decide who gets emails, and you may have to set new contacts as marketing contacts in HubSpot.',
    },
    switch_email: {
      note: 'Unsubscribes move to the new email. If another contact already has it, both contacts stay: that one gets the static lists and unsubscribes, and the old one is unsubscribed from every subscription type.',
    },
    tag: 'HubSpot has no contact tags. Use a static list instead.',
    automation:
      'HubSpot retires its API for adding people to workflows in 2027. Use a list, and start the workflow when someone is added to it.',
    funnel: 'HubSpot’s API has no funnels. Use a static list that starts a workflow.',
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
  reportsLeaving: ['suppression_groups'],
  people: {
    can: true,
    of: ['lists'],
    exportsUnsubscribed: false,
    note: 'HubSpot doesn’t report who was removed from a list. It does report who unsubscribed from all email, bounced, or isn’t a marketing contact. We don’t import unsubscribes from single subscription types.',
    read: readPeople,
  },
  setField,
  mergeTags: { email: '{{ contact.email }}', field: ({ id }) => `{{ contact.${id} }}` },
});
