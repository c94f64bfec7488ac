import type { EvidenceFinding } from '#contract/evidence-check.ts';
import { allSiteIds, siteById } from './accounts/sites/sites.ts';
import { counted } from './command.ts';
import { examineSite } from './audience/evidence-checks/evidence-checks.ts';
import type { Database } from './platform/database.ts';
import type { Keyring } from './platform/secrets.ts';

/** A long check says that it goes on. */
const SAY_EVERY_RECORDS = 50_000;

const PROBLEMS: Record<EvidenceFinding['problem'], string> = {
  altered: 'was altered',
  missing: 'is missing',
  unlinked: "doesn't follow the record before it",
  unexpected: "wasn't recorded by Sayso",
  rewritten: 'records that were checked or signed before were altered or removed, together with their chains',
  foreign_head: 'a signed head has a key that this installation never had',
};

function sentenceOf({ problem, customer_id, sequence, record_id }: EvidenceFinding): string {
  const id = record_id === null ? '' : ` (${record_id})`;
  if (customer_id === null) return `${PROBLEMS[problem]}${id}`;
  return `customer ${customer_id}: record ${sequence}${id} ${PROBLEMS[problem]}`;
}

/**
 * Computes all evidence of all sites again, and says what it finds.
 * @returns whether all of it holds
 */
export async function verifyAll(
  database: Database,
  keyring: Keyring,
  say: (line: string) => void = console.log,
): Promise<boolean> {
  const total = { sites: 0, records: 0, chains: 0, broken: 0 };
  for await (const siteId of allSiteIds(database.global)) {
    const site = await siteById(database.global, siteId);
    const name = `${site?.domain_name ?? 'site'} (${siteId})`;
    let said = 0;
    const found = await examineSite({ database, keyring }, siteId, {
      onProgress(records) {
        if (records < said + SAY_EVERY_RECORDS) return;
        said = records;
        say(`${name}: ${counted(records, 'record')} so far`);
      },
    });
    const { records, chains, broken, findings } = found;
    const result = broken === 0 ? 'all intact' : `${counted(broken, 'chain')} broken`;
    say(`${name}: ${counted(records, 'record')} in ${counted(chains, 'chain')}, ${result}`);
    for (const finding of findings) say(`  ${sentenceOf(finding)}`);
    if (broken > findings.length) say(`  and ${counted(broken - findings.length, 'other chain')}`);
    total.sites += 1;
    total.records += records;
    total.chains += chains;
    total.broken += broken;
  }
  const all = `${counted(total.records, 'record')} in ${counted(total.chains, 'chain')} of ${counted(total.sites, 'site')}`;
  say(
    total.broken === 0
      ? `Verified ${all}: the evidence is unchanged.`
      : `Verified ${all}: ${counted(total.broken, 'chain')} broken, see above.`,
  );
  return total.broken === 0;
}
