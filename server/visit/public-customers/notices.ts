import { isSameAddress } from '#contract/email-key.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import type { ExtraStatements } from '#server/choices/choices/choices.ts';
import { reversalBetween } from '#server/choices/choices/reversals.ts';
import type { Services } from '#server/platform/services.ts';
import { customerMailStatement } from '#server/visit/customer-mails/customer-mails.ts';

/** Notifies the old address of a change, with an undo link. Commits with the change. */
export function addressChangeNotice(
  services: Services,
  { language }: Pick<Visit, 'language'>,
  pageId: string | null,
  newEmail: string,
): ExtraStatements {
  return async (site, { id, sequence, email: oldEmail }) => {
    if (oldEmail === null || isSameAddress(oldEmail, newEmail)) return [];
    const change = { customerId: id, sequence: sequence + 1, oldEmail, newEmail };
    const mail = { kind: 'email_changed', pageId, language, ...change } as const;
    return [await customerMailStatement(services, site, mail)];
  };
}

/** Notifies a customer who was resubscribed, no matter who did it, with an undo link. */
export function resubscribeNotice(
  services: Services,
  { language }: Pick<Visit, 'language'>,
  pageId: string | null,
): ExtraStatements {
  return async (site, { id: customerId }, choiceId, { before, after }) => {
    const reversal = reversalBetween(before, after);
    if (reversal === null) return [];
    const mail = { kind: 'resubscribed', pageId, language, customerId, choiceId, ...reversal } as const;
    return [await customerMailStatement(services, site, mail)];
  };
}

export function combineStatements(one: ExtraStatements, other: ExtraStatements): ExtraStatements {
  return async (...given) => [...(await one(...given)), ...(await other(...given))];
}
