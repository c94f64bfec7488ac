import type { Account } from '#contract/accounts.ts';

export interface SectionProps {
  account: Account;
}
