import type { ImportDetail, ImportRow, ImportSummary } from '#contract/imports.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { columnSamplesOf } from './column-samples.ts';
import { recognizeExport } from './export-formats.ts';
import { type ImportJob, type ImportRowRow, rowsAfter } from './imports.sql.ts';
import { suggestMapping } from './mapping.ts';
import { presentTells } from './sending.ts';
import { NO_COUNTS } from './steps.ts';

const PREVIEW_ROWS = 5;

function messageOf({ status, counts, error }: ImportJob): string | null {
  if (status !== 'cancelled') return error;
  if (counts.applied === 0) return 'Canceled before anything changed.';
  return `Canceled after ${counts.applied} rows were applied. Those rows stay as they are.`;
}

export function presentSummary(job: ImportJob): ImportSummary {
  return {
    id: job.id,
    source: job.source,
    status: job.status,
    file_name: job.file_name,
    integration_id: job.integration_id,
    // An earlier version counted less.
    counts: { ...NO_COUNTS, ...job.counts },
    message: messageOf(job),
    created_by: job.created_by,
    created_at: job.created_at.toISOString(),
    updated_at: job.updated_at.toISOString(),
    ended_at: job.ended_at?.toISOString() ?? null,
  };
}

export async function presentDetail(site: SiteDb, job: ImportJob): Promise<ImportDetail> {
  const { columns } = job;
  const rows = columns === null ? [] : await rowsAfter(site, job.id, { after: 0, limit: PREVIEW_ROWS });
  const preview = rows.map(({ fields }) => fields ?? []);
  const samples = await columnSamplesOf(site, job);
  const known = columns === null ? null : recognizeExport(columns, job.file_name);
  return {
    ...presentSummary(job),
    kind: job.kind,
    resources: job.resources,
    columns,
    preview,
    column_samples: samples,
    file_sha256: job.file_hash?.toString('hex') ?? null,
    recognized: known && {
      tool: known.tool,
      part: known.part,
      is_certain: known.is_certain,
      columns: known.columns,
    },
    suggested_mapping:
      columns === null
        ? null
        : suggestMapping(columns, preview, await allLists(site), samples, known?.mapping),
    mapping: job.mapping,
    options: job.options,
    tells: presentTells(job.tells),
  };
}

export function presentRow(job: ImportJob, row: ImportRowRow): ImportRow {
  const byResource = new Map((job.resources ?? []).map((one) => [one.resource.id, one.list_id]));
  return {
    number: row.number,
    email: row.email,
    fields: row.fields,
    lists: (row.preferences?.lists ?? []).map(({ of, subscribed, since }) => ({
      list_id: job.source === 'csv' ? of : (byResource.get(of) ?? null),
      subscribed,
      since,
    })),
    leaves_everything: (row.preferences?.leaves ?? null) !== null,
    verdict: row.verdict,
    reason: row.reason,
    customer_id: row.customer_id,
    choice_id: row.choice_id,
    applied_at: row.applied_at?.toISOString() ?? null,
  };
}
