import { findChoiceBySaveId } from '#server/audience/evidence/evidence.ts';
import { type ChoiceWish, saveChoice, UNSEEN } from '#server/choices/choices/choices.ts';
import { ConnectorError, type ToolState } from '#server/connectors/connector.ts';
import { confirms } from '#server/delivery/sending/tool-changes.ts';
import { inTurn } from '#server/delivery/sending/tool-turns.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import type { DifferenceRow } from './differences.sql.ts';
import { noteMendFailure, resolveDifference } from './differences.sql.ts';
import { findDifferences, type Finding, isSameDifference } from './findings.ts';
import { findPerson } from './people.sql.ts';
import { type ComparedTool, isAboutOne, lineFor } from './tool.ts';
import { type KeptChange, type Person, type Wanted, wantedOf } from './wanted.ts';

/** gone: there is nothing to mend (any more). busy: a delivery is under way, or the person chooses at this moment. */
export type Mended = { result: 'mended' | 'gone' | 'busy' } | { result: 'failed'; error: string };

const GONE: Mended = { result: 'gone' };
const MENDED: Mended = { result: 'mended' };
const BUSY: Mended = { result: 'busy' };

/** Sentences of tools may repeat the address, which is kept nowhere but with the customer. */
function failed(error: string, { email }: Person): Mended {
  const address = new RegExp(email.replace(/[^\p{L}\p{N}]/gu, '\\$&'), 'gi');
  return { result: 'failed', error: error.replace(address, '…') };
}

/**
 * Brings the tool to one change and reads back. The turn is the caller's.
 * @throws ConnectorError where the tool itself is in trouble
 */
export async function bringThere(
  services: Services,
  tool: ComparedTool,
  person: Person,
  { change, effect }: Wanted,
): Promise<Mended> {
  const { connector } = tool;
  const api = lineFor(services, tool, 'mending');
  let state: ToolState;
  try {
    await connector.apply(api, change);
  } catch (error) {
    // A tool that failed a moment after it was read may fail for this change alone: the others go on.
    const isLeftOpen = error instanceof ConnectorError && (isAboutOne(error) || error.kind === 'unavailable');
    if (!isLeftOpen) throw error;
    return failed(error.message, person);
  }
  try {
    state = await connector.state(api, person.email);
  } catch (error) {
    // A question that fails takes nothing back: the change has arrived.
    if (error instanceof ConnectorError) return MENDED;
    throw error;
  }
  if (confirms(change, state) !== false) return MENDED;
  // Somebody whom the tool does not know gets nothing from it.
  if (effect === 'lowers' && !state.known) return GONE;
  return failed(`${connector.name} took the change but does not show it yet; compare again later.`, person);
}

/** Takes over an opt-out that the tool tells; the tool itself is not told again. */
async function leaveHere(
  services: Services,
  { siteId, integrationId }: ComparedTool,
  person: Person,
  { change }: Finding,
  saveId: string,
): Promise<Mended> {
  const wish: ChoiceWish =
    change.list_ids.length === 0
      ? { globalUnsubscribe: true }
      : { lists: change.list_ids.map((listId) => ({ list_id: listId, subscribed: false })) };
  try {
    const saved = await saveChoice(
      services,
      siteId,
      person.id,
      wish,
      {
        source: 'tool',
        authority: 'system',
        saveId,
        ...UNSEEN,
        toldBy: { integrationId, since: services.clock.now() },
      },
      { sequence: person.sequence },
    );
    return saved.refused === null ? MENDED : BUSY;
  } catch (error) {
    // Erased, or the list was deleted.
    if (error instanceof AppError && ['not_found', 'invalid_field'].includes(error.code)) return GONE;
    throw error;
  }
}

/**
 * Mends a difference, if it still holds, and keeps what came of it.
 * @throws ConnectorError where the tool itself is in trouble
 */
export async function mend(services: Services, tool: ComparedTool, row: DifferenceRow): Promise<Mended> {
  const { siteId, integrationId } = tool;
  const place = { siteId, integrationId, customerId: row.customer_id };
  const mended = (await inTurn(services, place, () => mendNow(services, tool, row))) ?? BUSY;
  const now = services.clock.now();
  await services.database.inSite(siteId, async (site) => {
    if (mended.result === 'failed') await noteMendFailure(site, row.id, mended.error);
    else if (mended.result !== 'busy') await resolveDifference(site, row.id, mended.result, now);
  });
  return mended;
}

async function mendNow(services: Services, tool: ComparedTool, row: DifferenceRow): Promise<Mended> {
  const saveId = `comparison:${row.id}`;
  const { person, isTaken } = await services.database.readSite(tool.siteId, async (site) => ({
    person: await findPerson(site, tool.integrationId, row.customer_id),
    isTaken: (await findChoiceBySaveId(site, row.customer_id, saveId)) !== undefined,
  }));
  if (person === undefined) return GONE;
  // A worker that died had taken it over, and did not come to say so.
  if (isTaken) return MENDED;
  if (person.isUnderWay) return BUSY;
  let state: ToolState;
  try {
    state = await tool.connector.state(lineFor(services, tool, 'mending'), person.email);
  } catch (error) {
    if (!(error instanceof ConnectorError && isAboutOne(error))) throw error;
    return failed(error.message, person);
  }
  const still = findDifferences(tool, person, state).found.find(
    (one) => one.key === row.target_key && isSameDifference(one, row),
  );
  if (still === undefined) return GONE;
  if (still.kind === 'opted_out_there') return leaveHere(services, tool, person, still, saveId);
  const wanted = stillWanted(tool, person, still);
  return wanted === undefined ? GONE : bringThere(services, tool, person, wanted);
}

/** What an action wants of the person now, where it is the same as it was. */
export function stillWanted(
  tool: ComparedTool,
  person: Person,
  { key, change }: { key: string; change: Pick<KeptChange, 'on'> },
): Wanted | undefined {
  return wantedOf(tool, person).find((one) => one.key === key && one.change.on === change.on);
}
