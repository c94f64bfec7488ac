import * as contract from '#contract/complaints.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { answerComplaint, getComplaint, listComplaints } from './complaints.ts';

export function complaintRoutes(api: Api, services: Services): void {
  api(contract.listComplaints, async ({ site, query }) => listComplaints(services, site.id, query));

  api(contract.getComplaint, async ({ site, params }) => getComplaint(services, site.id, params.id));

  api(contract.answerComplaint, async ({ site, params, body }) =>
    answerComplaint(services, site.id, params.id, body),
  );
}
