import { existsSync, readFileSync } from 'node:fs';
import { hashOf, inRoot, runNode } from './project.mjs';

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

/**
 * Builds what is older than its sources; false when something could not be built.
 * @param {string[]} names of the targets; all of them by default
 */
export async function buildStale(names = targets.map(({ name }) => name)) {
  const stale = staleTargets().filter(({ name }) => names.includes(name));
  return stale.length === 0 || (await runNode(['scripts/build.mjs', ...names])).code === 0;
}
