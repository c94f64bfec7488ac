import { isPlanGroup, PLANS, type PlanGroup } from '#contract/plans.ts';
import { listPlans, planOf, type PlanState, setPlan } from './accounts/accounts/plans.ts';
import { Refusal, runCommand, withDatabase } from './command.ts';

/*
 * `npm run plan -- EMAIL GROUP [UNTIL]`: gives an account a plan. `npm run plan -- EMAIL` shows what it has,
 * `npm run plan` shows everybody's.
 */

const NONE = 'none';
const USAGE = 'npm run plan -- EMAIL GROUP [UNTIL]';

function groupOf(value: string): PlanGroup | null {
  if (value === NONE) return null;
  if (isPlanGroup(value)) return value;
  const known = Object.entries(PLANS).map(([group, name]) => `${group} (${name})`);
  throw new Refusal(`GROUP: there is no plan "${value}". Use ${known.join(', ')} or ${NONE}.`);
}

/** A day lasts until its end. UTC. */
function untilOf(value: string): Date {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day), 23, 59, 59));
  if (year === '' || dayOf(date) !== value) {
    throw new Refusal(
      `UNTIL: "${value}" isn't a date. Write it like 2027-12-31, or leave it out for no end date.`,
    );
  }
  return date;
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10);

function sentenceOf({ email, group, organization, isOwner }: PlanState): string {
  const has = group === null ? 'no plan' : `${PLANS[group]} (${group})`;
  if (organization === null) {
    return `${email} has ${has} but no organization yet. Run this again after the survey to set its subscription.`;
  }
  if (!isOwner) {
    return `${email} has ${has}. The subscription of ${organization.name} belongs to its owners and stays the same.`;
  }
  const { name, subscription, validUntil } = organization;
  const over = validUntil !== null && validUntil < new Date() ? ' (expired)' : '';
  const until = validUntil === null ? 'with no end date' : `until ${dayOf(validUntil)}${over}`;
  return `${email} has ${has}. ${name}: ${subscription ?? 'no subscription'}, valid ${until}.`;
}

function known(email: string, state: PlanState | null): PlanState {
  if (state === null) throw new Refusal(`EMAIL: no account uses ${email}.`);
  return state;
}

async function main([email, group, until, ...more]: readonly string[]): Promise<number> {
  if (more.length > 0) throw new Refusal(`Too many arguments: ${USAGE}`);
  const wanted =
    group === undefined
      ? null
      : { group: groupOf(group), validUntil: until === undefined ? null : untilOf(until) };
  if (wanted?.group === null && wanted.validUntil !== null) {
    throw new Refusal(`UNTIL: "${NONE}" has no end date. Leave it out.`);
  }
  return withDatabase(async ({ database }) => {
    if (email === undefined) {
      const all = await listPlans(database);
      console.log(
        all.length === 0 ? `No accounts with a plan yet: ${USAGE}` : all.map(sentenceOf).join('\n'),
      );
      return 0;
    }
    const state = wanted === null ? await planOf(database, email) : await setPlan(database, email, wanted);
    console.log(sentenceOf(known(email, state)));
    return 0;
  });
}

runCommand(main);
