import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** @param {string[]} parts */
export const inRoot = (...parts) => join(root, ...parts);

export const pinnedNode = inRoot('node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');

/**
 * V8 keeps what it once took: left alone, a busy server holds 450 MB for 50 MB of live objects. With these it
 * stays below 250 MB at the same speed (npm run bench). A server with very many sites may want more.
 */
export const serverFlags = ['--max-semi-space-size=8', '--max-old-space-size=160'];

/** A failure whose message is all that a person needs to read. */
export class Refusal extends Error {}

/** @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {number} since a `performance.now()` */
export function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/** @param {string} path */
function filesUnder(path) {
  const absolute = inRoot(path);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { encoding: 'utf8', recursive: true })
    .filter((name) => !/\.test\.tsx?$/.test(name))
    .map((name) => join(absolute, name))
    .filter((file) => statSync(file).isFile());
}

/** @param {{ files?: string[], folders?: string[] }} what */
export function hashOf({ files = [], folders = [] }) {
  const hash = createHash('sha256');
  const all = [...files.map((file) => inRoot(file)), ...folders.flatMap(filesUnder)].toSorted();
  for (const file of all) {
    if (existsSync(file)) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
  }
  return hash.digest('hex');
}

/**
 * @typedef {object} Ended
 * @property {number} code
 * @property {NodeJS.Signals | null} signal
 * @property {string} output empty unless it was run quietly
 */

/**
 * For a sentence about what failed.
 * @param {Pick<Ended, 'code' | 'signal'>} ended
 */
export function howItEnded({ code, signal }) {
  if (signal === null) return `failed with exit code ${code}, see above`;
  if (signal !== 'SIGKILL' && signal !== 'SIGABRT') return `was ended by ${signal}`;
  const megabytes = Math.round(Math.min(process.constrainedMemory() || Infinity, totalmem()) / 1024 ** 2);
  return `was ended by ${signal}, most likely because the ${megabytes} MB of memory here ran out`;
}

/**
 * Runs a program in the root of the project until it ends.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, quiet?: boolean, cwd?: string, shell?: boolean }} options
 * @returns {Promise<Ended>}
 */
export function run(command, args, { env = {}, quiet = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
      ...options,
    });
    let output = '';
    const keep = (/** @type {Buffer} */ chunk) => void (output += chunk.toString());
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? 128, signal, output }));
  });
}

/**
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export function runNode(args, options) {
  return run(pinnedNode, args, options);
}
