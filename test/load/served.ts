import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BenchDatabase, type BenchSite, buildBenchSite, settingsOf } from './bench-site.ts';
import { inTurns, type NextRequest } from './measure.ts';
import { startProcess } from './processes.ts';
import { freePort } from '#test/harness/ports.ts';

/** Half of them save. The other half leave, and are more than can leave in a round, so that each one-click changes something. */
export const PEOPLE = 40_000;

/** What is measured. */
export interface Served {
  base: string;
  site: BenchSite;
  database: BenchDatabase;
  process: ChildProcess;
}

/** A process of the product, with a site, on a database of its own. */
export async function serveProduct(
  role: 'web' | 'all',
  database: BenchDatabase,
  hookUrl: string,
): Promise<Served> {
  const site = await buildBenchSite(database, { people: PEOPLE, hookUrl });
  const port = await freePort();
  const env = {
    ...settingsOf(database),
    PORT: String(port),
    APP_URL: `http://localhost:${port}`,
    ROLE: role,
  };
  const child = await startProcess('server/main.ts', env, /ready/);
  return { base: `http://127.0.0.1:${port}`, site, database, process: child };
}

/** Counts what arrives. */
/** An endpoint that accepts every call. @param port 0: a free one */
export async function startEndpoint(port = 0) {
  let arrived = 0;
  const server = createServer((request, response) => {
    arrived += 1;
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrived: () => arrived,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Each save changes exactly one list of one customer, so that exactly one of the two actions matches. */
export function saves({ host, lists, people: all }: BenchSite): NextRequest {
  const people = all.slice(0, PEOPLE / 2);
  const [list = ''] = lists;
  const person = inTurns(
    people.map(({ sealed }) => ({ path: `/api/customer/v1/customers/${sealed}/lists`, on: false })),
  );
  return () => {
    const next = person();
    next.on = !next.on;
    return {
      method: 'PUT',
      path: next.path,
      headers: { 'content-type': 'application/json', 'x-site-domain': host },
      body: JSON.stringify([{ notification_list_id: list, subscribed: next.on }]),
    };
  };
}

/** One person after the other reads what they have chosen. */
export function reads({ host, customPath, people }: BenchSite): NextRequest {
  const reader = inTurns(people);
  return () => ({
    path: `/api/customer/v2/customers/${reader().sealed}/preferences/${customPath}`,
    headers: { 'x-site-domain': host },
  });
}
