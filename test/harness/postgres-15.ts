import { spawn } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface OtherPostgres {
  /** Superuser connection. */
  url: string;
  stop(): Promise<void>;
}

/** A throw-away PostgreSQL 15 beside the one of the tests, from the same script that runs tests on one. */
export async function startPostgres15(): Promise<OtherPostgres> {
  const child = spawn(
    join(ROOT, 'test/with-postgres.sh'),
    // Until its input is closed.
    ['bash', '-c', 'echo "READY $DATABASE_URL" && exec cat <&3'],
    { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  );
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const found = /^READY (\S+)$/m.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('close', () => reject(new Error(`PostgreSQL 15 did not start:\n${output}`)));
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
