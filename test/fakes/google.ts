import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface GooglePerson {
  sub: string;
  email: string;
}

/** What the product is told of a sign-in, once. */
interface Grant {
  person: GooglePerson;
  nonce: string | null;
  challenge: string | null;
  redirectUri: string;
}

export interface FakeGoogle {
  /** Its own origin, which is another one than the app's. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** Who is signed in there. */
  person: GooglePerson;
  /** The popup answers for another sign-in than the one that was begun. */
  answersForeignState: boolean;
  close(): Promise<void>;
}

/** As Google's own script does: opens a popup, waits for its message, and takes a closed popup for an answer. */
const GIS_SCRIPT = (origin: string) => `
window.google = { accounts: { oauth2: { initCodeClient(options) {
  return { requestCode() {
    const query = new URLSearchParams({
      client_id: options.client_id, scope: options.scope, state: options.state ?? '', origin: location.origin,
    });
    const popup = window.open('${origin}/popup?' + query, 'google', 'width=400,height=500');
    const watch = setInterval(() => {
      if (!popup || popup.closed) { clearInterval(watch); options.error_callback({ type: 'popup_closed' }); }
    }, 100);
    window.addEventListener('message', (event) => {
      if (event.origin !== '${origin}') return;
      clearInterval(watch);
      options.callback(event.data);
    });
  } };
} } } };`;

function pageOf(script: string): string {
  return `<!doctype html><title>Fake Google</title><button id="go">Continue</button><script>
document.getElementById('go').addEventListener('click', () => { ${script} });</script>`;
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function configurationOf(issuer: string, url: string) {
  return {
    issuer,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  };
}

function isGranted({ redirectUri, challenge }: Grant, given: URLSearchParams, clientSecret: string): boolean {
  const verifier = given.get('code_verifier');
  return (
    given.get('client_secret') === clientSecret &&
    given.get('redirect_uri') === redirectUri &&
    challenge === (verifier && createHash('sha256').update(verifier).digest('base64url'))
  );
}

function signIdToken(
  { person, nonce }: Grant,
  { issuer, audience, key }: { issuer: string; audience: string; key: CryptoKey },
): Promise<string> {
  return new SignJWT({
    email: person.email,
    email_verified: true,
    ...(nonce === null ? {} : { nonce }),
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(person.sub)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(key);
}

/** Google in small: its script, its popup, its sign-in by redirect and its token endpoint. @param issuer null: its own origin */
export async function startFakeGoogle(issuer: string | null = null): Promise<FakeGoogle> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const grants = new Map<string, Grant>();

  function grant(given: Omit<Grant, 'person'>): string {
    const code = `code-${grants.size + 1}`;
    grants.set(code, { ...given, person: google.person });
    return code;
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = await bodyOf(request);
    const code = given.get('code') ?? '';
    const found = grants.get(code);
    grants.delete(code);
    if (found === undefined || !isGranted(found, given, google.clientSecret))
      return json(response, 400, { error: 'invalid_grant' });
    const idToken = await signIdToken(found, {
      issuer: issuerUrl,
      audience: google.clientId,
      key: privateKey,
    });
    json(response, 200, { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token: idToken });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', google.url);
    const html = (page: string) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return json(response, 200, configurationOf(issuerUrl, google.url));
      case '/jwks':
        return json(response, 200, { keys: [jwk] });
      case '/token':
        return token(request, response);
      case '/gsi/client':
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(GIS_SCRIPT(google.url));
        return;
      case '/popup': {
        const code = grant({ nonce: null, challenge: null, redirectUri: 'postmessage' });
        const state = google.answersForeignState ? 'of-another-sign-in' : query.get('state');
        const said = JSON.stringify({ code, state });
        html(pageOf(`opener.postMessage(${said}, ${JSON.stringify(query.get('origin'))}); window.close();`));
        return;
      }
      case '/authorize': {
        const redirectUri = query.get('redirect_uri') ?? '';
        const back = new URL(redirectUri);
        const [nonce, challenge] = [query.get('nonce'), query.get('code_challenge')];
        back.searchParams.set('code', grant({ nonce, challenge, redirectUri }));
        back.searchParams.set('state', query.get('state') ?? '');
        html(pageOf(`location.assign(${JSON.stringify(back.href)});`));
        return;
      }
      default:
        response.writeHead(404).end();
    }
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const google: FakeGoogle = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId: 'sayso-client',
    clientSecret: 'sayso-secret',
    person: { sub: 'nobody', email: 'nobody@example.com' },
    answersForeignState: false,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const issuerUrl = issuer ?? google.url;
  return google;
}
