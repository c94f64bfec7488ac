import { readFileSync, statSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DnsServer, startDnsServer } from '#test/fakes/dns-server.ts';
import { type Caddy, startCaddy } from '#test/harness/caddy.ts';
import { setDomain, verifyDomain } from '#test/harness/domains.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

let dns: DnsServer;
let product: TestProduct;
let caddy: Caddy;
let acme: World;

beforeAll(async () => {
  dns = await startDnsServer();
  product = await startTestProduct({ env: { DNS_SERVERS: dns.address, TRUST_PROXY: '1' } });
  acme = await buildWorld(product, 'acme');
  caddy = await startCaddy(`127.0.0.1:${product.services.config.port}`);
});

afterAll(async () => {
  await caddy.stop();
  await product.stop();
  await dns.close();
});

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
  /** Names of the certificate, and whether the authority stands behind it. */
  certificate: string | undefined;
  isTrusted: boolean;
}

/** A visit as a browser makes it, all names leading to Caddy. */
function visit(host: string, path = '/preferences', method = 'GET', body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port: caddy.httpsPort,
        servername: host,
        method,
        path,
        headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
        ca: caddy.authority(),
        agent: false,
      },
      (response) => {
        const socket = response.socket as TLSSocket;
        const answer = {
          status: response.statusCode ?? 0,
          headers: response.headers,
          certificate: socket.getPeerCertificate().subjectaltname,
          isTrusted: socket.authorized,
        };
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ ...answer, body: Buffer.concat(chunks).toString() }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** The error of a handshake, or null when a certificate was shown. */
function handshake(servername: string): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port: caddy.httpsPort, rejectUnauthorized: false };
    const socket = connect({ ...options, ...(servername === '' ? {} : { servername }) }, () => {
      socket.destroy();
      resolve(null);
    });
    socket.on('error', (error) => resolve(error.message));
  });
}

describe('behind Caddy, with the Caddyfile that we ship', () => {
  it('a site is served over TLS, with a certificate for its name', async () => {
    const answer = await visit(acme.site.domain_name);
    expect(answer).toMatchObject({
      status: 200,
      isTrusted: true,
      certificate: `DNS:${acme.site.domain_name}`,
    });
    expect(answer.body).toContain('Acme');
  });

  it('a custom domain is refused until it is verified, and then served', async () => {
    const host = 'preferences.acme.example';
    await setDomain(product, acme, host);
    expect(await handshake(host)).toMatch(/alert/i);
    await verifyDomain(product, dns, acme, host);
    const answer = await visit(host);
    expect(answer).toMatchObject({ status: 200, isTrusted: true, certificate: `DNS:${host}` });
  });

  it('an unknown name gets no certificate, nor does a connection without a name', async () => {
    for (const host of ['nobody.example', 'nobody.localhost', `deep.${acme.site.domain_name}`, '']) {
      expect({ host, problem: await handshake(host) }).toEqual({
        host,
        problem: expect.stringMatching(/alert/i),
      });
    }
    expect(caddy.output()).not.toContain('certificate obtained successfully","identifier":"nobody');
  });

  it('a given-up domain is no longer served, even if there is still a certificate', async () => {
    const host = 'old.acme.example';
    await verifyDomain(product, dns, acme, host);
    expect((await visit(host)).status).toBe(200);
    await setDomain(product, acme, null);
    expect((await visit(host)).status).toBe(404);
  });

  it('the app host gets a certificate', async () => {
    expect(await handshake('localhost')).toBeNull();
  });

  it('a visit without TLS is redirected to it, keeping the method', async () => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: caddy.httpPort, path: '/preferences?a=b' };
      httpRequest({ ...options, headers: { host: acme.site.domain_name }, agent: false }, (response) => {
        response.resume();
        resolve(response);
      })
        .on('error', reject)
        .end();
    });
    expect(answer.statusCode).toBe(308);
    expect(answer.headers.location).toMatch(
      new RegExp(`^https://${acme.site.domain_name}(:\\d+)?/preferences\\?a=b$`),
    );
  });

  it('Caddy listens on loopback only in these tests, and takes orders only from its own user', () => {
    const sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
      readFileSync(file, 'utf8').split('\n'),
    );
    const portOf = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
    const listening = [caddy.httpPort, caddy.httpsPort].flatMap((port) =>
      sockets.flatMap((line) => new RegExp(`: (\\w+):${portOf(port)} \\w+:0000 0A`).exec(line)?.[1] ?? []),
    );
    expect(listening).toEqual(['0100007F', '0100007F']);
    // To connect to a socket is to write to it.
    expect(statSync(caddy.adminSocket).mode & 0o022).toBe(0);
  });
});
