import { createHash } from 'node:crypto';

export const KEY_ID_BYTES = 2;

/** Stands in front of everything that is made with a key of `SECRET_KEY`. */
export function keyIdOf(secret: string): Buffer {
  return createHash('sha256').update(`key-id:${secret}`).digest().subarray(0, KEY_ID_BYTES);
}

/** Whether a value could have been made with one of these keys or another: only the first would be tried. */
export function haveSameId(secrets: readonly string[]): boolean {
  return new Set(secrets.map((secret) => keyIdOf(secret).toString('hex'))).size < secrets.length;
}
