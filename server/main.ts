import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError, readConfig } from './platform/config.ts';
import { areWorkersPaused, isUsedWithKey } from './platform/installation.ts';
import { createLog, type Log } from './platform/log.ts';
import { refuseWrongTlsMode } from './platform/mail-server-check.ts';
import { allowedConnections, migrate } from './platform/migrate.ts';
import { startEmbeddedPostgres } from './platform/postgres/embedded.ts';
import { refuseSharedConnections } from './platform/pooler.ts';
import { createKeyring, hasSecretKeys, withSecretKeys } from './platform/secrets.ts';
import type { Services } from './platform/services.ts';
import { listenError, startProblem } from './platform/start-errors.ts';
import { createProduct, type Product } from './product.ts';
import { QUEUES } from './queues.ts';

/** How a process that serves is told what its parent found out. */
const HANDED_DOWN = 'SAYSO_HANDED_DOWN';

/** Where the demo finds the stand-ins of the email tools; the scripts that start them say it. */
const FAKE_TOOLS = '--fake-tools=';

interface HandedDown {
  databaseUrl: string;
  secretKeys: string[];
}

/** Up and serving, or told to stop. */
let isStarted = false;

function onSignal(stop: () => Promise<void>): void {
  isStarted = true;
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
    });
  }
}

/** A new key is made for a new database only. */
async function refuseLostKey(config: Config, ownerUrl: string): Promise<void> {
  if (hasSecretKeys(config) || !(await isUsedWithKey(ownerUrl))) return;
  throw new ConfigError(
    `SECRET_KEY: the key of this database is missing. Set SECRET_KEY, or put the file secret.key back into ${config.dataDir}.`,
  );
}

/** Those of other machines cannot be known here; docs/settings.md has a table to add them up. */
async function refuseTooManyConnections(config: Config, databaseUrl: string): Promise<void> {
  const processes = config.role === 'worker' ? 1 : config.webConcurrency;
  const wanted = processes * config.databaseConnections;
  const allowed = await allowedConnections(databaseUrl);
  if (wanted <= allowed) return;
  throw new ConfigError(
    `DATABASE_CONNECTIONS: ${processes} times ${config.databaseConnections} is ${wanted}, but the database allows ` +
      `${allowed}. Set it to at most ${Math.floor(allowed / processes)}, or raise max_connections in the database.`,
  );
}

