import { defineConnector } from '#server/connectors/define.ts';
import { logIn, resourcesOf, verifyAccount } from './api.ts';
import { applyMany, batchSize, stateMany } from './batches.ts';
import { failureOf } from './failures.ts';
import { poll } from './inbound.ts';
import { readPeople } from './members.ts';
import { applyChange, readState, setField } from './people.ts';
import { connectionTo } from './connection.ts';
import { oauth } from './oauth.ts';
import { LOGO } from './logo.ts';

/** Of the core platform (Sales Cloud), not of Marketing Cloud Engagement. */
export const salesforce = defineConnector({
  id: 'salesforce',
  name: 'Salesforce',
  logo: LOGO,
  credentials: [
    {
      name: 'my_domain_url',
      label: 'My Domain URL',
      help: 'In Salesforce: Setup > My Domain > Current My Domain URL. A sandbox has its own.',
      secret: false,
      pattern: /^https:\/\/[a-z0-9-]{1,80}(\.[a-z]{1,20})?\.my\.salesforce\.com\/?$/,
      example: 'https://acme.my.salesforce.com',
    },
    {
      name: 'client_id',
      label: 'Consumer key',
      help: 'In Salesforce: Setup > External Client App Manager > your app > Settings > OAuth Settings > Consumer Key and Secret. The app needs the client credentials flow and a user to run as.',
      secret: false,
      pattern: /^[\w.]{20,300}$/,
      example: '3MVG9_AbCdEfGhIjKlMnOpQrStUvWxYz.0123456789',
    },
    {
      name: 'client_secret',
      label: 'Consumer secret',
      help: 'Next to the consumer key.',
      secret: true,
      pattern: /^\S{16,300}$/,
      example: '0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF',
    },
  ],
  connect: ({ my_domain_url = '' }) => connectionTo(my_domain_url),
  oauth,
  logIn,
  accountOf: ({ my_domain_url = '' }) => new URL(my_domain_url).host,
  // The least that an edition with the API has in a day; all the integrations of the organization share it (A2).
  limits: [{ requests: 100_000, perSeconds: 86_400 }],
  // Of long calls, in the smallest edition (A2).
  concurrency: 5,
  actions: {
    global_unsubscribe: {
      note: 'This sets Email Opt Out on every contact and lead with the email. Emails that Salesforce doesn’t have aren’t recorded there.',
    },
    list: {
      note: 'Lists are campaigns. Every contact and lead with the email becomes a member. We don’t create new ones.',
    },
    tag: {
      note: 'Tags are topics, which an administrator has to enable for contacts and leads. We don’t create new contacts or leads.',
    },
    switch_email: {
      irreversible:
        'Every contact and lead with the old email gets the new one. If anyone with either email has opted out, all of them are opted out. Records aren’t merged.',
    },
    suppression_group:
      'Salesforce has one unsubscribe per person, and custom checkboxes mean something different in every organization.',
    automation:
      'Salesforce’s API runs a flow on every call and doesn’t say for whom it ran, so someone could go through it twice. Start the flow from a campaign.',
    funnel: 'Salesforce has no funnels or sequences apart from its campaigns and flows.',
  },
  failureOf,
  verify: verifyAccount,
  resources: resourcesOf,
  state: readState,
  apply: applyChange,
  batchSize,
  applyMany,
  stateMany,
  inbound: { kind: 'poll', poll },
  people: {
    can: true,
    of: ['lists', 'tags'],
    exportsUnsubscribed: false,
    note: 'Salesforce doesn’t report who was removed from a campaign or topic. We ignore the status of campaign members, because it means something different in every organization. Only people with Email Opt Out or bounces aren’t imported as subscribed.',
    read: readPeople,
  },
  setField,
  mergeTags: { email: '{{{Recipient.Email}}}', field: ({ id }) => `{{{Recipient.${id}}}}` },
});
