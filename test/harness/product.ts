import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { callRoute, ApiError } from '#contract/client.ts';
import type { Route, RouteCall, RouteResponse } from '#contract/route.ts';
import { readConfig } from '#server/platform/config.ts';
import { createLog, type Log } from '#server/platform/log.ts';
import { createProduct, type Product } from '#server/product.ts';
import { TestClock } from './clock.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { freePort } from './ports.ts';

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

/**
 * The whole product on a port of its own, with a database of its own and a clock that the test moves.
 * @param options.env settings beyond the test defaults
 * @param options.log instead of standard output
 * @param options.beside another product, whose database and clock it shares; it is stopped before that one
 * @param options.through another way to the database than the straight one
 */
export async function startTestProduct(
  options: {
    env?: Record<string, string>;
    worker?: boolean;
    clock?: TestClock;
    log?: Log;
    beside?: TestProduct;
    through?: (appUrl: string) => string | Promise<string>;
  } = {},
): Promise<TestProduct> {
  const { through = (appUrl) => appUrl } = options;
  const testDatabase = options.beside?.testDatabase ?? (await createTestDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), 'sayso-product-'));
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
