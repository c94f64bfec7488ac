import { describe, expect, it } from 'vitest';
import type { Credentials } from './connector.ts';
import { CONNECTORS, findConnector } from './index.ts';
import { authorizeUrl } from './oauth.ts';

const BACK = 'https%3A%2F%2Fapp.example.com%2Fintegrations%2Fconnected';
// Of RFC 7636, appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256';

function urlAt(id: string, given: Credentials = {}): string {
  const connector = findConnector(id);
  if (connector?.oauth === undefined) throw new Error(`${id} has no OAuth`);
  const app = {
    clientId: 'app',
    clientSecret: 'secret',
    redirectUri: 'https://app.example.com/integrations/connected',
  };
  const asking = { connector, oauth: connector.oauth, app };
  return authorizeUrl(asking, { state: 'STATE', verifier: VERIFIER, given });
}

const tokenUrlOf = (id: string, given: Credentials = {}) => findConnector(id)?.oauth?.addresses(given).token;

describe('an OAuth login', () => {
  it('exists for the seven tools that offer one', () => {
    const tools = CONNECTORS.filter(({ oauth }) => oauth !== undefined).map(({ id }) => id);
    const seven = ['kit', 'campaign-monitor', 'brevo', 'hubspot', 'mailchimp', 'drip', 'salesforce'];
    expect(tools.slice(0, seven.length)).toEqual(seven);
  });

  it.each([
    [
      'kit',
      `https://api.kit.com/v4/oauth/authorize?response_type=code&client_id=app&redirect_uri=${BACK}&scope=read%20write&state=STATE`,
      'https://api.kit.com/v4/oauth/token',
    ],
    [
      'campaign-monitor',
      `https://api.createsend.com/oauth?type=web_server&client_id=app&redirect_uri=${BACK}&scope=ManageLists%2CImportSubscribers%2CViewReports%2CViewSubscribersInReports&state=STATE`,
      'https://api.createsend.com/oauth/token',
    ],
    [
      'brevo',
      `https://oauth.brevo.com/realms/partner/oauth/authorize?response_type=code&client_id=app&redirect_uri=${BACK}&scope=account%3Aread%20contacts%3Aread%20contacts%3Awrite&state=STATE&${CHALLENGE}`,
      'https://oauth.brevo.com/realms/partner/oauth/token',
    ],
    [
      'hubspot',
      `https://app.hubspot.com/oauth/authorize?client_id=app&redirect_uri=${BACK}&scope=oauth%20crm.objects.contacts.read%20crm.objects.contacts.write%20crm.lists.read%20crm.lists.write%20crm.schemas.contacts.read%20communication_preferences.read%20communication_preferences.write&state=STATE`,
      'https://api.hubapi.com/oauth/2026-09/token',
    ],
    [
      'mailchimp',
      `https://login.mailchimp.com/oauth2/authorize?response_type=code&client_id=app&redirect_uri=${BACK}&state=STATE`,
      'https://login.mailchimp.com/oauth2/token',
    ],
    [
      'drip',
      `https://www.getdrip.com/oauth/authorize?response_type=code&client_id=app&redirect_uri=${BACK}&state=STATE`,
      'https://www.getdrip.com/oauth/token',
    ],
    [
      'salesforce',
      `https://login.salesforce.com/services/oauth2/authorize?response_type=code&client_id=app&redirect_uri=${BACK}&scope=api%20refresh_token%20id&state=STATE&${CHALLENGE}`,
      'https://login.salesforce.com/services/oauth2/token',
    ],
  ])('at %s sends exactly this request', (id, authorize, token) => {
    expect(urlAt(id)).toBe(authorize);
    expect(tokenUrlOf(id)).toBe(token);
  });

  it('at Salesforce goes to the chosen sandbox', () => {
    const given = { my_domain_url: 'https://acme--test.sandbox.my.salesforce.com/' };
    const start = 'https://acme--test.sandbox.my.salesforce.com/services/oauth2/';
    expect(urlAt('salesforce', given).startsWith(`${start}authorize?`)).toBe(true);
    expect(tokenUrlOf('salesforce', given)).toBe(`${start}token`);
  });

  it.each([
    ['mailchimp', { access_token: 'x' }, { api_endpoint: 'https://evil.example/us1.api.mailchimp.com' }],
    ['mailchimp', { access_token: 'x' }, { api_endpoint: 'https://us1.api.mailchimp.com.evil.example' }],
    ['salesforce', { instance_url: 'https://evil.example/.salesforce.com' }, null],
    ['salesforce', { instance_url: 'http://acme.my.salesforce.com' }, null],
    ['salesforce', { instance_url: 'https://user@acme.my.salesforce.com' }, null],
  ])('at %s leads to no host but the tool’s own (%j %j)', async (id, answer, further) => {
    const learn = async () => {
      const { oauth } = findConnector(id) ?? {};
      await oauth?.learn?.({ answer, given: {}, get: async () => further });
    };
    await expect(learn()).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
