import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf, howItEnded, inRoot, root, runNode } from './project.mjs';

const inputs = {
  files: ['package-lock.json', 'scripts/build.mjs', 'scripts/targets.mjs', 'vite.config.ts'],
  folders: ['web', 'contract'],
};

/** @typedef {{ name: string, entry: string, label: string }} Target */

/** @type {Target[]} */
export const targets = [
  { name: 'owner', entry: 'web/owner/index.html', label: 'owner app' },
  { name: 'page', entry: 'web/page/client.tsx', label: 'public page' },
  { name: 'page-ssr', entry: 'web/page/server.tsx', label: 'public page on the server' },
  { name: 'embed', entry: 'web/page/embed.ts', label: 'embedding script' },
  { name: 'handbook', entry: 'web/handbook/client.ts', label: 'look of the handbook' },
];

const stampOf = (/** @type {Target} */ target) => inRoot('dist', target.name, '.built');

export const hashInputs = () => hashOf(inputs);

export function staleTargets(hash = hashInputs()) {
  return targets.filter((target) => {
    if (!existsSync(inRoot(target.entry))) return false;
    const stamp = stampOf(target);
    return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== hash;
  });
}

/** While one develops, the owner app comes from Vite's server, below this path. */
export const DEV_BASE = '/@app/';
export const DEV_TARGETS = targets.map(({ name }) => name).filter((name) => name !== 'owner');

/** @param {string[]} names */
async function build(names) {
  // Vite takes what follows these characters in a path for a query, so it is given another path to the same files.
  if (!/[?#]/.test(root)) return runNode(['scripts/build.mjs', ...names]);
  const folder = mkdtempSync(join(tmpdir(), 'sayso-build-'));
  const link = join(folder, 'sayso');
  try {
    symlinkSync(root, link, 'junction');
    const linked = ['--preserve-symlinks', '--preserve-symlinks-main', join(link, 'scripts/build.mjs')];
    return await runNode([...linked, ...names]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Builds what is older than its sources.
 * @param {string[]} names of the targets; all of them by default
 * @returns {Promise<string | null>} why something could not be built, for the person who started it
 */
export async function buildStale(names = targets.map(({ name }) => name)) {
  const stale = staleTargets().filter(({ name }) => names.includes(name));
  if (stale.length === 0) return null;
  const ended = await build(names);
  if (ended.code === 0) return null;
  const instead =
    ended.signal === null
      ? ''
      : ' It takes up to 1.1 GB once. Add memory or swap, or run "npm run build" on another machine and copy its folder "dist" here.';
  return `The web parts could not be built: the build ${howItEnded(ended)}.${instead}`;
}
