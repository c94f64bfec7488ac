import { beforeEach, expect, it } from 'vitest';
import { type Connector, type ConnectorError } from '#server/connectors/connector.ts';
import {
  type OAuthClient,
  authorizeUrl,
  challengeOf,
  exchangeCode,
  type Grant,
  GrantEnded,
  refreshGrant,
  type TokenEndpoint,
} from '#server/connectors/oauth.ts';
import { openGrantedApi } from '#server/connectors/tool-api.ts';
import type { FakeOAuth } from '#test/fakes/tools/fake-oauth.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { itWhen } from './when.ts';

const VERIFIER = 'v'.repeat(43);
const REDIRECT_URI = 'https://app.example.com/integrations/connected';

/** What every login at a tool has to hold, as far as the tool has it. */
export function loginTests(
  connector: Connector,
  fakeTool: () => FakeTool,
  tokenLine: () => TokenEndpoint,
): void {
  const { oauth } = connector;
  if (oauth === undefined) return;
  let fake: FakeTool;
  let login: FakeOAuth;
  let endpoint: TokenEndpoint;
  let client: OAuthClient;

  beforeEach(() => {
    fake = fakeTool();
    endpoint = tokenLine();
    if (fake.oauth === undefined) throw new Error('The fake has no login');
    login = fake.oauth;
    login.now = endpoint.clock.now;
    client = askingAs(login.clientSecret);
  });

  const askingAs = (clientSecret: string): OAuthClient => ({
    connector,
    oauth,
    app: { clientId: login.clientId, clientSecret, redirectUri: REDIRECT_URI },
  });

  /** Of several accounts that a login opens, the one of the fake. */
  const given = () =>
    Object.fromEntries(
      oauth.takes
        .filter((name) => name !== 'my_domain_url')
        .map((name) => [name, fake.credentials[name] ?? '']),
    );

  const urlOf = (verifier = VERIFIER) =>
    authorizeUrl(client, { state: 'a state', verifier, given: given(), baseUrl: fake.url });

  async function exchange(code: string, verifier = VERIFIER, by = client): Promise<Grant> {
    return exchangeCode(by, endpoint, { code, verifier, given: given() });
  }

  const letIn = async () => exchange((await login.allow(urlOf())).code);

  const apiOf = (grant: Grant) =>
    openGrantedApi(
      connector,
      { learned: grant.learned, token: async () => grant.accessToken, tokenAfter: async () => null },
      endpoint,
    );

  async function failureOf(work: Promise<unknown>): Promise<ConnectorError> {
    const error: unknown = await work.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: 'Error', kind: expect.any(String) });
    for (const secret of login.secrets()) expect((error as Error).message).not.toContain(secret);
    return error as ConnectorError;
  }

  it('asks for what it needs, and comes back with its state', async () => {
    const { searchParams } = new URL(urlOf());
    expect(searchParams.get('redirect_uri')).toBe(REDIRECT_URI);
    expect(searchParams.get('code_challenge')).toBe(oauth.hasPkce ? challengeOf(VERIFIER) : null);
    expect(urlOf()).not.toContain(login.clientSecret);
    expect((await login.allow(urlOf())).state).toBe('a state');
  });

  it('gives access to the account, by just a token', async () => {
    const grant = await letIn();
    expect(await connector.verify(apiOf(grant), grant.learned)).toMatchObject({ name: fake.accountName });
    const email = 'let-in@example.com';
    fake.addContact(email);
    expect((await connector.state(apiOf(grant), email)).known).toBe(true);
    for (const secret of login.secrets()) expect(JSON.stringify(grant.learned)).not.toContain(secret);
  });

  it('does not go through with the secret of another app', async () => {
    const { code } = await login.allow(urlOf());
    const error = await failureOf(exchange(code, VERIFIER, askingAs('wrong-secret-123456')));
    expect(error.kind).toBe('unavailable');
    expect(error.message).toContain(`CONNECTOR_${connector.envName}_CLIENT_ID`);
    expect(error.message).not.toContain('wrong-secret');
  });

  it('is good once, and not for long', async () => {
    const { code } = await login.allow(urlOf());
    await exchange(code);
    expect(await failureOf(exchange(code))).toBeInstanceOf(GrantEnded);
    const late = await login.allow(urlOf());
    login.now = () => new Date(endpoint.clock.now().getTime() + 11 * 60_000);
    expect(await failureOf(exchange(late.code))).toBeInstanceOf(GrantEnded);
  });

  itWhen(oauth.hasPkce)('does not go through with another verifier', async () => {
    const { code } = await login.allow(urlOf());
    expect(await failureOf(exchange(code, 'w'.repeat(43)))).toBeInstanceOf(GrantEnded);
  });

  it('fails as the tool does', async () => {
    for (const trouble of [
      { status: 503, body: '{}' },
      'cut',
      { status: 200, body: '<h1>Hello</h1>' },
    ] as const) {
      const { code } = await login.allow(urlOf());
      fake.trouble(trouble);
      expect((await failureOf(exchange(code))).kind).toBe('unavailable');
    }
    const { code } = await login.allow(urlOf());
    fake.trouble({ status: 429, headers: { 'retry-after': '17' }, body: 'Retry later' });
    const limited = await failureOf(exchange(code));
    expect(limited).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 17 });
  });

  itWhen(oauth.refreshWith === null)('does not end', async () => {
    expect(await letIn()).toMatchObject({ expiresAt: null, refreshToken: null });
  });

  itWhen(oauth.refreshWith !== null)('is renewed again and again, until the owner ends it', async () => {
    let grant = await letIn();
    expect(grant.expiresAt).toBeGreaterThan(endpoint.clock.now().getTime());
    for (let time = 0; time < 3; time += 1) {
      login.endAccess();
      expect((await failureOf(connector.verify(apiOf(grant), grant.learned))).kind).toBe('bad_credentials');
      grant = await refreshGrant(client, endpoint, grant);
      expect(await connector.verify(apiOf(grant), grant.learned)).toMatchObject({ name: fake.accountName });
    }
    login.revoke();
    expect(await failureOf(refreshGrant(client, endpoint, grant))).toBeInstanceOf(GrantEnded);
    const spent = { ...grant, refreshToken: null };
    expect(await failureOf(refreshGrant(client, endpoint, spent))).toBeInstanceOf(GrantEnded);
  });

  itWhen(oauth.refreshWith !== null)('is not lost to a tool that fails while it is renewed', async () => {
    const grant = await letIn();
    fake.trouble({ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' });
    expect((await failureOf(refreshGrant(client, endpoint, grant))).kind).toBe('unavailable');
    await refreshGrant(client, endpoint, grant);
  });
}
