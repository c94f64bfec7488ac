import type { EvidenceFinding } from '#contract/evidence-check.ts';
import type { ChoiceRow } from '#server/audience/evidence/evidence.sql.ts';
import { hashOfChoice, isPersonOfRecord } from '#server/audience/evidence/evidence.ts';
import { equalBytes, type Keyring } from '#server/platform/secrets.ts';

/** Where a customer's chain has to end. */
export interface Head {
  id: string;
  sequence: number;
  evidence_hash: Buffer | null;
}

export interface ChainCheck {
  /** The next record of the chain, in the order of their numbers. */
  add(record: ChoiceRow): void;
  /** The first bad record; null when the chain holds. */
  end(): EvidenceFinding | null;
}

function isSameHash(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : equalBytes(one, other);
}

/** Computes a chain again from its records. @param head undefined where there is no such customer */
export function checkChain(keyring: Keyring, customerId: string, head: Head | undefined): ChainCheck {
  let last: { id: string; sequence: number; hash: Buffer } | null = null;
  let finding: EvidenceFinding | null = null;

  const find = (
    problem: EvidenceFinding['problem'],
    sequence: number,
    recordId: string | null,
  ): EvidenceFinding => ({ problem, customer_id: customerId, sequence, record_id: recordId });

  function judge(record: ChoiceRow): EvidenceFinding | null {
    const { id, sequence } = record;
    const expected = (last?.sequence ?? 0) + 1;
    if (sequence > expected) return find('missing', expected, null);
    if (head === undefined || sequence < expected || sequence > head.sequence) {
      return find('unexpected', sequence, id);
    }
    const isItself = equalBytes(hashOfChoice(record), record.hash);
    if (!isSameHash(record.previous_hash, last?.hash ?? null)) {
      // It still says what the one before it was: that one has another hash now.
      return isItself && last !== null
        ? find('altered', last.sequence, last.id)
        : find('unlinked', sequence, id);
    }
    if (!isItself || isPersonOfRecord(keyring, record) === false) return find('altered', sequence, id);
    return null;
  }

  return {
    add(record) {
      finding ??= judge(record);
      last = record;
    },
    end() {
      if (finding !== null || head === undefined) return finding;
      const reached = last?.sequence ?? 0;
      if (reached < head.sequence) return find('missing', reached + 1, null);
      return isSameHash(last?.hash ?? null, head.evidence_hash)
        ? null
        : find('altered', reached, last?.id ?? null);
    },
  };
}
