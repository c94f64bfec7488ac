import type { Site } from '#contract/sites.ts';
import { EVIDENCE_KEYS_PATH, VERIFIER_PATH } from '#contract/proof.ts';
import {
  decryptPerson,
  hashedContentOf,
  isPersonOfRecord,
  type ReasonedChoiceRow,
} from '#server/audience/evidence/evidence.ts';
import { evidenceKeys } from '#server/audience/evidence-heads/evidence-keys.ts';
import {
  type HeadRow,
  headOfRecord,
  type SignedHead,
} from '#server/audience/evidence-heads/evidence-heads.ts';
import { leafOf, pathOf, splitLeaves } from '#server/audience/evidence-heads/merkle.ts';
import { signerOf } from '#server/audience/evidence-heads/signing.ts';
import type { ShownTextRow } from '#server/pages/shown-texts/shown-texts.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { idToBytes } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { PACK_FORMAT, type Part } from './pack-file.ts';
import { type ChainEnd, type DeliveryOfChoice, deliveriesOfChoices } from './proof.sql.ts';
import { receiptOf } from './receipt.ts';

/* What stands on the lines of a pack. */

export async function headerPart(
  services: Services,
  site: Site,
  about: { about: 'site' } | { about: 'customer'; customer_id: string },
): Promise<Part> {
  const { appUrl } = services.config;
  return {
    kind: 'header',
    format: PACK_FORMAT,
    ...about,
    site: { id: site.id, name: site.name, url: site.url, operator: site.operator },
    made_at: services.clock.now().toISOString(),
    how_to_verify: `Download ${appUrl}${VERIFIER_PATH} and run: node verify.mjs pack.json`,
    keys_url: `${appUrl}${EVIDENCE_KEYS_PATH}`,
    kid: signerOf(services.keyring).key.kid,
    keys: await evidenceKeys(services),
  };
}

export function textPart({ hash, content, created_at }: ShownTextRow): Part {
  return { kind: 'text', hash: hash.toString('hex'), stored_at: created_at.toISOString(), content };
}

export function chainsPart(ends: readonly ChainEnd[]): Part {
  return {
    kind: 'chains',
    chains: ends.map((end) => [end.id, end.sequence, end.evidence_hash?.toString('hex') ?? null]),
  };
}

function presentDelivery(delivery: DeliveryOfChoice) {
  return {
    id: delivery.id,
    event: delivery.event,
    action: delivery.action_name,
    action_type: delivery.action_type,
    tool: delivery.tool,
    account: delivery.account,
    status: delivery.status,
    outcome: delivery.outcome,
    attempts: delivery.attempt_count,
    created_at: delivery.created_at.toISOString(),
    finished_at: delivery.finished_at?.toISOString() ?? null,
    confirmed_at: delivery.confirmed_at?.toISOString() ?? null,
  };
}

/** Where a record stands in the head that it was signed with. */
export interface Signed {
  head: number;
  index: number;
  /** The hash that it was signed with, and those beside its way to the root: in hex. */
  hash: string;
  path: string[];
}

/** Finds records in heads; keeps one head at a time, so that records are best asked for in the order of their ids. */
export function headFinder(site: SiteDb) {
  let head: HeadRow | undefined;
  let leaves: Buffer[] = [];
  const used = new Map<number, SignedHead>();
  let from = '';

  async function locate(recordId: string) {
    if (head === undefined || recordId >= head.up_to || recordId < from) {
      from = recordId;
      head = await headOfRecord(site, recordId);
      leaves = head === undefined ? [] : splitLeaves(head.leaves);
    }
    const id = idToBytes(recordId);
    const index = leaves.findIndex((leaf) => leaf.subarray(0, 16).equals(id));
    const leaf = leaves[index];
    return head === undefined || leaf === undefined ? null : { head, index, leaf };
  }

  return {
    used,
    /** Only in which head, not how that is shown. */
    async numberOf({ id }: { id: string }): Promise<number | null> {
      return (await locate(id))?.head.number ?? null;
    },
    async find(record: { id: string; hash: Buffer }): Promise<Signed | null> {
      const place = await locate(record.id);
      if (place === null) return null;
      used.set(place.head.number, place.head);
      return {
        head: place.head.number,
        index: place.index,
        hash: place.leaf.subarray(leafOf({ id: record.id, hash: Buffer.alloc(0) }).length).toString('hex'),
        path: pathOf(leaves, place.index).map((hash) => hash.toString('hex')),
      };
    },
  };
}

export interface RecordExtras {
  deliveries: readonly DeliveryOfChoice[];
  text: ShownTextRow | undefined;
  signed: Signed | null;
}

/** One record: what was hashed exactly as it was hashed; beside it what can be read of the person, and what came of it. */
export function recordPart(
  services: Services,
  site: Site,
  choice: ReasonedChoiceRow,
  { deliveries, text, signed }: RecordExtras,
) {
  const person = decryptPerson(services.keyring, choice);
  return {
    kind: 'record',
    content: hashedContentOf(choice),
    previous_hash: choice.previous_hash?.toString('hex') ?? null,
    hash: choice.hash.toString('hex'),
    person: person && {
      email: person.email,
      user_agent: person.user_agent,
      requested_user_agent: person.requested_user_agent ?? null,
      ...(person.confirmed_ip ? { confirmed_ip: person.confirmed_ip } : {}),
      ...(person.imported === undefined ? {} : { imported: person.imported }),
      ...(person.salt === undefined ? {} : { salt: person.salt }),
    },
    // What the verifier can't tell: it has no key to the hash of the email. null: neither can we.
    is_person_of_record: isPersonOfRecord(services.keyring, choice),
    reason: choice.reason,
    text: text?.hash.toString('hex') ?? null,
    signed,
    receipt: receiptOf(choice, site),
    deliveries: deliveries.map(presentDelivery),
  } satisfies Part;
}

export type RecordPart = ReturnType<typeof recordPart>;

/** What became of these records, by record. */
export async function deliveriesByChoice(
  site: SiteDb,
  choices: readonly ReasonedChoiceRow[],
): Promise<Map<string, DeliveryOfChoice[]>> {
  if (choices.length === 0) return new Map();
  const deliveries = await deliveriesOfChoices(
    site,
    choices.map(({ id }) => id),
  );
  return Map.groupBy(deliveries, (delivery) => delivery.choice_id);
}
