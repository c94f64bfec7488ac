import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { inject, vi } from 'vitest';
import { callRoute, ApiError } from '#contract/client.ts';
import type { Route, RouteCall, RouteResponse } from '#contract/route.ts';
import { createCache } from '#server/platform/cache.ts';
import { readConfig } from '#server/platform/config.ts';
import { createLog, type Log } from '#server/platform/log.ts';
import { createLimits } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import { createProduct, type Product } from '#server/product.ts';
import { TestClock } from './clock.ts';
import { createTestDatabase, type Keeper, type TestDatabase } from './database.ts';
import { freePort } from './ports.ts';
import { refuseBrokenRules } from './recorded-statements.ts';
import { goBackTo, takeSnapshot } from './snapshot.ts';

export interface TestProduct extends Product {
  /** Address of the app, e.g. `http://localhost:41234`. */
  url: string;
  clock: TestClock;
  testDatabase: TestDatabase;
  /** Makes a call of the contract over real HTTP. */
  call<R extends Route>(route: R, call: RouteCall<R>, as?: Caller): Promise<RouteResponse<R>>;
  /** Like `call`, for calls that must fail. */
  refuse<R extends Route>(route: R, call: RouteCall<R>, as?: Caller): Promise<ApiError>;
}

/** All that the builders of worlds need of a product, whichever way it runs. */
export type Calls = Pick<TestProduct, 'call'>;

/** Who makes a call: an owner by token, a visitor by the site's host. */
export interface Caller {
  token?: string;
  host?: string;
  /** Of a browser that the account knows. */
  cookie?: string;
}

export function callsTo(url: string): Calls {
  return { call: (route, parts, as = {}) => callRoute(route, parts, { base: url, headers: headersOf(as) }) };
}

function headersOf(as: Caller): Record<string, string> {
  return {
    ...(as.token === undefined ? {} : { authorization: `Bearer ${as.token}` }),
    ...(as.host === undefined ? {} : { 'x-site-domain': as.host }),
    ...(as.cookie === undefined ? {} : { cookie: as.cookie }),
  };
}

interface Options {
  /** Settings beyond the test defaults. */
  env?: Record<string, string>;
  worker?: boolean;
  clock?: TestClock;
  /** Instead of standard output. */
  log?: Log;
  /** Another product, whose database and clock it shares; it is stopped before that one. */
  beside?: TestProduct;
  /** Another way to the database than the straight one. */
  through?: (appUrl: string) => string | Promise<string>;
}

/**
 * The whole product with a database and a clock that the test moves. Without options it is one that an earlier file of this
 * process has stopped, where there is one: it goes on, and is as it was after its start.
 * @param options.isOwn no other file has used it, or will: for tests of its start, its end, or of what only a first one shows
 */
export async function startTestProduct(options: Options & { isOwn?: true } = {}): Promise<TestProduct> {
  const { isOwn = false, ...others } = options;
  return isOwn || Object.keys(others).length > 0 ? launch(others) : lend();
}

/** On a port of its own, with a database and, if asked for nothing else, a clock of its own. */
async function launch(options: Options): Promise<TestProduct> {
  const { through = (appUrl) => appUrl } = options;
  const testDatabase = options.beside?.testDatabase ?? (await createTestDatabase());
  const dataDir = mkdtempSync(join(inject('folder'), 'product-'));
  const port = await freePort();
  const config = readConfig({
    NODE_ENV: 'test',
    PORT: String(port),
    DATA_DIR: dataDir,
    SECRET_KEY: inject('secretKey'),
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    ALLOW_PRIVATE_TARGETS: '1',
    ...options.env,
  });
  const clock = options.clock ?? options.beside?.clock ?? new TestClock();
  const product = await createProduct(config, await through(testDatabase.appUrl), {
    log: options.log ?? createLog(config.logLevel),
    clock,
    worker: options.worker ?? false,
  });
  await product.listen();
  const url = config.appUrl;
  const { call } = callsTo(url);
  return {
    ...product,
    url,
    clock,
    testDatabase,
    call,
    async refuse(route, parts, as) {
      try {
        await call(route, parts, as);
      } catch (error) {
        if (error instanceof ApiError) return error;
        throw error;
      }
      throw new Error(`${route.method} ${route.path} was expected to be refused`);
    },
    async stop() {
      await product.stop();
      rmSync(dataDir, { recursive: true, force: true });
      if (options.beside === undefined) await testDatabase.drop();
    },
  };
}

/** A product that outlives the test files that use it. */
interface Lent {
  product: TestProduct;
  /** As they were after its start. */
  keeper: Keeper;
  services: Services;
}

/** Products that files of this process gave back. They end with it. */
const spare: Lent[] = [];

async function lend(): Promise<TestProduct> {
  const kept = spare.pop();
  if (kept !== undefined) return handleOf(kept);
  const product = await launch({});
  const { keeper } = product.testDatabase;
  if (keeper === null) return product;
  const snapshot = await takeSnapshot(keeper.client);
  return handleOf({ product, keeper: { ...keeper, snapshot }, services: { ...product.services } });
}

/** What one file gets of it. */
function handleOf(lent: Lent): TestProduct {
  let isBack = false;
  return {
    ...lent.product,
    async stop() {
      if (isBack) return undefined;
      isBack = true;
      if (!(await restore(lent))) return lent.product.stop();
      spare.push(lent);
      refuseBrokenRules(lent.product.testDatabase.name, inject('catalog'));
    },
  };
}

/** As it was after its start. @returns false: it can't be used again */
async function restore({ product, keeper, services }: Lent): Promise<boolean> {
  if (!(await isLeftAlone(keeper.client)) || !(await goBackTo(keeper))) return false;
  product.clock.reset();
  Object.assign(product.services, services);
  // What they remember is of sites that are gone, and of a time that may be yet to come.
  Object.assign(services.cache, createCache(services.pubsub));
  Object.assign(services.limits, createLimits(services.database, services.keyring));
  return true;
}

/** What still writes after the last answer, such as a mail, would write into the next file. */
async function isLeftAlone(client: pg.Client): Promise<boolean> {
  const isIdle = async () => {
    const { rows } = await client.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    );
    return rows.length === 0;
  };
  return vi.waitUntil(isIdle, { timeout: 5000, interval: 10 }).catch(() => false);
}
