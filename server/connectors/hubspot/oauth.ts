import { z } from 'zod';
import type { Credentials, OAuth } from '#server/connectors/connector.ts';
import { anId, VERSION } from './answers.ts';

const account = z.object({ hub_id: anId });

export const oauth: OAuth = {
  addresses: () => ({
    authorize: 'https://app.hubspot.com/oauth/authorize',
    token: `https://api.hubapi.com/oauth/${VERSION}/token`,
  }),
  takes: [],
  authorizeWith: {},
  scopes: [
    'oauth',
    'crm.objects.contacts.read',
    'crm.objects.contacts.write',
    'crm.lists.read',
    'crm.lists.write',
    'crm.schemas.contacts.read',
    'communication_preferences.read',
    'communication_preferences.write',
  ],
  scopeSeparator: ' ',
  // The token address knows a verifier, but nothing says that the other one takes a challenge (section 1).
  hasPkce: false,
  tokenCall: 'form',
  refreshWith: ['client'],
  lifeSeconds: 1800,
  // Its domain would be the better name, but the only call that tells it ends with the old OAuth.
  learn({ answer }): Credentials {
    const found = account.safeParse(answer);
    return found.success ? { hub_id: found.data.hub_id } : {};
  },
  connect: (token) => ({
    baseUrl: 'https://api.hubapi.com',
    headers: { authorization: `Bearer ${token}` },
  }),
};
