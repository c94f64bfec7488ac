import { z } from 'zod';
import { customerQuery } from './customers.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

export const exportCustomers = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers/export`,
  access: 'site',
  needs: 'admin',
  tag: 'Customers',
  summary: 'Export customers as CSV',
  description:
    'All customers, or those that match. Has a column for each list: "subscribed", "unsubscribed", or empty if the customer never chose. `global_unsubscribe` is "yes", "no" or "paused"; `test` is "yes" for test customers. Cells that a spreadsheet would read as a formula start with an apostrophe. You can import the file again.',
  params: siteParams,
  query: customerQuery,
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
  summary: 'Export all evidence as CSV, newest first',
  description:
    'The same fields as the evidence calls, with lists and the page shown as JSON. Cells that a spreadsheet would read as a formula start with an apostrophe.',
  params: siteParams,
  answers: 'text/csv',
  status: 200,
  response: z.string(),
});
