import { emailKey } from '#contract/email-key.ts';
import type { Services } from '#server/platform/services.ts';
import { siteTag } from './change-site.ts';
import { readTestMode } from './sites.sql.ts';

/** Which customers are test customers, and whether the site is in test mode (decision 043). */
export interface TestRules {
  /** The whole site is in test mode: nothing is sent, everything waits. */
  isOn: boolean;
  /** Keys of the test addresses. */
  emails: ReadonlySet<string>;
  /** Domains whose addresses are all test addresses, in ASCII. */
  domains: ReadonlySet<string>;
}

export const NO_TEST_RULES: TestRules = { isOn: false, emails: new Set(), domains: new Set() };

/** Cached: saves and deliveries ask for them each time. */
export async function testRulesOf(services: Services, siteId: string): Promise<TestRules> {
  return services.cache.get(siteTag(siteId), 'test-rules', async () => {
    const kept = await readTestMode(services.database.global, siteId);
    const all = kept?.test_emails ?? [];
    return {
      isOn: kept?.test_mode ?? false,
      emails: new Set(all.filter((one) => !one.startsWith('@'))),
      domains: new Set(all.flatMap((one) => (one.startsWith('@') ? [one.slice(1)] : []))),
    };
  });
}

/** As it is stored now, whatever is cached. */
export async function isInTestMode({ database }: Services, siteId: string): Promise<boolean> {
  return (await readTestMode(database.global, siteId))?.test_mode === true;
}

export const hasTestEmails = ({ emails, domains }: TestRules) => emails.size > 0 || domains.size > 0;

/** Is a customer with this address a test customer? null, after an erasure: no. */
export function isTestEmail(rules: TestRules, email: string | null): boolean {
  if (email === null || !hasTestEmails(rules)) return false;
  const { emails, domains } = rules;
  const key = emailKey(email);
  return emails.has(key) || domains.has(key.slice(key.lastIndexOf('@') + 1));
}
