import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as contract from '#contract/proof.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { askEvidenceAnchor, getEvidenceAnchor } from '#server/audience/evidence-checks/evidence-checks.ts';
import { listEvidenceHeads } from '#server/audience/evidence-heads/evidence-heads.ts';
import { evidenceKeys } from '#server/audience/evidence-heads/evidence-keys.ts';
import type { Http } from '#server/platform/http/server.ts';
import type { Services } from '#server/platform/services.ts';
import { customerPack, sitePack } from './proof.ts';

/** With its fonts and libraries only once somebody wants a PDF. */
const pdfs = () => import('./proof-pdf.ts');

export function proofRoutes(api: Api, services: Services): void {
  api(contract.exportCustomerProof, async ({ site, params }) => customerPack(services, site.id, params.id));

  api(contract.exportCustomerProofPdf, async ({ site, params }) =>
    (await pdfs()).customerPdf(services, site.id, params.id),
  );

  api(contract.exportSiteProof, async ({ site }) => sitePack(services, site.id));

  api(contract.exportSiteProofPdf, async ({ site }) => (await pdfs()).sitePdf(services, site.id));

  api(contract.getEvidenceAnchor, async ({ site }) => getEvidenceAnchor(services, site.id));

  api(contract.askEvidenceAnchor, async ({ site, actor }) =>
    askEvidenceAnchor(services, site.id, actor.userId),
  );

  api(contract.listEvidenceHeads, async ({ site, query }) => listEvidenceHeads(services, site.id, query));
}

const VERIFIER = join(import.meta.dirname, '../../../packages/verify/verify.mjs');

/** What anyone needs to verify a pack: the public keys, and the verifier. */
export function proofFileRoutes(http: Http, services: Services): void {
  http.get(contract.EVIDENCE_KEYS_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('application/jwk-set+json')
      // Public, and read by programs of other hosts.
      .header('access-control-allow-origin', '*')
      .header('cache-control', 'public, max-age=300')
      .serializer((value: unknown) => JSON.stringify(value))
      .send({ keys: await evidenceKeys(services) }),
  );

  http.get(contract.VERIFIER_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('content-disposition', 'attachment; filename="verify.mjs"')
      .header('cache-control', 'public, max-age=300')
      .send(readFileSync(VERIFIER, 'utf8')),
  );
}
