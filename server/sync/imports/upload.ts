import { withoutAddresses } from '#contract/email-address.ts';
import { createHash, type Hash } from 'node:crypto';
import type { ImportDetail } from '#contract/imports.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { isDatabaseAway } from '#server/platform/database-errors.ts';
import { AppError } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { ColumnCounter } from './column-samples.ts';
import type { CsvRow } from './csv-file.ts';
import { requireRoom } from './imports.ts';
import { deleteImport, insertImport, insertRows, lockImport } from './imports.sql.ts';
import { presentDetail } from './present.ts';
import { deleteRows } from './delete-rows.ts';
import { sendingOfFile } from './sending.ts';
import { enqueueFor, isEnded, NO_COUNTS, step } from './steps.ts';
import { openFile } from './zip-file.ts';

const ROWS_AT_ONCE = 1000;
/** Cells held in memory per upload, however long the rows are. */
const LETTERS_AT_ONCE = 1_000_000;
/** An empty cell takes room, too: its quotes and a comma. */
const LETTERS_AROUND_CELL = 3;

interface Upload {
  siteId: string;
  id: string;
}

/**
 * Saves the rows of a file while it is uploaded. A rejected file leaves nothing; an interrupted one leaves a failed
 * import without rows.
 * @throws AppError `invalid_field`, `body_too_large`, `limit_reached`
 */
export async function uploadFile(
  services: Services,
  siteId: string,
  by: string,
  fileName: string,
  file: AsyncIterable<Buffer>,
): Promise<ImportDetail> {
  const upload = { siteId, id: newId() };
  await begin(services, upload, by, fileName);
  try {
    const hash = createHash('sha256');
    const { columns, rows } = await openFile(hashed(file, hash));
    const counter = new ColumnCounter(columns);
    const total = await keep(services, upload, rows, counter);
    return await services.database.inSite(siteId, async (site) => {
      const row = await lockImport(site, upload.id);
      if (row?.status !== 'receiving') throw brokenOff();
      const counts = { ...NO_COUNTS, total, read: total };
      const changes = {
        status: 'uploaded',
        columns,
        column_samples: JSON.stringify(counter.sampled()),
        file_hash: hash.digest(),
        options: JSON.stringify({ revive: false, ...(await sendingOfFile(site, columns, fileName)) }),
        counts: JSON.stringify(counts),
      } as const;
      await recordChange(services, site, 'import.started', { id: row.id, name: withoutAddresses(fileName) });
      return presentDetail(site, await step(services, site, row, changes));
    });
  } catch (error) {
    const kept = await giveUp(services, upload, error);
    if (kept !== null) return kept;
    throw isDatabaseAway(error) ? notKept(upload, error) : error;
  }
}

/** Hashes the bytes of a file as they pass by. */
async function* hashed(file: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of file) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Its job cleans up the rest; the error names the import. */
function notKept({ id }: Upload, cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'The connection to the database was lost during the upload, so the import failed. Upload the file again.',
    { cause, data: { import_id: id }, retryAfterSeconds: 2 },
  );
}

const brokenOff = () => new AppError('conflict', 'The import was canceled during the upload.');

async function begin(
  services: Services,
  { siteId, id }: Upload,
  by: string,
  fileName: string,
): Promise<void> {
  const now = services.clock.now();
  await services.database.inSite(siteId, async (site) => {
    await requireRoom(site);
    const row = await insertImport(site, {
      id,
      source: 'csv',
      status: 'receiving',
      file_name: fileName,
      integration_id: null,
      kind: null,
      resources: null,
      columns: null,
      column_samples: null,
      mapping: null,
      options: JSON.stringify({ revive: false, send_subscriptions: true, exported_from: null }),
      counts: JSON.stringify(NO_COUNTS),
      read_progress: null,
      position: 0,
      round: 0,
      error: null,
      created_by: by,
      created_at: now,
      updated_at: now,
      ended_at: null,
    });
    await enqueueFor(services, site, row);
  });
}

/** @returns number of rows */
async function keep(
  services: Services,
  upload: Upload,
  rows: AsyncIterable<CsvRow>,
  counter: ColumnCounter,
): Promise<number> {
  let batch: CsvRow[] = [];
  let letters = 0;
  let total = 0;
  for await (const row of rows) {
    batch.push(row);
    counter.add(row);
    total += 1;
    letters += row.fields.reduce((sum, cell) => sum + cell.length + LETTERS_AROUND_CELL, 0);
    if (batch.length < ROWS_AT_ONCE && letters < LETTERS_AT_ONCE) continue;
    await keepBatch(services, upload, batch);
    batch = [];
    letters = 0;
  }
  await keepBatch(services, upload, batch);
  return total;
}

async function keepBatch(services: Services, { siteId, id }: Upload, rows: readonly CsvRow[]): Promise<void> {
  const isWanted = await services.database.inSite(siteId, (site) =>
    insertRows(
      site,
      id,
      'receiving',
      rows.map((row) => ({ ...row, email: null, email_key: null, preferences: null })),
    ),
  );
  if (!isWanted) throw brokenOff();
}

/** @returns the import, if everything was saved and only the acknowledgement got lost */
async function giveUp(
  services: Services,
  { siteId, id }: Upload,
  error: unknown,
): Promise<ImportDetail | null> {
  const isRefused = error instanceof AppError && error.code !== 'conflict';
  try {
    const kept = await services.database.inSite(siteId, async (site) => {
      const row = await lockImport(site, id);
      if (row === undefined || isEnded(row.status)) return null;
      if (row.status !== 'receiving') return presentDetail(site, row);
      await step(services, site, row, {
        status: 'failed',
        error: 'The upload was interrupted. Upload the file again.',
      });
      return null;
    });
    if (kept !== null) return kept;
    await deleteRows(services, siteId, id);
    if (isRefused) await services.database.inSite(siteId, (site) => deleteImport(site, id));
  } catch (failure) {
    // The database is unavailable; the job that watches the upload cleans up.
    services.log.warn({ err: failure, import: id }, 'a failed upload could not be deleted yet');
  }
  return null;
}
