import { spawn } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface Ended {
  code: number | null;
  output: string;
}

/** Runs a program of the project to its end, with only these settings. */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
  { limitKb }: { limitKb?: number } = {},
): Promise<Ended> {
  const command = [process.execPath, join(ROOT, program), ...args];
  // A quota on the size of files, as a full disk gives them: writing fails in the middle.
  const limited =
    limitKb === undefined ? command : ['bash', '-c', `ulimit -f ${limitKb}; exec "$@"`, 'bash', ...command];
  const [file = '', ...rest] = limited;
  const child = spawn(file, rest, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/sayso-compile'),
      NODE_ENV: 'test',
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, output };
}
