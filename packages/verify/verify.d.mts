export interface SignedHead {
  statement: string;
  kid: string;
  signature: string;
}

export interface Verdict {
  /** What doesn't hold, in the order of the pack; empty: everything holds. */
  problems: string[];
  about?: 'customer' | 'site';
  records: number;
  customers: number;
  heads: number;
  lastHead: { number: number; signed_at: string } | null;
  kid?: string;
  madeAt?: string;
  keysUrl?: string;
}

export function verifyPack(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options?: { keys?: readonly object[]; heads?: readonly SignedHead[] },
): Promise<Verdict>;
