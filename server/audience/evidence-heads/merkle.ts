import { createHash } from 'node:crypto';
import { idFromBytes, idToBytes } from '#server/platform/ids.ts';

/* The hash tree of RFC 9162, section 2.1: a short path shows that one record is among many that were signed together. */

export const LEAF_BYTES = 48;
const ID_BYTES = 16;

const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** What is signed of a record: its id (16 bytes) and its hash (32). */
export function leafOf({ id, hash }: { id: string; hash: Buffer }): Buffer {
  return Buffer.concat([idToBytes(id), hash]);
}

export function recordOfLeaf(leaf: Buffer): { id: string; hash: Buffer } {
  return { id: idFromBytes(leaf.subarray(0, ID_BYTES)), hash: leaf.subarray(ID_BYTES) };
}

/** The leaves of a head, one after the other, in the order of their ids. */
export function splitLeaves(leaves: Buffer): Buffer[] {
  return Array.from({ length: leaves.length / LEAF_BYTES }, (_, at) =>
    leaves.subarray(at * LEAF_BYTES, (at + 1) * LEAF_BYTES),
  );
}

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

/** The largest power of two below the number. */
function splitAt(size: number): number {
  let half = 1;
  while (half * 2 < size) half *= 2;
  return half;
}

export function rootOf(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return sha256();
  if (leaves.length === 1) return sha256(LEAF, first);
  const half = splitAt(leaves.length);
  return sha256(NODE, rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)));
}

/** The hashes beside the way from a leaf to the root, from below. */
export function pathOf(leaves: readonly Buffer[], index: number): Buffer[] {
  if (leaves.length <= 1) return [];
  const half = splitAt(leaves.length);
  return index < half
    ? [...pathOf(leaves.slice(0, half), index), rootOf(leaves.slice(half))]
    : [...pathOf(leaves.slice(half), index - half), rootOf(leaves.slice(0, half))];
}
