import { existsSync, watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFakes } from './fakes.mjs';
import { inRoot, say } from './project.mjs';
import { launch, passSignalsOn } from './serve.mjs';
import { buildStale } from './targets.mjs';

const watched = ['contract', 'server', 'db', 'web', 'docs/handbook'];

/** @param {string[]} args */
export async function dev(args) {
  const fakes = await startFakes();
  try {
    return await reloadOnChange([...args, `--fake-tools=${fakes.url}`], {
      NODE_ENV: 'development',
      ...fakes.env,
    });
  } finally {
    await fakes.stop();
  }
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
async function reloadOnChange(args, env) {
  let server = launch(args, env);
  let stopping = false;
  let working = false;
  let changed = false;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  passSignalsOn((signal) => {
    stopping = true;
    server.child.kill(signal);
  });

  async function reload() {
    working = true;
    while (changed && !stopping) {
      changed = false;
      if (!(await buildStale())) continue;
      server.child.kill('SIGTERM');
      await server.exited;
      if (!stopping) server = launch(args, env);
    }
    working = false;
  }

  for (const folder of watched.filter((name) => existsSync(inRoot(name)))) {
    watch(inRoot(folder), { recursive: true }, (_event, file) => {
      if (!file || /\.test\.tsx?$|~$|\.swp$/.test(file)) return;
      changed = true;
      clearTimeout(timer);
      timer = setTimeout(() => void (working || reload()), 150);
    });
  }
  say('Watching for changes; Ctrl-C ends it.');

  for (;;) {
    const current = server;
    const code = await current.exited;
    if (stopping) return code;
    if (current === server && !working) {
      say('The server ended; it starts again with the next change.');
      while (server === current && !stopping) await sleep(100);
      if (stopping) return code;
    } else {
      await sleep(50);
    }
  }
}
