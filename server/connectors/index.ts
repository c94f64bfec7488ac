import type { Connector } from './connector.ts';
import { activecampaign } from './activecampaign/index.ts';
import { brevo } from './brevo/index.ts';
import { campaignMonitor } from './campaign-monitor/index.ts';
import { drip } from './drip/index.ts';
import { hubspot } from './hubspot/index.ts';
import { kit } from './kit/index.ts';
import { mailchimp } from './mailchimp/index.ts';
import { salesforce } from './salesforce/index.ts';
import { sendgrid } from './sendgrid/index.ts';
import { sendlane } from './sendlane/index.ts';

/** Every email tool, in the order of the specification. */
export const CONNECTORS: readonly Connector[] = [
  activecampaign,
  sendgrid,
  kit,
  campaignMonitor,
  brevo,
  hubspot,
  mailchimp,
  sendlane,
  drip,
  salesforce,
];

export function findConnector(id: string): Connector | undefined {
  return CONNECTORS.find((connector) => connector.id === id);
}
