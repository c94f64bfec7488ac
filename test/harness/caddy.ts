import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ensureCaddy } from '../../scripts/caddy.mjs';
import { freePort } from './ports.ts';

const CADDYFILE = join(import.meta.dirname, '../../deploy/Caddyfile');

export interface Caddy {
  httpPort: number;
  httpsPort: number;
  /** The certificate of its own authority; there from the first certificate on. */
  authority(): string;
  output(): string;
  adminSocket: string;
  /** As an operator does it after a change of the file. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** The Caddyfile that we hand out, on loopback ports, with an authority of its own in place of a public one. */
export async function startCaddy(upstream: string): Promise<Caddy> {
  const folder = mkdtempSync(join(tmpdir(), 'sayso-caddy-'));
  const [httpPort, httpsPort, askPort] = [await freePort(), await freePort(), await freePort()];
  const admin = `unix/${join(folder, 'admin.sock')}`;
  const forTests = [
    '{',
    'default_bind 127.0.0.1',
    `http_port ${httpPort}`,
    `https_port ${httpsPort}`,
    'local_certs',
    'skip_install_trust',
    `storage file_system ${join(folder, 'storage')}`,
  ];
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, readFileSync(CADDYFILE, 'utf8').replace(/^\{$/m, forTests.join('\n\t')));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    ACME_EMAIL: 'nobody@example.com',
    SAYSO_UPSTREAM: upstream,
    SAYSO_ASK_PORT: String(askPort),
    CADDY_ADMIN: admin,
  };
  let output = '';
  const child = spawn(await ensureCaddy(), ['run', '--config', file, '--adapter', 'caddyfile'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }

  async function stop(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }

  const deadline = Date.now() + 90_000;
  while (!output.includes('serving initial configuration')) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop();
      throw new Error(`Caddy did not start:\n${output.slice(-4000)}`);
    }
    await sleep(50);
  }
  const authority = join(folder, 'storage/pki/authorities/local/root.crt');
  return {
    httpPort,
    httpsPort,
    authority: () => (existsSync(authority) ? readFileSync(authority, 'utf8') : ''),
    output: () => output,
    adminSocket: join(folder, 'admin.sock'),
    async reload() {
      // Without a change, Caddy would keep what it has.
      appendFileSync(file, '\n# changed\n');
      const args = ['reload', '--force', '--config', file, '--adapter', 'caddyfile', '--address', admin];
      await promisify(execFile)(await ensureCaddy(), args, { env });
    },
    stop,
  };
}
