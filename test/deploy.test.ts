import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '#contract/fields.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { STATUS_TEXTS } from '#server/shell/system/status.texts.ts';
import { startTestProduct, type TestProduct } from './harness/product.ts';
import { buildCustomer, buildWorld, openAsProven } from './harness/world.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, '..', name), 'utf8');

/** Names of the settings in the first column of the table; `<NAME>` stands for any email tool. */
function documentedSettings(): string[] {
  const table = (read('docs/settings.md').split('\n## ', 1)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  return table.flatMap((line) =>
    [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_<>]+)`/g)].map(([, name = '']) => name),
  );
}

describe('the compose file', () => {
  it('passes on every setting of docs/settings.md, and no other', () => {
    const compose = read('deploy/compose.yaml');
    const settings = /^x-settings: &settings\n((?:  .*\n)+)/m.exec(compose)?.[1] ?? '';
    const passed = [...settings.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name = '']) => name);
    const ofTools = documentedSettings().filter((name) => name.includes('<NAME>'));
    const others = documentedSettings().filter((name) => !name.includes('<NAME>'));
    expect(others.length).toBeGreaterThan(25);
    expect(passed.toSorted()).toEqual(others.toSorted());
    // Those of the email tools come with the file as it is, whatever tools there are.
    expect(ofTools).toHaveLength(3);
    expect(compose).toMatch(/^x-sayso: &sayso\n(?: {2}.*\n)* {2}env_file:\n {4}- path: \.env\n/m);
    expect(compose.match(/<<: \*sayso/g)).toHaveLength(2);
  });

  it('confines all that it starts: no rights to gain, nothing to write to but volumes, and limits', () => {
    const compose = read('deploy/compose.yaml');
    const confined = /^x-confined: &confined\n((?: {2}.*\n)+)/m.exec(compose)?.[1] ?? '';
    expect(confined.split('\n').map((line) => line.trim())).toEqual([
      'cap_drop: [ALL]',
      "security_opt: ['no-new-privileges:true']",
      'read_only: true',
      'pids_limit: 512',
      '',
    ]);
    const services = [
      ...compose.matchAll(/^(?:x-sayso: &sayso| {2}(?:caddy|database):)\n((?: {2,}.*\n)+)/gm),
    ];
    expect(services).toHaveLength(3);
    for (const [, service] of services) {
      expect(service).toContain('<<: *confined');
      expect(service).toMatch(/mem_limit: \d+[mg]/);
    }
  });
});

it('every image that the server starts or is built from is one: its tag names a version, and its digest the image', () => {
  const started = [...read('deploy/compose.yaml').matchAll(/^ +image: (\S+)$/gm)];
  const builtFrom = [...read('deploy/Dockerfile').matchAll(/^FROM (\S+)/gm)];
  const others = [...started, ...builtFrom]
    .map(([, image = '']) => image)
    .filter((image) => !['sayso', 'base'].includes(image));
  expect(others).toHaveLength(3);
  for (const image of others) expect(image).toMatch(/^[a-z]+:\d+\.\d+(?:\.\d+)?-[a-z-]+@sha256:[\da-f]{64}$/);
});

describe('someone who runs the product', () => {
  let product: TestProduct;

  beforeAll(async () => {
    product = await startTestProduct({ worker: true });
  });

  afterAll(() => product.stop());

  const metrics = async () => (await fetch(`${product.url}/metrics`)).text();

  it('finds every figure that an alert uses', async () => {
    const world = await buildWorld(product);
    const sealed = await openAsProven(product, world, await buildCustomer(product, world));
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await product.call(saveLists, { params: { customerId: sealed }, body }, world.visitor);
    const text = await metrics();
    const asked = new Set(read('deploy/alerts.yaml').match(/\b(?:sayso|http)_[a-z_]+/g));
    expect(asked.size).toBeGreaterThan(10);
    const known = new Set([...text.matchAll(/^# HELP (\S+)/gm)].map(([, name = '']) => name));
    const missing = [...asked].filter((name) => !known.has(name.replace(/_(count|sum|bucket)$/, '')));
    expect(missing).toEqual([]);
    expect(text).toMatch(/sayso_saves_total\{source="page"\} 1/);
    expect(text).toContain('sayso_database_up 1');
  });

  it('finds the request id of every response in its headers, even when the request was not understood', async () => {
    for (const path of ['/healthz', '/nothing', '/login', '/api/nothing', '/status', '/docs']) {
      const { headers } = await fetch(`${product.url}${path}`);
      expect({ path, id: headers.get('x-request-id') }).toEqual({
        path,
        id: expect.stringMatching(/^[\da-f-]{36}$/),
      });
    }
    const { connect } = await import('node:net');
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(product.services.config.port, '127.0.0.1', () =>
        socket.write('no HTTP at all\r\n\r\n'),
      );
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/^x-request-id: [\da-f-]{36}\r$/m);
  });

  it('has a status page that says what works, in the reader’s language', async () => {
    for (const language of LANGUAGES) {
      const answer = await fetch(`${product.url}/status`, { headers: { 'accept-language': language } });
      expect(answer.status).toBe(200);
      const html = await answer.text();
      expect(html).toContain(`<html lang="${language}">`);
      const texts = STATUS_TEXTS[language];
      // This product has no mail server.
      expect(html).toContain(texts.wellAsSetUp);
      expect(html).toContain(`<dt>${texts.emails}</dt><dd class="not-set-up">${texts.notSetUp}</dd>`);
      expect(html).toMatch(/<time datetime="[^"]+Z">[^<]+ UTC<\/time>/);
      expect(html).toContain(`<a href="/">${texts.open}</a>`);
      const fonts = [...html.matchAll(/url\('([^']+)'\)/g)].map(([, url = '']) => url);
      expect(fonts).toHaveLength(2);
      for (const url of fonts) expect((await fetch(`${product.url}${url}`)).status).toBe(200);
      expect(answer.headers.get('content-security-policy')).toContain("font-src 'self'");
    }
    const other = await fetch(`http://127.0.0.1:${product.services.config.port}/status`);
    expect(other.status).toBe(404);
  });

  it('sees on the status page that email works once there is a mail server', async () => {
    const mailing = await startTestProduct({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } });
    try {
      const html = await (await fetch(`${mailing.url}/status`)).text();
      expect(html).toContain(STATUS_TEXTS.en.allWell);
      expect(html).not.toContain(STATUS_TEXTS.en.notSetUp);
    } finally {
      await mailing.stop();
    }
  });

  it('sees on /readyz and /status when the disk is full, and when it no longer is', async () => {
    const { storage } = product.services.database;
    // What looks whether there is room again finds none, either.
    await product.testDatabase.owner.query(
      `create function full_disk() returns event_trigger language plpgsql as
         $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$;
       create event trigger full_disk on ddl_command_start when tag in ('CREATE TABLE') execute function full_disk()`,
    );
    await expect(
      product.services.database.global.query(
        `do $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$`,
      ),
    ).rejects.toMatchObject({ code: '53100' });
    expect((await fetch(`${product.url}/readyz`)).status).toBe(503);
    expect(await (await fetch(`${product.url}/status`)).text()).toContain(STATUS_TEXTS.en.notWorking);
    await product.testDatabase.owner.query('drop event trigger full_disk');
    const statusAfterCheck = async () => {
      // One that began before there was room again may still be under way.
      await storage.check();
      return (await fetch(`${product.url}/readyz`)).status;
    };
    await expect.poll(statusAfterCheck).toBe(200);
  });
});
