import { randomBytes } from 'node:crypto';
import type { ImportedDetails } from '#contract/choices.ts';
import { withoutAddresses } from '#contract/email-address.ts';
import { importedDetailsHash } from '#server/audience/evidence/evidence.ts';
import { type ChoiceContext, NOTHING_SHOWN } from '#server/choices/choices/choices.ts';
import { recognizeExport } from './export-formats.ts';
import type { ImportJob, ImportRowRow } from './imports.sql.ts';

/**
 * Where a choice from a file comes from, as its evidence records it: what names nobody is covered by the hash itself, what
 * may name somebody is sealed with the person and covered by a hash of its own. Empty for a tool.
 */
export function provenanceOf(
  job: Pick<ImportJob, 'source' | 'file_name' | 'file_hash' | 'columns'>,
  { number, preferences }: Pick<ImportRowRow, 'number' | 'preferences'>,
): Partial<Pick<ChoiceContext, 'shown' | 'imported'>> {
  if (job.source !== 'csv') return {};
  const { rows, consent_at, suppression, suppressed_at, consent_ip, source, reason } = preferences?.file ?? {
    rows: [number],
  };
  const recognized = recognizeExport(job.columns ?? [], job.file_name);
  const details: ImportedDetails | null =
    consent_ip === undefined && source === undefined && reason === undefined
      ? null
      : {
          consent_ip: consent_ip ?? null,
          source: source ?? null,
          reason: reason ?? null,
          salt: randomBytes(16).toString('hex'),
        };
  const imported = {
    file_name: withoutAddresses(job.file_name ?? ''),
    file_sha256: job.file_hash?.toString('hex') ?? null,
    rows,
    tool: recognized?.is_certain === true ? recognized.tool : null,
    ...(consent_at === undefined ? {} : { consent_at }),
    ...(suppression === undefined ? {} : { suppression }),
    ...(suppressed_at === undefined ? {} : { suppressed_at }),
    ...(details === null ? {} : { details_hash: importedDetailsHash(details) }),
  };
  return { shown: { ...NOTHING_SHOWN, imported }, ...(details === null ? {} : { imported: details }) };
}
