import { withoutAddresses } from '#contract/email-address.ts';

const MAX_LENGTH = 200;

/** What a tool says in its own words, for the owner: one line without addresses. */
export function toldReason(text: string): string {
  return withoutAddresses(text)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
    .toWellFormed();
}
