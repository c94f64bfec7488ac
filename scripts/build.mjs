import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { build } from 'vite';
import { inRoot, root, say, seconds } from './project.mjs';
import { hashInputs, staleTargets } from './targets.mjs';

// Built beside its place and then moved in, so that a running product never sees half a build.
async function buildTarget({ name, label }, hash) {
  const began = performance.now();
  const place = inRoot('dist', name);
  const fresh = inRoot('dist', `.${name}-${process.pid}`);
  const old = `${fresh}-old`;
  try {
    await build({
      configFile: inRoot('vite.config.ts'),
      mode: name,
      logLevel: 'warn',
      build: { outDir: fresh },
    });
    writeFileSync(`${fresh}/.built`, hash);
    moveAway(place, old);
    renameSync(fresh, place);
  } finally {
    for (const leftover of [fresh, old]) rmSync(leftover, { recursive: true, force: true });
  }
  say(`Built the ${label} in ${seconds(began)}.`);
}

function moveAway(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

process.env.NODE_ENV = 'production';
process.chdir(root);
mkdirSync('dist', { recursive: true });
const hash = hashInputs();
for (const target of staleTargets(hash)) {
  try {
    await buildTarget(target, hash);
  } catch (error) {
    say(process.stderr.isTTY ? error.message : stripVTControlCharacters(error.message));
    process.exitCode = 1;
  }
}
