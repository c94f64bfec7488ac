import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { chromium } from 'playwright-core';
import { ApiError } from '#contract/client.ts';
import { logIn } from '#contract/accounts.ts';
import { startComparison } from '#contract/comparisons.ts';
import { listCustomers, mintLinks } from '#contract/customers.ts';
import { applyImport } from '#contract/imports.ts';
import { listIntegrations } from '#contract/integrations.ts';
import { listLists } from '#contract/lists.ts';
import { listPreferencePages } from '#contract/preference-pages.ts';
import { openCustomer, saveLists } from '#contract/public-preferences.ts';
import { listSites } from '#contract/sites.ts';
import { DEMO_WEBHOOK_URL } from '#db/demo/demo.ts';
import { CHROMIUM_FLAGS } from '#test/harness/browser.ts';
import { type Caller, callsTo } from '#test/harness/product.ts';
import { embeddedUrl } from '#test/harness/product-process.ts';
import { buildWorld, PASSWORD } from '#test/harness/world.ts';
import { checkAFile, type Demo, keepLoggedIn, logInToDemo, startDemo } from '#test/page/demo.ts';
import { entryOf, MAIN_SCREEN_NAMES, MAIN_SCREENS } from '#test/page/main-screens.ts';
import { ensureChromium } from '../../scripts/chromium.mjs';
import { startFakes } from '../../scripts/fakes.mjs';
import { buildHostileRequests } from './hostile-requests.ts';
import { inTurns } from './measure.ts';
import { startEndpoint } from './served.ts';
import { besideAttackOf, complaintsOf, type Observed, quartersOf, type Timed } from './soak.logic.ts';

/*
 * `npm run soak -- MINUTES` (default 120): the demo world under mixed load. Customers open pages and save at a steady rate,
 * each save goes to the tools' stand-ins and to a webhook, files are imported, tools are compared, and an owner looks at
 * one screen after another; in the fifth in the middle, another account and strangers send hostile requests. It ends with 1 if memory or
 * the queue of all sites grows, if requests fail or saves are lost, if the slowest requests of the last quarter take more than 1.2 times
 * as long as those of the first, or those beside hostile requests more than twice as long as the others. `DATABASE_URL` takes
 * another database than the embedded one.
 */

const MINUTES = Number(process.argv[2] ?? 120);
/**
 * Below what the tools allow, because what is to be seen is growth, not saturation. HubSpot allows least: 250,000 calls a
 * day are 2.75 a second, and a save costs one on average.
 */
const SAVES_PER_SECOND = 2;
const PAGES_PER_SECOND = 20;
const CUSTOMERS = 100;
const IMPORT_EVERY_MS = 5 * 60_000;
const COMPARE_EVERY_MS = 7 * 60_000;
const SCREEN_EVERY_MS = 5000;
const LOOK_EVERY_MS = 5000;
const ATTACK_EVERY_MS = 1000;
/** Access tokens last ten minutes. */
const LOG_IN_EVERY_MS = 8 * 60_000;
/** Before the clock starts: caches fill, and the compiler settles. */
const WARM_UP_MS = Math.min(60_000, MINUTES * 6000);

interface Person {
  sealed: string;
  path: string;
}

interface Site {
  params: { organization_id: string; site_id: string };
  host: string;
  customPath: string;
  lists: string[];
  people: Person[];
}

/** The shop of the demo, and a hundred of its customers with their personal links. */
async function openSite(demo: Demo, owner: Caller, organization: string): Promise<Site> {
  const { call } = callsTo(demo.url);
  const { results: sites } = await call(listSites, { params: { organization_id: organization } }, owner);
  const [site] = sites;
  if (site === undefined) throw new Error('The demo world has no site');
  const params = { organization_id: organization, site_id: site.id };
  const [{ results: pages }, { results: lists }, { results: customers }] = await Promise.all([
    call(listPreferencePages, { params }, owner),
    call(listLists, { params }, owner),
    call(listCustomers, { params, query: { limit: CUSTOMERS } }, owner),
  ]);
  const [page] = pages;
  if (page === undefined) throw new Error('The demo world has no page');
  const people: Person[] = [];
  for (const { id } of customers) {
    const body = { custom_path: page.custom_path };
    const links = await call(mintLinks, { params: { ...params, id }, body }, owner);
    const opened = await call(
      openCustomer,
      { body: { challenge: links.challenge, custom_path: page.custom_path } },
      { host: site.domain_name },
    );
    const { pathname, search } = new URL(links.preference_url);
    people.push({ sealed: opened.id, path: pathname + search });
  }
  return {
    params,
    host: site.domain_name,
    customPath: page.custom_path,
    lists: lists.map(({ id }) => id),
    people,
  };
}

const AGENT = new Agent({ keepAlive: true });

/**
 * Reads a page of this host to its end, wherever its name leads. As browsers do, it asks again when the server closed a
 * connection that had been idle just as it was used again.
 * @returns the status
 */
