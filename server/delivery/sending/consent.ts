import { type ChoiceRow, isByThePerson } from '#server/audience/evidence/evidence.ts';
import type { Consent } from '#server/connectors/connector.ts';

/** What a choice says of the yes in it, for tools that keep that. What somebody else reported says nothing of it. */
export function consentOf(choice: ChoiceRow): Consent {
  const { requested, ip, language, occurred_at: at } = choice;
  if (!isByThePerson(choice)) return { isConfirmed: false };
  const made = { at: at.toISOString(), ip };
  if (requested === null) return { isConfirmed: false, said: { ...made, language } };
  return {
    isConfirmed: true,
    said: { at: requested.at, ip: requested.ip, language: requested.language },
    confirmed: made,
  };
}
