import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startCluster } from './cluster.ts';

/*
 * `test/with-citus.sh COMMAND`: runs a command with a throw-away cluster, one coordinator and two workers.
 */

const [command, ...args] = process.argv.slice(2);

async function main(): Promise<number> {
  if (command === undefined) {
    console.error('Usage: CITUS_PG_BIN=FOLDER test/with-citus.sh COMMAND [ARGUMENT ...]');
    return 2;
  }
  // Few shards: tests look at a handful of rows, and each shard of each table is a file to copy for each test file.
  const cluster = await startCluster({ workers: 2, shards: 4, isDurable: false });
  try {
    const child = spawn(command, args, {
      stdio: 'inherit',
      env: {
        ...process.env,
        DATABASE_URL: cluster.coordinator.url,
        // Where the harness makes its databases, besides the coordinator.
        CITUS_WORKERS: cluster.workers.map(({ url }) => url).join(','),
      },
    });
    // The cluster goes when the command has gone.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    await cluster.stop();
  }
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
