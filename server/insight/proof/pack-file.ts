import type { Signer } from '#server/audience/evidence-heads/signing.ts';
import { newId } from '#server/platform/ids.ts';

export const PACK_FORMAT = 'sayso-proof-pack/1';

/** One line of a pack. */
export type Part = { kind: 'header' | 'text' | 'head' | 'record' | 'chains' } & Record<string, unknown>;

/**
 * A pack as text: valid JSON, with one part on each line and a signature behind it. The signature covers the line as it
 * stands, its number and the pack, so that a verifier can read it line by line and names what was changed.
 */
export async function* packText(
  signer: Signer,
  parts: Iterable<Part> | AsyncIterable<Part>,
): AsyncGenerator<string> {
  const pack = newId();
  let [count, records] = [0, 0];
  function line(part: object): string {
    const text = `{"n":${count},"part":${JSON.stringify(part)}`;
    count += 1;
    return `${text},"sig":"${signer.sign(`${PACK_FORMAT}\n${pack}\n${text}`).toString('base64url')}"}`;
  }
  yield `{"format":"${PACK_FORMAT}","pack":"${pack}","parts":[\n`;
  for await (const part of parts) {
    if (part.kind === 'record') records += 1;
    yield `${line(part)},\n`;
  }
  yield `${line({ kind: 'end', parts: count + 1, records })}\n]}\n`;
}