async function openAs(host: string, url: string): Promise<number> {
  const sent = request(url, { agent: AGENT, headers: { host } }).end();
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return answer.statusCode ?? 0;
  } catch (error) {
    if (sent.reusedSocket && error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
      return openAs(host, url);
    throw error;
  }
}

/** Starts `work` at a steady rate, whether or not what went before has ended. @returns what to call to end it */
function steadily(
  everyMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const running = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const one = work()
      .catch(onError)
      .finally(() => running.delete(one));
    running.add(one);
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
  };
}

/** One after the other, with a pause after each. */
function inARow(
  pauseMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const end = new AbortController();
  const row = (async () => {
    while (!end.signal.aborted) {
      await work().catch(onError);
      await sleep(pauseMs, undefined, { signal: end.signal }).catch(() => {});
    }
  })();
  return async () => {
    end.abort();
    await row;
  };
}

function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** The same CPU each time: a millisecond or two, because requests that are timed wait for it. */
function doFixedWork(): void {
  const key = Buffer.alloc(32);
  for (let turn = 0; turn < 50; turn += 1) createHmac('sha256', key).update(key).digest().copy(key);
}

interface Waiting {
  overdue: number;
  retrying: number;
  jobs: number;
}

/**
 * The queue as a whole. Overdue is what nobody has tried, whether a process holds it or not: its lease moves on while it waits
 * for its turn. By the index of what is due, so that looking does not take longer as deliveries arrive.
 */
const WAITING = `select
    count(*) filter (where attempt_count = 0 and created_at < now() - interval '1 minute')::int as overdue,
    count(*) filter (where attempt_count > 0)::int as retrying,
    (select count(*)::int from queue.job
     where state in ('created', 'retry') and start_after < now() - interval '1 minute') as jobs
  from deliveries where next_attempt_at is not null`;

