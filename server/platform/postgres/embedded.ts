import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries, type Binaries } from './binaries.ts';
import { lockDirectory } from './directory-lock.ts';
import { explain } from './cluster-error.ts';
import { createDatabase, urlOf } from './connection.ts';
import { initialise, isInitialised, readPassword } from './initialise.ts';
import { preparePaths, type ClusterPaths } from './paths.ts';
import { choosePort } from './port.ts';
import { adoptPostmaster, startPostmaster, type Postmaster, type Settings } from './postmaster.ts';
import { signal, terminate } from './processes.ts';
import { chooseRunAs, makeAccessible, type RunAs } from './run-as.ts';

export type SupervisorLog = { info(message: string): void; warn(message: string): void };

export type EmbeddedPostgres = {
  /** The superuser's URL of the database `sayso`. */
  url: string;
  /** True if PostgreSQL was still running, left behind by a killed Sayso. */
  adopted: boolean;
  stop: () => Promise<void>;
};

export const DATABASE = 'sayso';
const shutdownPatience = 60_000;
const backoff = [0, 100, 200, 400, 800, 1500];

/** @param options.settings where they differ from the product's own: of a database that need not last */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: SupervisorLog;
  settings?: Settings;
}): Promise<EmbeddedPostgres> {
  const { dataDir, log, settings = {} } = options;
  try {
    const paths = preparePaths(dataDir);
    const claim = await lockDirectory(paths.home, dataDir);
    try {
      return await supervise(paths, log, settings, claim.release);
    } catch (error) {
      claim.release();
      throw error;
    }
  } catch (error) {
    throw explain(error, dataDir);
  }
}

async function supervise(
  paths: ClusterPaths,
  log: SupervisorLog,
  settings: Settings,
  release: () => void,
): Promise<EmbeddedPostgres> {
  const password = readPassword(paths);
  const orphan = await adoptPostmaster(paths, password);
  let current = orphan ?? (await startFresh(paths, log, settings));
  const { port } = current;
  await createDatabase({ port, password }, DATABASE);
  let stopping: Promise<void> | undefined;

  // If the product exits without stopping us, PostgreSQL is still asked to shut down cleanly.
  const onExit = () => signal(current.pid, 'SIGINT');
  process.once('exit', onExit);

  async function keepRunning() {
    for (;;) {
      await current.gone;
      if (stopping) return;
      log.warn('PostgreSQL ended unexpectedly; starting it again.');
      const next = await restart(paths, log, { port, settings }, () => stopping !== undefined);
      if (!next) return;
      current = next;
      if (stopping) return;
      log.info('PostgreSQL is back.');
    }
  }
  const running = keepRunning();

  async function stop() {
    await terminate(current.pid, shutdownPatience);
    await running;
    await terminate(current.pid, shutdownPatience);
    process.off('exit', onExit);
    release();
  }

  return {
    url: urlOf({ port, password }, DATABASE),
    adopted: orphan !== undefined,
    stop: () => (stopping ??= stop()),
  };
}

async function startFresh(paths: ClusterPaths, log: SupervisorLog, settings: Settings): Promise<Postmaster> {
  const binaries = await findBinaries();
  const runAs = chooseRunAs(binaries, paths.home);
  if (!isInitialised(paths)) {
    log.info(`Creating the database in ${paths.home} ...`);
    await initialise(paths, binaries, runAs);
  }
  makeAccessible(paths.cluster, runAs.owner);
  return startOnFreePort(paths, binaries, runAs, settings);
}

const passing = /could not bind|already in use|still in use|No such process/i;

async function startOnFreePort(
  paths: ClusterPaths,
  binaries: Binaries,
  runAs: RunAs,
  settings: Settings,
): Promise<Postmaster> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startPostmaster(paths, binaries, runAs, await choosePort(paths.port), settings);
    } catch (error) {
      const mayPass = error instanceof Error && passing.test(error.message);
      if (!mayPass || attempt === 20) throw error;
      await sleep(250);
    }
  }
}

/** On the same port, which the product's pool knows, with unlimited retries. */
async function restart(
  paths: ClusterPaths,
  log: SupervisorLog,
  { port, settings }: { port: number; settings: Settings },
  unwanted: () => boolean,
): Promise<Postmaster | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    await sleep(backoff[Math.min(attempt, backoff.length - 1)]);
    if (unwanted()) return undefined;
    try {
      const binaries = await findBinaries();
      return await startPostmaster(paths, binaries, chooseRunAs(binaries, paths.home), port, settings);
    } catch (error) {
      if (attempt > 2) log.warn(explain(error, paths.home).message);
    }
  }
}
