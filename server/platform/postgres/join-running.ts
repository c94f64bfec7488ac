import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { urlOf, withClient } from './connection.ts';
import { DATABASE, type EmbeddedPostgres, startEmbeddedPostgres, type SupervisorLog } from './embedded.ts';
import { isInitialised, readPassword } from './initialise.ts';
import { preparePaths } from './paths.ts';
import { rememberedPort } from './port.ts';

/**
 * The embedded database for read-only commands: that of a running product, or else started for the command.
 * @returns null if there is no database in `DATA_DIR`
 */
export async function joinEmbeddedPostgres(options: {
  dataDir: string;
  log: SupervisorLog;
}): Promise<Pick<EmbeddedPostgres, 'url' | 'stop'> | null> {
  if (!existsSync(join(options.dataDir, 'postgres'))) return null;
  const paths = preparePaths(options.dataDir);
  if (!isInitialised(paths)) return null;
  const port = rememberedPort(paths.port);
  const password = readPassword(paths);
  if (port !== undefined && (await isOurs({ port, password }, paths.cluster))) {
    return { url: urlOf({ port, password }, DATABASE), stop: async () => {} };
  }
  return startEmbeddedPostgres(options);
}

/** Whether the server on that port runs the database of this directory. */
async function isOurs(target: { port: number; password: string }, cluster: string): Promise<boolean> {
  try {
    const { rows } = await withClient(target, (client) =>
      client.query<{ data_directory: string }>('show data_directory'),
    );
    return realpathSync(rows[0]?.data_directory ?? '') === realpathSync(cluster);
  } catch {
    return false;
  }
}
