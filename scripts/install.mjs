import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hashOf, howItEnded, inRoot, pinnedNode, Refusal, run, say, seconds } from './project.mjs';

const stamp = inRoot('node_modules/.sayso-lock');

/** @param {string} command */
export function refuseOtherTools(command) {
  if (Number.parseInt(process.versions.node, 10) < 20) {
    throw new Refusal(
      `Sayso needs Node 20 or newer; this is Node ${process.versions.node}. See https://nodejs.org.`,
    );
  }
  const [, tool, version = ''] = /^(\w+)\/([.\d]+)/.exec(process.env.npm_config_user_agent ?? '') ?? [];
  if (tool !== undefined && tool !== 'npm') {
    const own = ['start', 'test'].includes(command) ? command : `run ${command}`;
    throw new Refusal(
      `Sayso installs and runs itself with npm; this is ${tool} ${version}. Use "npm ${own}".`,
    );
  }
  if (tool === 'npm' && Number.parseInt(version, 10) < 10) {
    throw new Refusal(`Sayso needs npm 10 or newer; this is npm ${version}. Run "npm install -g npm".`);
  }
}

/** @param {string} path */
function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** @typedef {Record<string, { integrity?: string, optional?: boolean, peer?: boolean }>} Packages */

/**
 * @param {string} lock a lock file's text
 * @returns {Packages}
 */
const packagesOf = (lock) => JSON.parse(lock).packages;

/** True when someone else's `npm install` already put exactly the locked packages there. */
function installedByHand() {
  const hidden = read(inRoot('node_modules/.package-lock.json'));
  if (!hidden) return false;
  const have = packagesOf(hidden);
  const want = Object.entries(packagesOf(read(inRoot('package-lock.json'))));
  return want.every(
    ([path, { integrity, optional, peer }]) =>
      !path || (have[path] ? have[path].integrity === integrity : optional || peer),
  );
}

/** @param {string[]} args */
function npm(args) {
  const own = process.env.npm_execpath;
  return own
    ? run(process.execPath, [own, ...args], { quiet: true })
    : run('npm', args, { quiet: true, shell: process.platform === 'win32' });
}

const complaintOf = (/** @type {string} */ output) =>
  output.replace(/npm error Clean install a project.*/s, '').trim();

export async function installWhenNeeded() {
  const lock = hashOf({ files: ['package-lock.json'] });
  const complete = existsSync(pinnedNode);
  if (complete && read(stamp) === lock) return;
  if (!complete || !installedByHand()) {
    const began = performance.now();
    say('Installing packages (a minute or two, only this once) ...');
    const ended = await npm([
      ...['ci', '--loglevel=error', '--no-audit', '--no-fund', '--no-update-notifier'],
      ...['--include=dev', '--include=optional', '--ignore-scripts=false', '--engine-strict=false'],
    ]);
    if (ended.code !== 0 || !existsSync(pinnedNode)) {
      throw new Refusal(
        `${complaintOf(ended.output)}\n\nThe packages could not be installed: "npm ci" ${howItEnded(ended)}.`.trim(),
      );
    }
    say(`Installed in ${seconds(began)}.`);
  }
  mkdirSync(inRoot('node_modules'), { recursive: true });
  writeFileSync(stamp, lock);
}
