import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Lexer, type Tokens } from 'marked';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testAction } from '#contract/action-tests.ts';
import { updateAction } from '#contract/actions.ts';
import { type Received, startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { freePort } from '#test/harness/ports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWebhook, buildWorld, type World } from '#test/harness/world.ts';

/** The samples of the handbook, as a reader copies them. */
const PAGE = join(import.meta.dirname, '../../../docs/handbook/webhooks.md');

const run = promisify(execFile);

let product: TestProduct;
let world: World;
let receiver: WebhookReceiver;
let folder: string;
/** Signed by the product. */
let received: Received;
let secret: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sayso-samples-'));
  for (const token of Lexer.lex(readFileSync(PAGE, 'utf8'))) {
    const [, file] = token.type === 'code' ? ((token as Tokens.Code).lang ?? '').split(' ') : [];
    if (file !== undefined) writeFileSync(join(folder, file), (token as Tokens.Code).text);
  }
  product = await startTestProduct();
  world = await buildWorld(product);
  receiver = await startWebhookReceiver();
  const webhook = await buildWebhook(product, world, { url: receiver.url });
  const params = { ...world.params, id: webhook.id };
  await product.call(testAction, { params }, world.owner);
  // While a secret is being replaced there are two signatures.
  const rotated = await product.call(updateAction, { params, body: { rotate_secret: true } }, world.owner);
  secret = rotated.signing_secret ?? '';
  await product.call(testAction, { params }, world.owner);
  received = receiver.received.at(-1) ?? { path: '', headers: {}, body: '' };
});

afterAll(async () => {
  await receiver.close();
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a sample on a request; gives the type of the message, or "refused". */
type Runner = (input: { headers: Record<string, string>; body: string; secret: string }) => Promise<string>;

const NODE = `import { readFileSync } from 'node:fs';
import { verify } from './verify.mjs';
const { headers, body, secret } = JSON.parse(readFileSync('input.json', 'utf8'));
let said = 'refused';
try { said = verify(headers, body, secret).type; } catch {}
process.stdout.write(said);`;

const PYTHON = `import json
from verify import verify
given = json.load(open("input.json", encoding="utf-8"))
try:
    print(verify(given["headers"], given["body"].encode(), given["secret"])["type"], end="")
except Exception:
    print("refused", end="")`;

function runnerOf(command: string, args: string[], file: string, program: string): Runner {
  return async (input) => {
    writeFileSync(join(folder, 'input.json'), JSON.stringify(input));
    writeFileSync(join(folder, file), program);
    const { stdout } = await run(command, [...args, file], { cwd: folder });
    return stdout;
  };
}

const RUNNERS: [string, Runner][] = [
  ['Node', runnerOf(process.execPath, [], 'check.mjs', NODE)],
  ['Python', runnerOf('python3', ['-B'], 'check.py', PYTHON)],
];

describe.each(RUNNERS)('the sample in %s', (_, verify) => {
  it('accepts a webhook from the product, signed with either of two secrets', async () => {
    expect(received.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(await verify({ ...received, secret })).toBe('unsubscribed');
  });

  it('rejects another body, another secret, a missing signature, and an old one', async () => {
    const { headers, body } = received;
    const old = String(Number(headers['webhook-timestamp']) - 600);
    const other = `whsec_${Buffer.from('another secret of somebody else').toString('base64')}`;
    expect(await verify({ headers, body: `${body} `, secret })).toBe('refused');
    expect(await verify({ headers, body, secret: other })).toBe('refused');
    expect(await verify({ headers: { ...headers, 'webhook-signature': 'v1,' }, body, secret })).toBe(
      'refused',
    );
    expect(await verify({ headers: { ...headers, 'webhook-timestamp': old }, body, secret })).toBe('refused');
  });
});

describe('the whole receiver', () => {
  it('answers 204 to the product, and 400 to anybody else', async () => {
    const port = await freePort();
    const child = spawn(process.execPath, ['receiver.mjs'], {
      cwd: folder,
      env: { PORT: String(port), WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    child.stdout.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
    const url = `http://127.0.0.1:${port}/`;
    try {
      const post = (body: string) =>
        fetch(url, { method: 'POST', headers: receivedHeaders(), body }).then(
          ({ status }) => status,
          () => 0,
        );
      await expect.poll(() => post('{}')).toBe(400);
      expect(await post(received.body)).toBe(204);
      await expect.poll(() => lines.join('')).toContain('unsubscribed');
    } finally {
      child.kill();
    }
  });
});

function receivedHeaders(): Record<string, string> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'content-type'];
  return Object.fromEntries(names.map((name) => [name, received.headers[name] ?? '']));
}
