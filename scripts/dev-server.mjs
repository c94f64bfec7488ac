import { readFileSync, watch } from 'node:fs';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createViteServer } from 'vite';
import { startEmbeddedPostgres } from '../server/platform/postgres/embedded.ts';
import { appHost, readConfig } from '../server/platform/config.ts';
import { OWNER_APP_PATHS } from '../server/shell/owner-app/owner-app.paths.ts';
import { startFakes } from './fakes.mjs';
import { inRoot, say, seconds } from './project.mjs';
import { launch, passSignalsOn } from './serve.mjs';
import { buildStale, DEV_BASE, DEV_TARGETS } from './targets.mjs';

/*
 * Development: Vite serves the owner app as modules and replaces what changes; everything else goes to the product, in a
 * process of its own that starts again when the server's files change. PostgreSQL and the stand-ins of the email tools
 * outlive it.
 */

const config = readConfig();
const apiPort = await freePort();

async function freePort() {
  const probe = createHttpServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** @param {NodeJS.ProcessEnv} env */
function superviseProduct(env) {
  const args = ['scripts/dev-product.mjs', `--fake-tools=${fakes.url}`, ...process.argv.slice(2)];
  let next = launch(args, env);
  let product = start();
  let isExpectedToEnd = false;
  let replaced = Promise.resolve();

  function start() {
    const started = next;
    started.child.send('start');
    next = launch(args, env);
    void started.exited.then(() => {
      if (!isExpectedToEnd) say('The server ended; it starts again with the next change.');
    });
    return started;
  }

  /** Resolves when the product takes connections; a request that comes during a restart waits for it. */
  async function listening() {
    await replaced;
    while (!(await isOpen(apiPort))) await sleep(20);
  }

  async function end() {
    isExpectedToEnd = true;
    product.child.kill('SIGTERM');
    await product.exited;
  }

  return {
    listening,
    async restart() {
      const began = performance.now();
      replaced = end().then(() => {
        product = start();
        isExpectedToEnd = false;
      });
      await replaced;
      const isUp = await Promise.race([listening().then(() => true), product.exited.then(() => false)]);
      if (isUp) say(`Restarted the server in ${seconds(began)}.`);
    },
    async stop() {
      next.child.kill('SIGKILL');
      await end();
    },
  };
}

/** @param {number} port @returns {Promise<boolean>} */
function isOpen(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

/** Paths with parameters, such as `/customers/:id`. */
const screens = OWNER_APP_PATHS.map((path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`));

/** @param {import('node:http').IncomingMessage} request */
function isOwnerScreen({ method, headers, url = '/' }) {
  const [path = '/'] = url.split('?');
  const isAppHost = headers.host?.toLowerCase() === appHost(config);
  return method === 'GET' && isAppHost && (path === '/404' || screens.some((screen) => screen.test(path)));
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
function passOn(request, response) {
  const { method, url, headers } = request;
  const onward = httpRequest({ host: '127.0.0.1', port: apiPort, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}

const document = inRoot('web/owner/index.html');

/** @param {{ listening: () => Promise<void> }} product */
async function startFront(product) {
  const server = createHttpServer();
  const vite = await createViteServer({
    configFile: inRoot('vite.config.ts'),
    mode: 'development',
    server: { middlewareMode: true, hmr: { server }, allowedHosts: true },
  });

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  async function answer(request, response) {
    if (isOwnerScreen(request)) {
      const html = await vite.transformIndexHtml(request.url ?? '/', readFileSync(document, 'utf8'));
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      response.end(html);
    } else if (request.url?.startsWith(DEV_BASE)) {
      vite.middlewares(request, response, () => response.writeHead(404).end());
    } else {
      await product.listening();
      passOn(request, response);
    }
  }

  server.on('request', (request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, () => resolve(null));
  });
  return {
    async stop() {
      server.close();
      server.closeAllConnections();
      await vite.close();
    },
  };
}

/** The server reads these; a change in the owner app concerns Vite alone. */
const readByServer = ['contract', 'server', 'db', 'web/page', 'web/ui', 'web/handbook', 'docs/handbook'];

/** @param {() => Promise<void>} restart */
function restartOnChange(restart) {
  let isWorking = false;
  let hasChanged = false;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  async function work() {
    isWorking = true;
    while (hasChanged) {
      hasChanged = false;
      const problem = await buildStale(DEV_TARGETS);
      if (problem === null) await restart();
      else say(problem);
    }
    isWorking = false;
  }

  for (const folder of readByServer) {
    watch(inRoot(folder), { recursive: true }, (_event, file) => {
      if (!file || /\.test\.tsx?$|~$|\.swp$/.test(file)) return;
      hasChanged = true;
      clearTimeout(timer);
      timer = setTimeout(() => void (isWorking || work()), 50);
    });
  }
}

/** Outlives restarts of the server. */
async function startDatabase() {
  if (config.databaseUrl !== '') return { url: config.databaseUrl, stop: async () => {} };
  return startEmbeddedPostgres({ dataDir: config.dataDir, log: { info: say, warn: say } });
}

const fakes = await startFakes();
const database = await startDatabase();
const product = superviseProduct({
  ...fakes.env,
  NODE_ENV: 'development',
  DATABASE_URL: database.url,
  APP_URL: config.appUrl,
  HOST: '127.0.0.1',
  PORT: String(apiPort),
});
const front = await startFront(product);
restartOnChange(() => product.restart());

passSignalsOn(() => {
  void (async () => {
    await front.stop();
    await product.stop();
    await database.stop();
    await fakes.stop();
    process.exit(0);
  })();
});
