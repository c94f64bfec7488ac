import { useMutation } from '@tanstack/react-query';
import { exportCustomers, exportEvidence } from '#contract/exports.ts';
import {
  exportCustomerProof,
  exportCustomerProofPdf,
  exportSiteProof,
  exportSiteProofPdf,
} from '#contract/proof.ts';
import { call } from '../../api/call.ts';
import { downloadCsv, downloadFile } from '../../files/download.ts';
import { useSite } from '../../site/current-site.tsx';
import { siteParams } from '../../site/site-params.ts';
import type { CustomerSearch } from './customer-filter.logic.ts';
import { queryOf } from './customers.api.ts';

export const EXPORTS = { customers: 'customers.csv', evidence: 'evidence.csv' } as const;

export type ExportKind = keyof typeof EXPORTS;

/** Fetches the file, which needs the session, and saves it: of the customers who match, or of all evidence. */
export function useExport() {
  const site = useSite();
  return useMutation({
    gcTime: 0,
    mutationFn: async ({ kind, search }: { kind: ExportKind; search: CustomerSearch }) => {
      const params = siteParams(site);
      const file =
        kind === 'evidence'
          ? await call(exportEvidence, { params })
          : await call(exportCustomers, { params, query: queryOf(search) });
      downloadCsv(EXPORTS[kind], file);
    },
  });
}

/** The kinds of proof, of one customer or of the site. */
export type ProofKind = 'pack' | 'pdf';

/** The file that each kind is saved as. */
export function proofFile(kind: ProofKind, customerId: string | null): string {
  if (customerId !== null) return `proof-${customerId}.${kind === 'pack' ? 'json' : 'pdf'}`;
  return kind === 'pack' ? 'proof-pack.json' : 'proof-summary.pdf';
}

/** Fetches proof, which needs the session, and saves it. @param customerId null: of the site */
export function useProof(customerId: string | null) {
  const site = useSite();
  return useMutation({
    gcTime: 0,
    mutationFn: async (kind: ProofKind) => {
      const params = siteParams(site);
      const file =
        customerId === null
          ? await call(kind === 'pack' ? exportSiteProof : exportSiteProofPdf, { params })
          : await call(kind === 'pack' ? exportCustomerProof : exportCustomerProofPdf, {
              params: { ...params, id: customerId },
            });
      downloadFile(proofFile(kind, customerId), file);
    },
  });
}
