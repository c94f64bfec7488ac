import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Connector } from '#server/connectors/connector.ts';
import type { FakeTool } from './tools/fake-tool.ts';

/** `echo` tells back in each field of an error, and in its headers, all that was sent. */
export type Mood = 'well' | 'refuses' | 'fails' | 'garbage' | 'echo-400' | 'echo-401' | 'echo-500';

/** Stands before a fake with secrets of its own, which nothing but a call to it may ever show. */
export interface CanaryProxy {
  url: string;
  credentials: Record<string, string>;
  /** The canaries, and the tokens that they were traded for. */
  secrets: string[];
  mood: Mood;
  close(): Promise<void>;
}

/** Like the fake's own value, so that it passes the connector's pattern; its middle is random. */
function canaryLike(value: string): string {
  const middle = value.slice(8, -5);
  const random = randomBytes(middle.length).toString('hex');
  return (
    value.slice(0, 8) + middle.replaceAll(/[0-9a-f]/g, (_, at: number) => random.charAt(at)) + value.slice(-5)
  );
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function answerWith(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

/** What tools of all kinds say what is wrong in. */
function echoOf(request: IncomingMessage, body: string): string {
  const { host: _, ...headers } = request.headers;
  const text = `${Object.values(headers).join(' ')} ${body} ${request.url}`;
  const words = {
    code: text,
    message: text,
    title: text,
    detail: text,
    error: text,
    error_description: text,
  };
  const nested = { ...words, field: text, errorCode: text };
  return JSON.stringify({ ...words, category: text, Message: text, headers, errors: [nested], status: text });
}

export async function startCanaryProxy(connector: Connector, fake: FakeTool): Promise<CanaryProxy> {
  const credentials: Record<string, string> = { ...fake.credentials };
  const pairs: [canary: string, real: string][] = [];
  for (const { name, secret } of connector.credentials) {
    const real = fake.credentials[name] ?? '';
    if (!secret) continue;
    credentials[name] = canaryLike(real);
    pairs.push([credentials[name], real]);
  }
  const secrets = pairs.map(([canary]) => canary);
  const translate = (text: string) =>
    pairs.reduce(
      (left, [canary, real]) =>
        left.replaceAll(canary, real).replaceAll(encodeURIComponent(canary), encodeURIComponent(real)),
      text,
    );
  const translateHeader = (value: string) => {
    const [, encoded] = /^Basic (.+)$/.exec(value) ?? [];
    if (encoded === undefined) return translate(value);
    const plain = translate(Buffer.from(encoded, 'base64').toString('utf8'));
    return `Basic ${Buffer.from(plain, 'utf8').toString('base64')}`;
  };
  const headersFor = ({ 'content-length': _length, host: _host, ...headers }: IncomingHttpHeaders) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, translateHeader(String(value))]),
    );

  async function pass(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const { origin } = new URL(fake.url);
    const { connection: _, ...headers } = headersFor(request.headers);
    const hasBody = body !== '' && request.method !== 'GET';
    const answer = await fetch(`${origin}${translate(request.url ?? '')}`, {
      method: request.method ?? 'GET',
      headers,
      ...(hasBody && { body: translate(body) }),
    });
    const text = await answer.text();
    const [, token] = /"access_token":"([^"]+)"/.exec(text) ?? [];
    if (token !== undefined && !secrets.includes(token)) secrets.push(token);
    const { 'content-type': type = 'application/json' } = Object.fromEntries(answer.headers);
    answerWith(response, answer.status, type, text);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const { mood } = proxy;
    if (mood === 'well') return pass(request, response, body);
    if (mood === 'refuses') return answerWith(response, 401, 'application/json', '{}');
    if (mood === 'fails') return answerWith(response, 500, 'application/json', '{}');
    const echo = echoOf(request, body);
    if (mood === 'garbage') return answerWith(response, 200, 'text/html', `<!doctype html><p>${echo}`);
    return answerWith(response, Number(mood.slice('echo-'.length)), 'application/json', echo);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: CanaryProxy = {
    url: `http://127.0.0.1:${port}${new URL(fake.url).pathname}`,
    credentials,
    secrets,
    mood: 'well',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
