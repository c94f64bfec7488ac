import { ABUSE_MAILS } from './accounts/abuse-reports/abuse-reports.ts';
import type { JobQueue } from './platform/queue.ts';
import { IMPORTS } from './sync/imports/steps.ts';
import { INBOUND } from './sync/inbound/receive.ts';
import { BULK_UNDOS } from './visit/bulk-changes/undo-steps.ts';
import { CUSTOMER_MAILS } from './visit/customer-mails/customer-mails.ts';

/** Every queue of the product. */
export const QUEUES: readonly JobQueue[] = [CUSTOMER_MAILS, INBOUND, IMPORTS, BULK_UNDOS, ABUSE_MAILS];
