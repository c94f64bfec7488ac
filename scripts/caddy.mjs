import { accessSync, constants, mkdirSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { inRoot, Refusal, run, say } from './project.mjs';

const own = inRoot('node_modules/.cache/sayso-caddy');

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function find() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  const name = process.platform === 'win32' ? 'caddy.exe' : 'caddy';
  const places = [...folders.filter(Boolean).map((folder) => join(folder, name)), join(own, 'usr/bin/caddy')];
  return places.find(isExecutable);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string }} options
 */
async function step(command, args, options = {}) {
  const { code, output } = await run(command, args, { quiet: true, ...options });
  if (code !== 0) say(output.trim());
  return code === 0;
}

/**
 * Debian's package, unpacked beside the other caches. Not installed: that would start a web server on this machine,
 * and needs no rights this way.
 */
async function unpackDebian() {
  mkdirSync(own, { recursive: true });
  const download = () => step('apt-get', ['download', 'caddy'], { cwd: own });
  const isThere =
    (await download()) ||
    (process.getuid?.() === 0 && (await step('apt-get', ['update'])) && (await download()));
  const file = isThere ? readdirSync(own).find((name) => /^caddy_.*\.deb$/.test(name)) : undefined;
  if (file !== undefined) await step('dpkg-deb', ['-x', join(own, file), own]);
}

const managers = [
  { tool: 'dnf', args: ['install', '-y', 'caddy'] },
  { tool: 'pacman', args: ['-Sy', '--noconfirm', 'caddy'] },
  { tool: 'apk', args: ['add', '--no-cache', 'caddy'] },
];

async function getFromSystem() {
  if (isExecutable('/usr/bin/apt-get')) {
    say('Fetching Caddy for the test of certificates ...');
    return unpackDebian();
  }
  const manager = managers.find(
    ({ tool }) => isExecutable(`/usr/bin/${tool}`) || isExecutable(`/sbin/${tool}`),
  );
  if (process.getuid?.() !== 0 || !manager) return;
  say(`Installing Caddy for the test of certificates with ${manager.tool} ...`);
  await step(manager.tool, manager.args);
}

/** Finds Caddy, or fetches it; throws with one clear sentence when neither is possible. */
export async function ensureCaddy() {
  const chosen = process.env.CADDY_PATH;
  if (chosen) {
    if (isExecutable(chosen)) return chosen;
    throw new Refusal(`CADDY_PATH is ${chosen}, but there is no program at that place.`);
  }
  const found = find();
  if (found) return found;
  await getFromSystem();
  const fetched = find();
  if (fetched) return fetched;
  throw new Refusal(
    'The test of certificates needs Caddy, and none was found or could be fetched. ' +
      'Install it (on Debian: "sudo apt-get install caddy") or set CADDY_PATH to its program.',
  );
}
