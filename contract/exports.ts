import { z } from 'zod';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

export const exportCustomers = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers/export`,
  access: 'site',
  needs: 'admin',
  tag: 'Customers',
  summary: 'All customers as a CSV file',
  description:
    'A column for each list: "subscribed", "unsubscribed", or empty where the person never chose. `global_unsubscribe` is "yes", "no", or "paused". Cells that a spreadsheet would take for a formula begin with an apostrophe. It can be imported again.',
  params: siteParams,
  answers: 'text/csv',
  status: 200,
  response: z.string(),
});

export const exportEvidence = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/evidence/export`,
  access: 'site',
  needs: 'admin',
  tag: 'Evidence',
  summary: 'All evidence as a CSV file, newest first',
  description:
    'What the evidence calls answer, with lists and what was shown as JSON. Cells that a spreadsheet would take for a formula begin with an apostrophe.',
  params: siteParams,
  answers: 'text/csv',
  status: 200,
  response: z.string(),
});
