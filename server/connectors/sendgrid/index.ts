import { defineConnector } from '#server/connectors/define.ts';
import { failureOf, fields, groups, lists, verify } from './api.ts';
import { applyMany, batchSize, stateMany } from './batches.ts';
import { apply, setField, state } from './changes.ts';
import { isGenuine, parse } from './inbound.ts';
import { LOGO } from './logo.ts';

export const sendgrid = defineConnector({
  id: 'sendgrid',
  name: 'SendGrid',
  logo: LOGO,
  credentials: [
    {
      name: 'api_key',
      label: 'API key',
      help: 'In SendGrid under Settings, API Keys: create a key with full access to Suppressions, and to Marketing for lists.',
      secret: true,
      pattern: /^SG\.[\w-]+\.[\w-]+$/,
      example: 'SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789abcdefg',
    },
  ],
  connect: ({ api_key }) => ({
    baseUrl: 'https://api.sendgrid.com',
    headers: { authorization: `Bearer ${api_key}` },
  }),
  // SendGrid publishes no number per route; 600 a minute is the one it once named.
  limits: [{ requests: 600, perSeconds: 60 }],
  concurrency: 4,
  actions: {
    global_unsubscribe: {
      note: 'Somebody who reported a mail as spam stays blocked in SendGrid until you remove the report there.',
    },
    suppression_group: {
      note: 'Deleting a group in SendGrid lets mail through again to everyone who was suppressed in it.',
    },
    list: {
      note: 'SendGrid stores contacts in its own time, so a change may take minutes.',
    },
    switch_email: {
      irreversible:
        'SendGrid cannot change an address: a new contact takes over the data, lists and opt-outs, and the old one is deleted with its history.',
    },
    tag: 'SendGrid keeps no tags on contacts; use a list instead.',
    automation:
      'SendGrid’s API offers no way to put a person into an automation; use its entry list instead.',
    funnel: 'SendGrid has no funnels or sequences besides its automations.',
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
  batchSize,
  applyMany,
  stateMany,
  inbound: {
    kind: 'webhook',
    secret: 'needed',
    setup:
      'In SendGrid under Settings, Mail Settings, Event Webhooks, create a webhook with this address. Choose Bounced, Spam Reports, Unsubscribes, Group Unsubscribes and Group Resubscribes, switch on Signed Event Webhook and paste its verification key here. Under Settings, Tracking, switch on Subscription Tracking.',
    isGenuine,
    parse,
  },
  people: {
    can: false,
    reason:
      'SendGrid’s API shows 50 people of a list at most and gives the rest only as a file to be fetched elsewhere: export the list in SendGrid as CSV and import that file.',
  },
  setField,
  mergeTags: { email: '{{email}}', field: ({ name }) => `{{${name}}}` },
});
