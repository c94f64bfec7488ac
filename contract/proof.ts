import { z } from 'zod';
import { collection, pageQuery, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

/** Where the verifier of packs can be downloaded, below the app's host. */
export const VERIFIER_PATH = '/verify.mjs';

/** The public keys of the installation, below the app's host. */
export const EVIDENCE_KEYS_PATH = '/.well-known/sayso-evidence-keys.json';

const ABOUT_PACKS =
  'A signed file with every record exactly as it was hashed, the texts shown, what each tool confirmed, and a receipt (ISO/IEC TS 27560, Kantara). `node verify.mjs pack.json` checks it offline and names the first record that was altered, added or removed. The handbook page "Proof" describes the format.';

export const exportCustomerProof = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers/{id}/proof`,
  access: 'site',
  needs: 'admin',
  tag: 'Evidence',
  summary: "Download a customer's proof pack",
  description: `${ABOUT_PACKS} Also of an erased customer, without their personal data.`,
  params: siteItemParams,
  answers: 'application/json',
  status: 200,
  response: z.string(),
});

export const exportCustomerProofPdf = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers/{id}/proof/pdf`,
  access: 'site',
  needs: 'admin',
  tag: 'Evidence',
  summary: "Download a customer's proof as a PDF, to read and print",
  description: 'The PDF is for reading. Only the proof pack can be verified.',
  params: siteItemParams,
  answers: 'application/pdf',
  status: 200,
  response: z.file(),
});

export const exportSiteProof = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/evidence/proof`,
  access: 'site',
  needs: 'admin',
  tag: 'Evidence',
  summary: "Download a site's proof pack",
  description: `${ABOUT_PACKS} It holds all records of the site, oldest first.`,
  params: siteParams,
  answers: 'application/json',
  status: 200,
  response: z.string(),
});

export const exportSiteProofPdf = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/evidence/proof/pdf`,
  access: 'site',
  needs: 'admin',
  tag: 'Evidence',
  summary: "Download a summary of a site's proof as a PDF",
  description: 'Figures, signed heads and keys. The proof pack has the records.',
  params: siteParams,
  answers: 'application/pdf',
  status: 200,
  response: z.file(),
});

export const evidenceHead = z
  .object({
    number: z.number().int().describe('Increases by one with each head of the site.'),
    records: z.number().int().describe('New records since the head before it.'),
    signed_at: timestamp,
    statement: z
      .string()
      .describe('What was signed, exactly: JSON with the root of the hash tree over the new records.'),
    kid: z.string().describe(`The key, as in \`${EVIDENCE_KEYS_PATH}\`.`),
    signature: z
      .string()
      .describe('Ed25519 over `sayso-evidence-head/1`, a line feed and the statement, in base64url.'),
  })
  .meta({ id: 'EvidenceHead' });

export type EvidenceHead = z.infer<typeof evidenceHead>;

export const evidenceAnchor = z
  .object({
    target: z.string().describe("The site's `evidence_anchor`. Empty: none."),
    agreed: z
      .boolean()
      .describe(
        'false: nothing is sent, because the mailbox has not agreed, or no longer does. A URL needs no agreement.',
      ),
    asked_at: timestamp
      .nullable()
      .describe('When we emailed the link by which the mailbox can agree. null: none that still works.'),
    head: z.number().int().nullable().describe('The last head that was sent there. null: none yet.'),
    sent_at: timestamp.nullable(),
    error: z.string().nullable().describe('Why the last attempt failed. We try again the next night.'),
  })
  .meta({ id: 'EvidenceAnchor' });

export type EvidenceAnchor = z.infer<typeof evidenceAnchor>;

export const getEvidenceAnchor = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/evidence-anchor`,
  access: 'site',
  tag: 'Evidence',
  summary: 'Read where signed heads are sent, and how that went',
  description:
    'To change it, send `evidence_anchor` to `PATCH /core/v1.1/organizations/{organization_id}/sites/{site_id}`.',
  params: siteParams,
  status: 200,
  response: evidenceAnchor,
});

export const askEvidenceAnchor = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/evidence-anchor/ask`,
  access: 'site',
  needs: 'admin',
  tag: 'Evidence',
  summary: 'Email the mailbox for signed heads again, and ask it to agree',
  description:
    'The link of the email before stops working. At most 5 such emails a day to one mailbox, from all sites. 409 `conflict`: there is nothing to agree to.',
  params: siteParams,
  status: 202,
  response: evidenceAnchor,
  errors: ['conflict', 'rate_limited', 'unavailable'],
});

export const listEvidenceHeads = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/evidence-heads`,
  access: 'site',
  tag: 'Evidence',
  summary: "List a site's signed heads, newest first",
  description:
    'Every night we sign the records since the last head. Store heads outside Sayso, and compare them with `node verify.mjs pack.json --heads heads.json`.',
  params: siteParams,
  query: pageQuery,
  status: 200,
  response: collection(evidenceHead),
});
