import { serialize } from 'node:v8';
import { expect, it } from 'vitest';
import type { Dns } from '#server/platform/dns.ts';
import { dkimKey } from '#test/harness/dkim-signer.ts';
import { eachOf } from '#test/harness/each-of.ts';
import { hostileEmails, SHOP, shopEmail } from '#test/harness/shop-emails.ts';
import { readEmail } from './read-email.ts';

const NO_RECORDS: Pick<Dns, 'txt'> = { txt: async () => ({ kind: 'none' }) };
/** An eighth of the largest, which takes the same ways. */
const LONG = 250_000;

it('a hostile email leaves little to the process that serves: its headers and the places that its links lead to', () => {
  const good = { key: dkimKey(), oneClickUrl: `https://${SHOP}/u/one`, html: '<p>Hello Nora</p>' };
  return eachOf(
    hostileEmails((email) => shopEmail(email, good), LONG),
    async ([, raw]) => {
      const file = Buffer.from(raw());
      const read = await readEmail(file, NO_RECORDS);
      if ('problem' in read) return;
      expect(read.links.length).toBeLessThanOrEqual(2000);
      const places = read.links.reduce((sum, { href }) => sum + href.length, 0);
      const headers = JSON.stringify(read.fields).length;
      expect(places + headers).toBeLessThan(file.length + 10_000);
      // Nothing of it grows with the words of the body.
      expect(serialize(read).byteLength).toBeLessThan(
        2 * (places + headers) + 120 * read.links.length + 10_000,
      );
    },
    ([name]) => name,
  );
});
