import { defineConnector } from '#server/connectors/define.ts';
import { endpointOf, failureOf, fields, groups, lists, verify } from './api.ts';
import { applyMany, batchSize, stateMany } from './batches.ts';
import { apply, setField, state } from './changes.ts';
import { isGenuine, parse } from './inbound.ts';
import { places } from './webhook.ts';
import { LOGO } from './logo.ts';

export const sendgrid = defineConnector({
  id: 'sendgrid',
  name: 'SendGrid',
  logo: LOGO,
  credentials: [
    {
      name: 'api_key',
      label: 'API key',
      help: 'In SendGrid: Settings > API Keys. Create a key with full access to Suppressions, and to Marketing for lists.',
      secret: true,
      pattern: /^SG\.[\w-]+\.[\w-]+$/,
      example: 'SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789abcdefg',
    },
    {
      name: 'region',
      label: 'Region',
      help: 'Where SendGrid keeps your account’s data. A key of a subuser in the EU works only there.',
      secret: false,
      pattern: /^(?:global|eu)$/,
      example: 'eu',
      choices: { global: 'Global', eu: 'European Union' },
    },
  ],
  connect: ({ api_key, region }) => ({
    baseUrl: region === 'eu' ? 'https://api.eu.sendgrid.com' : 'https://api.sendgrid.com',
    headers: { authorization: `Bearer ${api_key}` },
  }),
  // Its answers of 2026 say so (`x-ratelimit-limit`).
  limits: [{ requests: 200, perSeconds: 60, endpointOf }],
  concurrency: 4,
  actions: {
    global_unsubscribe: {
      note: 'Anyone who reported an email as spam stays blocked in SendGrid until you remove the report there.',
    },
    suppression_group: {
      note: 'If you delete a group in SendGrid, everyone who was suppressed in it gets emails again.',
    },
    list: {
      note: 'SendGrid stores contacts with a delay, so a change may take minutes.',
    },
    switch_email: {
      deletes: true,
      irreversible:
        'SendGrid can’t change an email. A new contact gets the data, lists and unsubscribes, and the old one is deleted with its history.',
    },
    tag: 'SendGrid has no contact tags. Use a list instead.',
    automation: 'SendGrid’s API can’t add people to automations. Use the automation’s entry list instead.',
    funnel: 'SendGrid has no funnels or sequences apart from its automations.',
  },
  failureOf,
  verify,
  async resources(api, kind) {
    if (kind === 'lists') return lists(api);
    if (kind === 'suppression_groups') return groups(api);
    if (kind === 'fields') return fields(api, { onlyText: true });
    return [];
  },
  state,
  apply,
  writesBlindly: ({ type }) => type === 'global_unsubscribe' || type === 'suppression_group',
  batchSize,
  applyMany,
  stateMany,
  inbound: {
    kind: 'webhook',
    secret: 'needed',
    setup:
      'In SendGrid: Settings > Mail Settings > Event Webhooks. Create a webhook with this URL, choose Bounced, Spam Reports, Unsubscribes, Group Unsubscribes and Group Resubscribes, turn on Signed Event Webhook and paste its verification key here. Under Settings > Tracking, turn on Subscription Tracking.',
    places,
    isGenuine,
    parse,
  },
  reportsLeaving: ['suppression_groups'],
  people: {
    can: false,
    reason:
      'SendGrid’s API shows at most 50 people in a list. Export the list in SendGrid as CSV and import that file.',
  },
  setField,
  mergeTags: { email: '{{email}}', field: ({ name }) => `{{${name}}}` },
});
