import { inParts, keyOf, oneByOne, type Outcome } from '../batches.ts';
import type { Change, ConnectorError, ToolApi, ToolState } from '../connector.ts';
import {
  applyChange,
  linkRow,
  linksOf,
  nobodyThere,
  optOutRows,
  peopleWithAny,
  type SalesforceMember,
  placesOf,
  stateOf,
} from './people.ts';
import { createEach, deleteEach, updateEach, worstOf } from './rows.ts';

/** One call writes 200 rows (A2), and people have several. */
const PEOPLE_PER_CALL = 100;

export function batchSize({ type }: Change): number {
  return type === 'global_unsubscribe' || type === 'list' || type === 'tag' ? PEOPLE_PER_CALL : 1;
}

export async function applyMany(api: ToolApi, changes: readonly Change[]): Promise<Outcome[]> {
  const [first] = changes;
  const emails = changes.map(({ email }) => email);
  if (first === undefined) return [];
  if (batchSize(first) === 1) return oneByOne(emails, (email) => applyChange(api, { ...first, email }));
  const known = await peopleWithAny(api, emails);
  const { behind, failures } = await bring(api, [...known.values()].flat(), first);
  for (const email of emails) {
    api.found(email, !(known.get(keyOf(email)) ?? []).some(({ id }) => behind.has(id)));
  }
  const needsSomebody = first.type !== 'global_unsubscribe' && first.type !== 'switch_email' && first.on;
  return emails.map((email) => {
    const people = known.get(keyOf(email)) ?? [];
    if (people.length === 0) return needsSomebody ? nobodyThere() : null;
    return worstOf(people.flatMap(({ id }) => failures.get(id) ?? []));
  });
}

/** By the ids of contacts and leads. */
type Failures = Map<string, ConnectorError[]>;

/** What is written: of whom, and for whom it failed. */
interface Brought {
  behind: ReadonlySet<string>;
  failures: Failures;
}

const brought = (ids: readonly string[], outcomes: readonly Outcome[]): Brought => ({
  behind: new Set(ids),
  failures: failuresOf(ids, outcomes),
});

async function bring(api: ToolApi, people: readonly SalesforceMember[], change: Change): Promise<Brought> {
  if (change.type === 'global_unsubscribe') {
    const rows = optOutRows(people, change.on);
    return brought(
      rows.map(({ id }) => id),
      await updateEach(api, rows),
    );
  }
  if (change.type !== 'list' && change.type !== 'tag') return brought([], []);
  const { type, target, on } = change;
  const links = (await linksOf(api, type, people, target.id)) ?? [];
  if (!on) {
    const ids = links.map(({ id }) => id);
    return brought(
      links.map(({ person }) => person),
      await deleteEach(api, ids),
    );
  }
  const linked = new Set(links.map(({ person }) => person));
  const missing = people.filter(({ id }) => !linked.has(id));
  const rows = missing.map((one) => linkRow(type, one, target.id));
  return brought(
    missing.map(({ id }) => id),
    await createEach(api, rows),
  );
}

function failuresOf(ids: readonly string[], outcomes: readonly Outcome[]): Failures {
  const failures: Failures = new Map();
  for (const [at, id] of ids.entries()) {
    const outcome = outcomes[at] ?? null;
    if (outcome !== null) failures.set(id, [...(failures.get(id) ?? []), outcome]);
  }
  return failures;
}

export async function stateMany(api: ToolApi, emails: readonly string[]): Promise<ToolState[]> {
  const states: ToolState[] = [];
  for (const some of inParts(emails, PEOPLE_PER_CALL)) {
    const known = await peopleWithAny(api, some);
    const places = await placesOf(api, [...known.values()].flat());
    states.push(...some.map((email) => stateOf(known.get(keyOf(email)) ?? [], places)));
  }
  return states;
}
