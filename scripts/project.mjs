import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

export const inRoot = (...parts) => join(root, ...parts);

export const pinnedNode = inRoot('node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');

/**
 * V8 keeps what it once took: left alone, a busy server holds 450 MB for 50 MB of live objects. With these it
 * stays below 250 MB at the same speed (npm run bench). A server with very many sites may want more.
 */
export const serverFlags = ['--max-semi-space-size=8', '--max-old-space-size=160'];

/** A failure whose message is all that a person needs to read. */
export class Refusal extends Error {}

export function say(line) {
  process.stderr.write(`${line}\n`);
}

export function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

function filesUnder(path) {
  const absolute = inRoot(path);
  if (!existsSync(absolute)) return [];
  const entries = readdirSync(absolute, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

export function hashOf({ files = [], folders = [] }) {
  const hash = createHash('sha256');
  const all = [...files.map((file) => inRoot(file)), ...folders.flatMap(filesUnder)].toSorted();
  for (const file of all) {
    if (existsSync(file)) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
  }
  return hash.digest('hex');
}

export function run(command, args, { env = {}, quiet = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
      ...options,
    });
    let output = '';
    const keep = (chunk) => (output += chunk);
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? 128, signal, output }));
  });
}

export function runNode(args, options) {
  return run(pinnedNode, args, options);
}
