import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { inRoot, say, seconds } from './project.mjs';
import { hashInputs, staleTargets } from './targets.mjs';

/**
 * Built beside its place and then moved in, so that a running product never sees half a build.
 * @param {import('./targets.mjs').Target} target
 * @param {string} hash
 */
async function buildTarget({ name, label }, hash) {
  const began = performance.now();
  const place = inRoot('dist', name);
  const fresh = inRoot('dist', `.${name}-${process.pid}`);
  const old = `${fresh}-old`;
  try {
    await build({
      configFile: inRoot('vite.config.ts'),
      configLoader: 'native',
      resolve: { preserveSymlinks: process.execArgv.includes('--preserve-symlinks') },
      mode: name,
      logLevel: 'warn',
      build: { outDir: fresh },
    });
    compressAssets(`${fresh}/assets`);
    writeFileSync(`${fresh}/.built`, hash);
    moveAway(place, old);
    renameSync(fresh, place);
  } finally {
    for (const leftover of [fresh, old]) rmSync(leftover, { recursive: true, force: true });
  }
  say(`Built the ${label} in ${seconds(began)}.`);
}

/**
 * Beside each script and style its compressed forms, which the server sends to who takes them.
 * @param {string} folder
 */
function compressAssets(folder) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((file) => /\.(js|css|svg)$/.test(file))) {
    const content = readFileSync(`${folder}/${name}`);
    writeFileSync(`${folder}/${name}.gz`, gzipSync(content, { level: 9 }));
    writeFileSync(`${folder}/${name}.br`, brotliCompressSync(content));
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
function moveAway(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

process.env.NODE_ENV = 'production';
mkdirSync(inRoot('dist'), { recursive: true });
const hash = hashInputs();
const names = process.argv.slice(2);
for (const target of staleTargets(hash).filter(({ name }) => names.length === 0 || names.includes(name))) {
  try {
    await buildTarget(target, hash);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    say(process.stderr.isTTY ? message : stripVTControlCharacters(message));
    process.exitCode = 1;
  }
}