async function soak(demo: Demo): Promise<string[]> {
  const observed: Observed = {
    saves: [],
    pages: [],
    memory: [],
    overdue: [],
    retrying: [],
    jobs: [],
    fixedWork: [],
    failures: [],
    attack: { from: MINUTES * 60 * 0.4, to: MINUTES * 60 * 0.6 },
  };
  const { call } = callsTo(demo.url);
  const session = await logInToDemo(demo);
  const owner: Caller = { token: session.token };
  if (session.organization === null) throw new Error('The demo has no organization');
  const site = await openSite(demo, owner, session.organization);
  const { results: integrations } = await call(listIntegrations, { params: site.params }, owner);
  const database = new pg.Client({
    connectionString: process.env['DATABASE_URL'] ?? embeddedUrl(demo.dataDir),
  });
  await database.connect();

  let began = performance.now() + WARM_UP_MS;
  const note = (list: Timed[], value: number) => {
    const at = (performance.now() - began) / 1000;
    if (at >= 0) list.push({ at, value });
  };
  const failed = (what: string) => (error: unknown) => {
    observed.failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  };
  const timed = async (list: Timed[], work: () => Promise<unknown>) => {
    const since = performance.now();
    await work();
    note(list, performance.now() - since);
  };

  let saved = 0;
  const recorded: string[] = [];
  const nextToSave = inTurns(site.people);
  const save = () => {
    const { sealed } = nextToSave();
    const round = Math.floor(saved / site.people.length);
    saved += 1;
    const list = site.lists[round % site.lists.length] ?? '';
    const subscribed = Math.floor(round / site.lists.length) % 2 === 0;
    return timed(observed.saves, async () => {
      const { choice_id: id } = await call(
        saveLists,
        {
          params: { customerId: sealed },
          headers: { 'idempotency-key': `soak-save-${saved}` },
          body: [{ notification_list_id: list, subscribed }],
        },
        { host: site.host },
      );
      if (id !== null) recorded.push(id);
    });
  };

  const nextPath = inTurns(site.people.flatMap(({ path }) => [path, `/${site.customPath}`]));
  const openPage = () =>
    timed(observed.pages, async () => {
      const status = await openAs(site.host, demo.url + nextPath());
      if (status !== 200) throw new Error(String(status));
    });

  const nextTool = inTurns(integrations.filter(({ status }) => status === 'connected'));
  const importAFile = async () => {
    const id = await checkAFile(demo.url, site.params, owner);
    await call(applyImport, { params: { ...site.params, id } }, owner);
  };
  const compare = async () => {
    const params = { ...site.params, id: nextTool().id };
    await call(startComparison, { params }, owner).catch((error: unknown) => {
      // The one before goes on as long as deliveries leave it calls.
      if (!(error instanceof ApiError && error.status === 409)) throw error;
    });
  };

  const hostile = await buildWorld({ call });
  const attacks = await buildHostileRequests({ call }, demo.url, hostile);
  const nextAttack = inTurns(attacks);
  const attack = async () => {
    const { name, send, expected } = nextAttack();
    const odd = (await send()).filter((status) => !expected.includes(status));
    if (odd.length > 0) throw new Error(`${name}: ${odd.join(', ')}`);
  };

  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: CHROMIUM_FLAGS });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await keepLoggedIn(context, demo);
  const window = await context.newPage();
  await window.goto(`${demo.url}/dashboard`);
  const nextScreen = inTurns(MAIN_SCREEN_NAMES);
  const look = async () => {
    const name = nextScreen();
    await entryOf(window, name).click();
    await window.locator(MAIN_SCREENS[name]).first().waitFor();
  };

  const ends = [
    steadily(1000 / SAVES_PER_SECOND, save, failed('save')),
    steadily(1000 / PAGES_PER_SECOND, openPage, failed('page')),
    inARow(IMPORT_EVERY_MS, importAFile, failed('import')),
    inARow(COMPARE_EVERY_MS, compare, failed('comparison')),
    inARow(SCREEN_EVERY_MS, look, failed('screen')),
    steadily(
      LOG_IN_EVERY_MS,
      async () => {
        owner.token = (await logInToDemo(demo)).token;
        const body = { username: hostile.owner.username, password: PASSWORD };
        hostile.owner.token = (await call(logIn, { body })).access_token;
      },
      failed('log-in'),
    ),
    inARow(
      LOOK_EVERY_MS,
      async () => {
        const { rows } = await database.query<Waiting>(WAITING);
        for (const what of ['overdue', 'retrying', 'jobs'] as const)
          note(observed[what], rows[0]?.[what] ?? 0);
        note(observed.memory, residentMb(demo.pid));
        await timed(observed.fixedWork, async () => doFixedWork());
      },
      failed('look'),
    ),
  ];
  await sleep(WARM_UP_MS);
  began = performance.now();
  const secondsUntil = async (at: number) => {
    await sleep(Math.max(0, at * 1000 - (performance.now() - began)));
  };
  await secondsUntil(observed.attack.from);
  const endAttack = inARow(ATTACK_EVERY_MS, attack, failed('attack'));
  await secondsUntil(observed.attack.to);
  await endAttack();
  await secondsUntil(MINUTES * 60);
  await Promise.all(ends.map((end) => end()));
  const { rows: kept } = await database.query<{ count: number }>(
    'select count(*)::int as count from choices where site_id = $1 and id = any($2)',
    [site.params.site_id, recorded],
  );
  if (kept[0]?.count !== recorded.length)
    observed.failures.push(`${recorded.length} saves were accepted, ${kept[0]?.count} are recorded`);
  AGENT.destroy();
  await browser.close();
  await database.end();

  const quarters = quartersOf(observed, MINUTES * 60);
  console.log(
    `${MINUTES} minutes: ${observed.saves.length} saves, ${observed.pages.length} pages, ${observed.failures.length} failed`,
  );
  const columns = ['quarter', 'save p50', 'save p99', 'page p50', 'page p99', 'fixed work'];
  console.log(`\nMilliseconds, but for the last four columns; the queue is that of all sites:`);
  console.log(
    `\n| ${columns.join(' | ')} | memory MB | overdue deliveries | to be tried again | waiting jobs |\n|---|${'---:|'.repeat(9)}`,
  );
  for (const [index, one] of quarters.entries()) {
    const times = [one.saveP50, one.saveP99, one.pageP50, one.pageP99, one.fixedWork];
    const cells = [
      ...times.map((ms) => ms.toFixed(1)),
      one.memory.toFixed(0),
      one.overdue,
      one.retrying,
      one.jobs,
    ];
    console.log(`| ${[index + 1, ...cells].join(' | ')} |`);
  }
  const { saves, pages } = besideAttackOf(observed);
  console.log('\nThe slowest hundredth beside hostile requests, and without, in ms:');
  for (const [what, { beside, without }] of [
    ['saves', saves],
    ['pages', pages],
  ] as const)
    console.log(`${what}: ${beside.toFixed(1)}, ${without.toFixed(1)}`);
  return complaintsOf(quarters, { saves, pages }, observed.failures);
}

async function main(): Promise<number> {
  if (!(MINUTES > 0))
    throw new Error(`MINUTES must be a number above 0, not ${process.argv[2]}: npm run soak -- 120`);
  const [fakes, endpoint] = await Promise.all([
    startFakes(),
    startEndpoint(Number(new URL(DEMO_WEBHOOK_URL).port)),
  ]);
  const demo = await startDemo({ fakes });
  try {
    const complaints = await soak(demo);
    console.log(complaints.length === 0 ? '\nLevel.' : `\n${complaints.join('\n')}`);
    return complaints.length === 0 ? 0 : 1;
  } finally {
    await demo.stop();
    await fakes.stop();
    endpoint.close();
  }
}

process.exitCode = await main();
