export interface SignedHead {
  statement: string;
  kid: string;
  signature: string;
}

export interface Verdict {
  /** What doesn't hold, in the order of the pack; empty: everything holds. */
  problems: string[];
  /** What an honest pack may look like, and so does one from whose end something was removed. */
  notes: string[];
  about?: 'customer' | 'site';
  records: number;
  customers: number;
  heads: number;
  /** How many of the heads from elsewhere are in it. */
  knownHeads: number;
  lastHead: { number: number; signed_at: string } | null;
  kid?: string;
  madeAt?: string;
}

export function verifyPack(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options?: { keys?: readonly object[]; heads?: readonly SignedHead[] },
): Promise<Verdict>;
