import { ConnectorError } from '../connector.ts';
import { defineConnector } from '../define.ts';
import { failureOf, resources, verify } from './api.ts';
import { applyMany, batchSize } from './batches.ts';
import { apply, setField, state } from './changes.ts';
import { isGenuine, parse } from './inbound.ts';
import { readPeople } from './people.ts';
import { oauth } from './oauth.ts';
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
      help: 'In Mailchimp: Profile, Extras, API keys, “Create A Key”. The part after the hyphen belongs to it.',
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
        'The key is not one of Mailchimp: it ends in “-us19” or alike.',
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
        'Mailchimp knows no unsubscribe for the whole account: it is done in each audience, and which of them the person was in before is not kept. Subscribe people again with list actions.',
    },
    suppression_group: 'Mailchimp has no suppression groups; its groups (interests) are offered as lists.',
    list: {
      note: 'Lists are audiences and the groups in them. Whoever joins a group is subscribed to its audience too. Somebody who once unsubscribed in Mailchimp by themselves, or was archived, first gets a mail from Mailchimp in which they confirm.',
    },
    tag: {
      note: 'A tag belongs to one audience. Somebody who is not in it is added as a contact without a subscription.',
    },
    funnel: 'Mailchimp has no funnels; let a tag start a customer journey instead.',
    automation:
      'Mailchimp’s API cannot list customer journeys or take people out of them; let a tag start the journey instead.',
    switch_email: {
      note: 'Where the new address is in the audience already, it keeps its own status unless the old one has unsubscribed, and the old one is archived.',
    },
  },
  failureOf,
  verify,
  resources,
  state,
  apply,
  batchSize,
  applyMany,
  inbound: {
    kind: 'webhook',
    secret: 'optional',
    setup:
      'In Mailchimp, for each audience: Audience, Settings, Webhooks, “Create New Webhook”. Enter the address, choose Subscribes, Unsubscribes, Cleaned Emails and Email Changed, and send updates when a change is made by a subscriber or an account admin, not via the API.',
    isGenuine,
    parse,
  },
  people: {
    can: true,
    of: ['lists', 'tags'],
    tellsWhoLeft: true,
    note: 'Of a group, those are told who have left its audience; who has left the group alone is not kept by Mailchimp. Archived contacts are not read.',
    read: readPeople,
  },
  setField,
  mergeTags: { email: '*|EMAIL|*', field: ({ id }) => `*|${id}|*` },
});
