import { type RawEmail, valuesOf } from '#server/platform/raw-email/raw-email.ts';

/** Headers that only one tool adds, or the end of its Feedback-ID. */
const TRACES: readonly { name: string; headers: readonly string[]; feedback?: RegExp }[] = [
  { name: 'Mailchimp', headers: ['x-mc-user'], feedback: /:mc$/i },
  { name: 'HubSpot', headers: ['x-hs-cid'], feedback: /:hubspot$/i },
  {
    name: 'Brevo',
    headers: ['x-sib-id', 'x-mailin-client', 'x-mailin-campaign'],
    feedback: /:(?:sendinblue|brevo)$/i,
  },
  { name: 'Klaviyo', headers: ['x-kmail-account', 'x-kmail-message'] },
  { name: 'ActiveCampaign', headers: [], feedback: /:activecampaign$/i },
  { name: 'Salesforce', headers: ['x-sfmc-stack'], feedback: /:sfmktgcld$/i },
  { name: 'listmonk', headers: ['x-listmonk-campaign', 'x-listmonk-subscriber'] },
  // Last: others send through it.
  { name: 'SendGrid', headers: ['x-sg-eid'] },
];

/** @returns the tool that an email was sent with; null if its headers name none */
export function sendingTool(email: RawEmail): string | null {
  const feedback = valuesOf(email, 'feedback-id')[0]?.slice(-200) ?? '';
  const trace = TRACES.find(
    ({ headers, feedback: end }) =>
      headers.some((header) => valuesOf(email, header).length > 0) || end?.test(feedback) === true,
  );
  return trace?.name ?? null;
}
