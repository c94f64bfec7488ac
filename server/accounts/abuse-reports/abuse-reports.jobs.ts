import { type Job, queueTask } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { ABUSE_MAILS, describeReport } from './abuse-reports.ts';
import { findReport } from './abuse-reports.sql.ts';

export const ABUSE_MAIL_WORKER = queueTask(ABUSE_MAILS, 1, mailReport);

/** As plain text alone, from our own sender: nothing that a stranger wrote is a link, an address of the mail, or a heading. */
async function mailReport(services: Services, { site_id: siteId, id }: Job): Promise<void> {
  const { abuseEmail } = services.config;
  const report = await services.database.readSite(siteId, (site) => findReport(site, id));
  if (report === undefined || abuseEmail === '') return;
  await services.mailer.send({
    id,
    to: abuseEmail,
    subject: `Abuse report: ${report.host}/${report.path}`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: [
      describeReport(services, report),
      `To take the pages down: npm run operator -- take-down ${report.host} --reason "..."`,
      `If nothing is wrong: npm run operator -- dismiss ${report.host}`,
      '-- \nSayso',
    ].join('\n\n'),
  });
}
