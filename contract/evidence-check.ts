import { z } from 'zod';
import { id, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

/**
 * altered: the record does not say what its hash says. missing: there is none with this number, or not any more.
 * unlinked: it does not follow the one before it. unexpected: nobody recorded it. rewritten: the records of before the last
 * check are not those that it saw, or not those that were signed. foreign_head: a signed head names a key that this installation never had.
 */
export const EVIDENCE_PROBLEMS = [
  'altered',
  'missing',
  'unlinked',
  'unexpected',
  'rewritten',
  'foreign_head',
] as const;

export type EvidenceProblem = (typeof EVIDENCE_PROBLEMS)[number];

export const evidenceFinding = z.object({
  problem: z.enum(EVIDENCE_PROBLEMS),
  customer_id: id.nullable().describe('The customer whose chain it is; null: unknown.'),
  sequence: z.number().int().nullable().describe('The position of the first bad record in its chain.'),
  record_id: id
    .nullable()
    .describe('null if the record is missing, except in `rewritten`: the first signed one that is gone.'),
});

export type EvidenceFinding = z.infer<typeof evidenceFinding>;

export const evidenceCheck = z
  .object({
    checked_at: timestamp
      .nullable()
      .describe('null: not checked yet. A new site is checked in its first night.'),
    records: z.number().int(),
    chains: z.number().int().describe('One per customer.'),
    broken: z.number().int().describe('Broken chains. 0: all evidence is unchanged.'),
    findings: z
      .array(evidenceFinding)
      .describe('The first bad record of each broken chain, of at most 20 chains.'),
  })
  .meta({ id: 'EvidenceCheck' });

export type EvidenceCheck = z.infer<typeof evidenceCheck>;

export const getEvidenceCheck = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/evidence-check`,
  access: 'site',
  tag: 'Evidence',
  summary: 'Read the last nightly check of the evidence',
  params: siteParams,
  status: 200,
  response: evidenceCheck,
});
