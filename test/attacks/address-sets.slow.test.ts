import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '#contract/client.ts';
import { createCustomer, type Customer, listCustomers } from '#contract/customers.ts';
import { emailKey, isSameAddress } from '#contract/email-key.ts';
import { readEmail } from '#contract/email-address.ts';
import { openCustomer, saveLists } from '#contract/public-preferences.ts';
import { choicesOf } from '#test/harness/choices.ts';
import { csv, uploadAndCheck } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';
import { type AddressSet, OF_ISEMAIL, OF_VALIDATOR } from './address-sets.ts';

/* What Sayso makes of the addresses by which two packages test themselves, in the contract and over HTTP. */

const SETS: [name: string, set: AddressSet][] = [
  ['isemail', OF_ISEMAIL],
  ['validator', OF_VALIDATOR],
];

type Reasons = Record<string, (text: string) => boolean>;

/** Why we accept what a set calls invalid: an opt-out counts for everyone who can be meant by it. */
const ACCEPTED: Reasons = {
  'spaces and line ends around an address are not part of it': (text) => /^\s|\s$/.test(text),
  'a full stop after an address ends a sentence': (text) => /\w\.>?$/.test(text),
  'what is before the brackets is a name, which is not read': (text) => /<[ \w]+@[\w.]+ ?>$/.test(text),
  'a keyboard types full-width letters': (text) => /[ａ-ｚ]/.test(text),
  'Japanese carriers have dots anywhere before the @': (text) => /(?:^|<)\.|\.\.|\.@/.test(text),
  'RFC 6531 allows every character beyond ASCII before the @': (text) => text.includes('🍈@'),
  'domains have underscores and symbols': (text) => /@_|©$/.test(text),
  'a top-level domain that does not exist reaches nobody': (text) => /\.(?:c|256)$/.test(text),
  'a backslash that protects nothing changes nothing': (text) => text.includes('\\©'),
  'two colons can stand for one group of an IPv6 address (RFC 4291)': (text) => text.endsWith(':6666::8888]'),
};

/** Why we refuse what a set calls valid. */
const REFUSED: Reasons = {
  'a domain has a dot (specification, section 5)': (text) => /@\w+$/.test(text),
  'there is text before the @ (specification, section 5)': (text) => text.startsWith('""@'),
  'what is before the @ has 64 bytes at most (RFC 5321, section 4.5.3.1)': (text) => /^.{65,}@/.test(text),
  'the DNS has no character that Unicode has not assigned': (text) => text.includes('\u{103ff}'),
};

const TEXTS = [...new Set(SETS.flatMap(([, { valid, invalid }]) => [...valid, ...invalid]))];
const isAccepted = (text: string) => readEmail(text) !== null;
const VALID = TEXTS.filter(isAccepted);
const INVALID = TEXTS.filter((text) => !isAccepted(text));

const acceptedOf = ({ invalid }: AddressSet) => invalid.filter(isAccepted);
const refusedOf = ({ valid }: AddressSet) => valid.filter((text) => !isAccepted(text));

describe.each(SETS)('the set of %s', (_, set) => {
  it('is judged as its authors do, but for where we say why not', () => {
    const unexplained = (texts: string[], reasons: Reasons) =>
      texts.filter((text) => !Object.values(reasons).some((holds) => holds(text)));
    expect(unexplained(acceptedOf(set), ACCEPTED)).toEqual([]);
    expect(unexplained(refusedOf(set), REFUSED)).toEqual([]);
  });
});

it('each of these reasons is needed', () => {
  const idle = (texts: string[], reasons: Reasons) =>
    Object.keys(reasons).filter((why) => !texts.some((text) => reasons[why]?.(text)));
  expect(
    idle(
      SETS.flatMap(([, set]) => acceptedOf(set)),
      ACCEPTED,
    ),
  ).toEqual([]);
  expect(
    idle(
      SETS.flatMap(([, set]) => refusedOf(set)),
      REFUSED,
    ),
  ).toEqual([]);
});

describe('the addresses of both sets', () => {
  let product: TestProduct;
  let world: World;

  beforeAll(async () => {
    product = await startTestProduct();
    world = await buildWorld(product);
  });

  afterAll(() => product.stop());

  /** So many calls fit into one login and one set of limits. */
  const AT_ONCE = 20;

  async function each(texts: readonly string[], send: (text: string) => Promise<void>): Promise<void> {
    for (const [at, text] of texts.entries()) {
      if (at % AT_ONCE === 0) await logInAgain(product, world.owner);
      await send(text);
    }
  }

  const create = (email: string) =>
    product.call(createCustomer, { params: world.params, body: { email } }, world.owner);

  const open = (email: string) =>
    product.call(openCustomer, { body: { email, custom_path: world.page.custom_path } }, world.visitor);

  async function statusOf(answer: Promise<unknown>): Promise<number> {
    try {
      await answer;
      return 200;
    } catch (error) {
      if (error instanceof ApiError) return error.status;
      throw error;
    }
  }

  async function find(email: string): Promise<Customer[]> {
    const query = { search: email };
    const { results } = await product.call(listCustomers, { params: world.params, query }, world.owner);
    return results.filter((customer) => isSameAddress(customer.email ?? '', email));
  }

  it('are one customer each, who is found and unsubscribed by the same spelling', async () => {
    await each(VALID, async (text) => {
      const address = readEmail(text) ?? '';
      const isKnown = (await find(address)).length > 0;
      expect(await statusOf(create(text)), text).toBe(isKnown ? 409 : 200);
      const [customer, ...others] = await find(address);
      if (customer === undefined) throw new Error(`${text} is not found`);
      expect(others, text).toEqual([]);
      const opened = await open(text);
      expect(opened.email, text).toBe(customer.email);
      const body = [world.weekly, world.offers].map(({ id }) => ({
        notification_list_id: id,
        subscribed: false,
      }));
      await product.call(saveLists, { params: { customerId: opened.id }, body }, world.visitor);
      expect(await choicesOf(product, world, customer), text).toMatchObject({ weekly: false, offers: false });
    });
  });

  it('are refused as bad input where they are no addresses', async () => {
    await each(INVALID, async (text) => {
      expect(await statusOf(create(text)), text).toBe(422);
      expect(await statusOf(open(text)), text).toBe(422);
    });
  });

  it('open the page from a link, whatever they are', async () => {
    const { host } = new URL(world.page.url);
    // One person’s page is not opened as often as that.
    const people = new Map(VALID.map((text) => [emailKey(readEmail(text) ?? ''), text]));
    await each([...people.values(), ...INVALID], async (text) => {
      const url = `/preferences?email=${encodeURIComponent(text.toWellFormed())}`;
      const { statusCode } = await product.http.inject({ method: 'GET', url, headers: { host } });
      expect(statusCode, text).toBe(200);
    });
  });

  it('are read from a file as they are from a call', async () => {
    await logInAgain(product, world.owner);
    const other = await buildSite(product, world.owner, world.params.organization_id);
    const rows = TEXTS.map((text) => `"${text.replaceAll('"', '""')}",no`);
    const { counts } = await uploadAndCheck(product, other, csv('email,Weekly news', ...rows));
    const people = new Set(VALID.map((text) => emailKey(readEmail(text) ?? '')));
    expect(counts).toMatchObject({
      added: people.size,
      merged: VALID.length - people.size,
      rejected: INVALID.length,
    });
  });
});
