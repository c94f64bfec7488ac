import type { Member } from '#contract/members.ts';

/** First and last name if set, else the username. */
export function nameOf({
  first_name,
  last_name,
  username,
}: Pick<Member, 'first_name' | 'last_name' | 'username'>): string {
  return `${first_name} ${last_name}`.trim() || username;
}
