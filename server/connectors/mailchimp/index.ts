import { ConnectorError } from '../connector.ts';
import { defineConnector } from '../define.ts';
import { failureOf, has, resources, verify } from './api.ts';
import { applyMany, batchSize } from './batches.ts';
import { apply, setField, state } from './changes.ts';
import { isGenuine, parse } from './inbound.ts';
import { readPeople } from './people.ts';
import { oauth } from './oauth.ts';
import { places } from './webhook.ts';
import { LOGO } from './logo.ts';

const KEY = /^[0-9a-zA-Z]{10,64}-([a-z]{2,4}\d{1,3})$/;

export const mailchimp = defineConnector({
  id: 'mailchimp',
  name: 'Mailchimp',
  logo: LOGO,
  credentials: [
    {
      name: 'api_key',
      label: 'API key',
      help: 'In Mailchimp: Profile > Extras > API keys > Create A Key. Include the part after the hyphen.',
      secret: true,
      pattern: KEY,
      example: '0123456789abcdef0123456789abcdef-us19',
    },
  ],
  connect({ api_key: key = '' }) {
    // The host is made of the key: only a data centre's name may become part of it.
    const dataCentre = KEY.exec(key)?.[1];
    if (dataCentre === undefined) {
      throw new ConnectorError(
        'bad_credentials',
        'This isn’t a Mailchimp API key. It ends with something like “-us19”.',
      );
    }
    return {
      baseUrl: `https://${dataCentre}.api.mailchimp.com/3.0`,
      headers: { authorization: `Bearer ${key}` },
    };
  },
  oauth,
  // Mailchimp counts connections instead of calls.
  limits: [],
  // Ten for one user, whatever else uses the account included.
  concurrency: 5,
  actions: {
    global_unsubscribe: {
      oneWay: true,
      irreversible:
        'Mailchimp has no unsubscribe for the whole account. We unsubscribe the customer in each audience, and Mailchimp doesn’t remember which ones. Use list actions to resubscribe. Someone whom Mailchimp doesn’t have is added to each audience as unsubscribed, so that no import subscribes them. Mailchimp may count them as contacts.',
    },
    suppression_group: 'Mailchimp has no suppression groups. You can use its groups (interests) as lists.',
    list: {
      note: 'Lists are audiences and their groups. Joining a group also subscribes to its audience. Customers who unsubscribed in Mailchimp or were archived first get a confirmation email from Mailchimp. So does everyone who joins an audience with double opt-in and hasn’t confirmed by email here.',
    },
    tag: {
      note: 'A tag belongs to one audience. Customers who aren’t in it are added as contacts without a subscription.',
      isNoteOfForward: true,
    },
    funnel: 'Mailchimp has no funnels. Start a customer journey with a tag instead.',
    automation:
      'Mailchimp’s API can’t list customer journeys or remove people from them. Start the journey with a tag instead.',
    switch_email: {
      note: 'If the new email is already in the audience, it keeps its status unless the old one is unsubscribed. The old one is archived.',
    },
  },
  failureOf,
  verify,
  resources,
  has,
  state,
  apply,
  writesBlindly: (change) => change.type === 'tag' && change.on,
  batchSize,
  applyMany,
  inbound: {
    kind: 'webhook',
    secret: 'optional',
    setup:
      'In Mailchimp, for each audience: Audience > Settings > Webhooks > Create New Webhook. Enter this URL, choose Subscribes, Unsubscribes, Cleaned Emails and Email Changed, and send updates for changes by subscribers and account admins, but not by the API.',
    places,
    isGenuine,
    parse,
  },
  reportsLeaving: ['lists'],
  people: {
    can: true,
    of: ['lists', 'tags'],
    exportsUnsubscribed: true,
    note: 'For a group, Mailchimp reports who unsubscribed from its audience, but not who left only the group. We don’t import archived contacts.',
    read: readPeople,
  },
  setField,
  mergeTags: { email: '*|EMAIL|*', field: ({ id }) => `*|${id}|*` },
});
