import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'vite';
import { inRoot, root, say, seconds } from './project.mjs';
import { inputsOf, staleTargets } from './targets.mjs';

process.env.NODE_ENV = 'production';

// Built beside its place and then moved in, so that a running product never sees half a build.
async function buildTarget(target) {
  const began = performance.now();
  const inputs = inputsOf(target);
  const fresh = inRoot('dist', `.${target.name}-${process.pid}`);
  const old = `${fresh}-old`;
  await build({
    configFile: inRoot('vite.config.ts'),
    mode: target.name,
    logLevel: 'warn',
    build: { outDir: fresh },
  });
  writeFileSync(`${fresh}/.built`, inputs);
  try {
    renameSync(inRoot('dist', target.name), old);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  renameSync(fresh, inRoot('dist', target.name));
  rmSync(old, { recursive: true, force: true });
  say(`Built the ${target.label} in ${seconds(began)}.`);
}

process.chdir(root);
mkdirSync(inRoot('dist'), { recursive: true });
for (const target of staleTargets()) await buildTarget(target);