/** Brings up the database and the schema; gives the connection of the server's own role. */
async function prepare(config: Config, log: Log) {
  await refuseWrongTlsMode(config.smtpUrl);
  if (config.databaseUrl !== '') await refuseSharedConnections(config.databaseUrl);
  const embedded =
    config.databaseUrl === '' ? await startEmbeddedPostgres({ dataDir: config.dataDir, log }) : null;
  try {
    await refuseLostKey(config, embedded?.url ?? config.databaseUrl);
    const configWithKeys = withSecretKeys(config);
    const databaseUrl = await migrate(
      embedded?.url ?? config.databaseUrl,
      createKeyring(configWithKeys.secretKeys),
      QUEUES,
    );
    await refuseTooManyConnections(config, databaseUrl);
    const ownerUrl = embedded?.url ?? config.databaseUrl;
    return { databaseUrl, ownerUrl, config: configWithKeys, stop: async () => embedded?.stop() };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** A proxy asks once a second whether requests are welcome (deploy/Caddyfile); those on their way still come. */
const DRAIN_MS = 3000;

/** Behind a proxy, nobody must find the door closed: it is told first. */
async function drain(config: Config, product: Product): Promise<void> {
  if (config.trustProxy === null || config.role === 'worker') return;
  product.drain();
  await sleep(DRAIN_MS);
}

/** The demo's own work starts on a machine that is busy with starting: it waits, where a visitor would be told at once. */
const DEMO_CONNECTS_WITHIN_MS = 10_000;

const isDemo = process.argv.includes('--demo');

async function serve(config: Config, databaseUrl: string, log: Log, worker: boolean) {
  const product = await createProduct(config, databaseUrl, {
    log,
    worker,
    ...(isDemo ? { connectWithinMs: DEMO_CONNECTS_WITHIN_MS } : {}),
  });
  try {
    await product.listen();
  } catch (error) {
    await product.stop();
    throw listenError(error, config);
  }
  return product;
}

function announce(config: Config, isPaused = false): void {
  if (isPaused) console.log('This is a restored copy: the workers are paused until `npm run resume`.');
  else if (config.role === 'worker') console.log('Sayso is running and sending deliveries.');
  if (config.role !== 'worker') console.log(`Sayso is ready: ${config.appUrl}`);
}

/** Told to `npm start`, which starts a server again that dies after this: as soon as it may be asked something. */
function sayItListens(): void {
  process.send?.('ready');
}

async function startAlone(config: Config, log: Log): Promise<void> {
  const prepared = await prepare(config, log);
  const product = await serve(prepared.config, prepared.databaseUrl, log, config.role !== 'web').catch(
    async (error: unknown) => {
      await prepared.stop();
      throw error;
    },
  );
  const stopping = new AbortController();
  const { signal } = stopping;
  const isPeopled = isDemo ? makeDemo(product.services, prepared.ownerUrl, signal) : Promise.resolve();
  onSignal(async () => {
    stopping.abort();
    await isPeopled.catch(() => null);
    await drain(config, product);
    await product.stop();
    await prepared.stop();
  });
  sayItListens();
  await isPeopled;
  if (signal.aborted) return;
  announce(prepared.config, await areWorkersPaused(product.services.database.global));
}

async function makeDemo(services: Services, ownerUrl: string, signal: AbortSignal): Promise<void> {
  const { readAsked } = await import('#db/demo/asked.ts');
  const asked = readAsked(process.argv);
  const { createDemoWorld } = await import('#db/demo/demo.ts');
  const fakeTools = process.argv.find((one) => one.startsWith(FAKE_TOOLS))?.slice(FAKE_TOOLS.length);
  console.log(await createDemoWorld(services, fakeTools === undefined ? {} : { fakeTools }));
  const say = (progress: string) => console.log(progress);
  if (asked.crowd && !signal.aborted) {
    const { createCrowd } = await import('#db/demo/crowd.ts');
    say(await createCrowd(services, { say, signal }));
  }
  if (asked.customers > 0 && !signal.aborted) {
    const { createMillions } = await import('#db/demo/millions.ts');
    say(await createMillions(services, { customers: asked.customers, ownerUrl, say, signal }));
  }
  if (asked.sites > 0 && !signal.aborted) {
    const { createManySites } = await import('#db/demo/many-sites.ts');
    say(await createManySites(services, { sites: asked.sites, ownerUrl, say, signal }));
  }
}

/** One process prepares and watches; `WEB_CONCURRENCY` others serve, the first of them also works the queue. */
async function startMany(config: Config, log: Log): Promise<void> {
  const prepared = await prepare(config, log);
  const handedDown: HandedDown = {
    databaseUrl: prepared.databaseUrl,
    secretKeys: prepared.config.secretKeys,
  };
  let stopping = false;
  const fork = () => cluster.fork({ [HANDED_DOWN]: JSON.stringify(handedDown) });
  let listening = false;
  for (let count = 0; count < config.webConcurrency; count += 1) fork();
  cluster.once('listening', () => {
    listening = true;
    sayItListens();
    announce(prepared.config);
  });
  cluster.on('exit', (child, code) => {
    if (stopping) return;
    // One that never came up has said why; starting it again would say the same again.
    if (!listening) {
      stopping = true;
      void prepared.stop().finally(() => process.exit(1));
      return;
    }
    log.warn({ pid: child.process.pid, code }, 'a web process ended and is started again');
    setTimeout(fork, 1000);
  });
  onSignal(async () => {
    stopping = true;
    const children = Object.values(cluster.workers ?? {}).filter((child) => child !== undefined);
    await Promise.all(
      children.map(
        (child) =>
          new Promise((resolve) => {
            child.once('exit', resolve);
            child.process.kill('SIGTERM');
          }),
      ),
    );
    await prepared.stop();
  });
}

async function startChild(config: Config, log: Log, handedDown: HandedDown): Promise<void> {
  const own = { ...config, secretKeys: handedDown.secretKeys };
  const product = await serve(own, handedDown.databaseUrl, log, config.role !== 'web');
  onSignal(async () => {
    await drain(config, product);
    await product.stop();
  });
}

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  const handedDown = process.env[HANDED_DOWN];
  if (handedDown !== undefined) await startChild(config, log, JSON.parse(handedDown) as HandedDown);
  else if (config.webConcurrency > 1 && config.role !== 'worker') await startMany(config, log);
  else await startAlone(config, log);
}

/** A start that gives up without a word, because nothing is left to wait for, is no success. */
function refuseSilentEnd(code: number): void {
  if (code !== 0 || isStarted) return;
  console.error('Sayso stopped before it was ready, without an error. This is a bug in Sayso.');
  process.exitCode = 1;
}

process.on('exit', refuseSilentEnd);
main().catch((error: unknown) => {
  console.error(startProblem(error));
  process.exit(1);
});
