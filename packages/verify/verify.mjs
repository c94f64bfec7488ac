#!/usr/bin/env node
/*
 * Verifies a Sayso proof pack offline: node verify.mjs pack.json [--keys keys.json] [--heads heads.json]
 *
 * It needs Node.js 20 or later, nothing else, and makes no network connections. It checks every byte of the pack: the
 * signature of each line, the hash of each record over what it says and over the record before it, the end of each
 * customer's chain, the texts shown, and the daily signed heads. It names the first record that doesn't hold.
 *
 *   --keys   the installation's /.well-known/sayso-evidence-keys.json, which you saved from an address that you knew before:
 *            the pack has to be signed with one of them. Without it, nothing here says who made the pack
 *   --heads  signed heads from elsewhere, such as your anchor emails: those in the pack have to be the same, and those that
 *            were signed before the pack have to be in it
 *
 * Exit code 0: the pack holds. 1: it doesn't. 2: it couldn't be read.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PACK = 'sayso-proof-pack/1';
const HEAD = 'sayso-evidence-head/1';
const FIRST_LINE =
  /^\{"format":"sayso-proof-pack\/1","pack":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})","parts":\[$/;
const SIGNATURE_CHARS = 86;
const MOST_PROBLEMS = 20;
const MOST_CHARACTERS = 600;
const MINUTE = 60_000;
/** A head that is being signed while a pack is made may not be in it. */
const SIGNING_TAKES = 10 * MINUTE;
/** Heads are signed every night, also for nights without records. */
const HEAD_IS_DUE_AFTER = 48 * 60 * MINUTE;

/** What a pack says must not move a cursor, hide or be endless: control and format characters are shown as code points. */
function printable(value) {
  const text = String(value).slice(0, MOST_CHARACTERS);
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`,
  );
}

/** Fields in order at every depth, as hashes are computed over them. */
function inOrder(value) {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.keys(value)
    .toSorted()
    .map((name) => [name, inOrder(value[name])]);
}

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const textBytes = (text) => Buffer.from(text, 'utf8');
const canonical = (value) => textBytes(JSON.stringify(inOrder(value)));
const hashOf = (value) => sha256(canonical(value)).toString('hex');
const hexBytes = (hex) => Buffer.from(hex ?? '', 'hex');

/* The hash tree of RFC 9162, section 2.1. */
const node = (left, right) => sha256(Buffer.from([1]), left, right);
const leafHash = (leaf) => sha256(Buffer.from([0]), leaf);

function rootOf(leaves) {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leafHash(leaves[0]);
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return node(rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)));
}

/** The root that a path leads to; null where the path doesn't fit. */
function rootByPath(leaf, index, size, path) {
  if (!Number.isInteger(index) || index < 0 || index >= size) return null;
  let [at, last, root] = [index, size - 1, leafHash(leaf)];
  for (const beside of path) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      root = node(beside, root);
      while (at % 2 === 0 && at !== 0) [at, last] = [at >> 1, last >> 1];
    } else root = node(root, beside);
    [at, last] = [at >> 1, last >> 1];
  }
  return last === 0 ? root : null;
}

/** A signature in base64url, exactly as it is written: other spellings of the same bytes count as changed. */
function signatureBytes(text) {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === 64 && bytes.toString('base64url') === text ? bytes : null;
}

function keysOf(jwks) {
  return new Map(
    jwks.map(({ kty, crv, x }) => {
      const kid = sha256(textBytes(`{"crv":"${crv}","kty":"${kty}","x":"${x}"}`)).toString('base64url');
      return [kid, createPublicKey({ key: { kty, crv, x }, format: 'jwk' })];
    }),
  );
}

/** Lines without their line feed, as bytes; what follows the last line feed is the last one. */
async function* linesOf(chunks) {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
  }
  yield rest;
}

/** When a record was made, by its id (UUIDv7). */
const timeOfId = (id) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** What a line is about, also where it can no longer be read as JSON. */
function nameOfLine(text, number) {
  const value = (name) => new RegExp(`"${name}":"?([0-9a-f-]+)"?[,}]`).exec(text)?.[1];
  const kind = /"kind":"([a-z]+)"/.exec(text)?.[1];
  if (kind === 'record' || /"previous_hash":/.test(text)) {
    const start = text.indexOf('"content":{');
    const content = start < 0 ? '' : text.slice(start);
    const id = /"id":"([0-9a-f-]{36})"/.exec(content)?.[1] ?? 'with an unreadable ID';
    return `Record ${value('sequence') ?? '?'} of customer ${value('customer_id') ?? '?'} (${id}, line ${number})`;
  }
  if (kind === 'head') return `A signed head (line ${number})`;
  if (kind === 'text') return `A text that was shown (line ${number})`;
  if (kind === 'chains') return `The ends of the chains (line ${number})`;
  return `The pack's ${kind === 'header' || number === 2 ? 'header' : (kind ?? 'content')} (line ${number})`;
}

const nameOfRecord = ({ id, customer_id, sequence }, number) =>
  `Record ${sequence} of customer ${customer_id} (${id}, line ${number})`;

/**
 * @param chunks the bytes of a pack, in parts
 * @param options keys: JWKs that are trusted; heads: signed heads from elsewhere
 * @returns { problems: string[], notes: string[], about, records, customers, heads, knownHeads, lastHead, kid, madeAt }
 */
export async function verifyPack(chunks, { keys: trusted, heads: known = [] } = {}) {
  const problems = [];
  const find = (who, why) =>
    void (problems.length < MOST_PROBLEMS && problems.push(printable(`${who} ${why}`)));
  const notes = [];
  const gaps = [];
  const trustedKeys = trusted && keysOf(trusted);
  const sentHeads = known.map(({ statement }) => ({ ...JSON.parse(statement), text: statement }));
  const heads = new Map();
  const texts = new Map();
  const chains = new Map();
  const state = {
    pack: null,
    header: null,
    keys: new Map(),
    lastHead: null,
    leaves: null,
    firstRecordAt: Infinity,
    records: 0,
    parts: 0,
    ended: false,
    closed: false,
    // After a line that can't be trusted, what is missing because of it isn't said again.
    isTornApart: false,
  };

  function closeLeaves(upTo) {
    const open = state.leaves;
    while (open !== null && open.at < open.leaves.length) {
      const { id } = open.leaves[open.at];
      if (upTo !== null && id >= upTo) return;
      open.at += 1;
      if (!state.isTornApart)
        find(
          `Record ${id}`,
          `is missing: signed head ${open.number} of ${open.signedAt} was signed with it.`,
        );
    }
    if (upTo === null) state.leaves = null;
  }

  function readHeader(part) {
    state.header = part;
    if (part.kind !== 'header' || part.format !== PACK)
      return find('The header (line 2)', 'is not that of a proof pack.');
    if (part.about !== 'customer' && part.about !== 'site')
      find('The header (line 2)', 'is of a kind that this verifier does not know. Use a newer one.');
    if (Number.isNaN(Date.parse(part.made_at))) find('The header (line 2)', "doesn't say when it was made.");
    if (known.length > 0 && !sentHeads.some(isOfThisSite))
      find('The header (line 2)', 'is of a site that none of the heads from elsewhere is of.');
    if (trustedKeys === undefined) return;
    if (!trustedKeys.has(part.kid))
      find('The header (line 2)', `names a key that isn't among the trusted ones (${part.kid}).`);
    for (const kid of state.keys.keys())
      if (!trustedKeys.has(kid)) find('The header (line 2)', `brings a key that isn't trusted (${kid}).`);
  }

  const isOfThisSite = ({ site_id: site }) => site === state.header.site.id;

  function readText(part, number) {
    if (sha256(canonical(part.content)).toString('hex') !== part.hash)
      find(`The text ${part.hash} (line ${number})`, "was altered: it doesn't have this hash.");
    else texts.set(part.hash, part.content);
  }

  function readHead(part, number) {
    closeLeaves(null);
    const statement = JSON.parse(part.statement);
    const who = `Signed head ${statement.number} (line ${number})`;
    const key = state.keys.get(part.kid);
    const signature = signatureBytes(part.signature);
    if (
      key === undefined ||
      signature === null ||
      !verify(null, textBytes(`${HEAD}\n${part.statement}`), key, signature)
    )
      find(who, "isn't what was signed.");
    if (statement.format !== HEAD || statement.site_id !== state.header.site.id)
      find(who, 'is of another site.');
    const before = heads.get(statement.number - 1);
    if (before !== undefined && statement.previous !== sha256(textBytes(before.text)).toString('hex'))
      find(who, "doesn't follow the head before it.");
    if (state.header.about === 'site' && before === undefined && statement.number !== 1)
      find(who, `follows head ${statement.number - 1}, which is missing.`);
    const sent = sentHeads.find((head) => isOfThisSite(head) && head.number === statement.number);
    if (sent !== undefined && sent.text !== part.statement)
      find(who, 'is not the one that you were sent on that day.');
    heads.set(statement.number, { ...statement, text: part.statement });
    state.lastHead = statement;
    if (part.leaves === undefined) return;
    const bytes = Buffer.from(part.leaves, 'base64');
    const leaves = Array.from({ length: Math.floor(bytes.length / 48) }, (_, at) =>
      bytes.subarray(at * 48, (at + 1) * 48),
    );
    if (leaves.length !== statement.records || rootOf(leaves).toString('hex') !== statement.root)
      find(who, "doesn't fit the records that it was signed with.");
    state.leaves = {
      number: statement.number,
      signedAt: statement.signed_at,
      at: 0,
      leaves: leaves.map((leaf) => ({
        id: leaf
          .subarray(0, 16)
          .toString('hex')
          .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
        hash: leaf.subarray(16).toString('hex'),
      })),
    };
  }

  /** Is the record as it was when its head was signed? */
  function checkSigned(part, who) {
    const { id } = part.content;
    if (state.leaves !== null) {
      closeLeaves(id);
      const leaf = state.leaves.leaves[state.leaves.at];
      if (leaf?.id === id) {
        state.leaves.at += 1;
        if (leaf.hash !== part.hash)
          find(who, `was altered after signed head ${state.leaves.number} of ${state.leaves.signedAt}.`);
        return;
      }
    }
    if (part.signed !== null) {
      const head = heads.get(part.signed.head);
      if (head === undefined)
        return find(who, `belongs to signed head ${part.signed.head}, which is missing.`);
      const leaf = Buffer.concat([hexBytes(id.replaceAll('-', '')), hexBytes(part.signed.hash)]);
      const root = rootByPath(leaf, part.signed.index, head.records, part.signed.path.map(hexBytes));
      if (root?.toString('hex') !== head.root)
        find(who, `isn't among those that signed head ${head.number} was signed with.`);
      else if (part.signed.hash !== part.hash)
        find(who, `was altered after signed head ${head.number} of ${head.signed_at}.`);
      return;
    }
    const last = state.lastHead;
    if (last !== null && id < last.up_to)
      find(who, `was added later: signed head ${last.number} of ${last.signed_at} was signed without it.`);
  }

  /** Erased with the person; the record covers it by hashes of its own. That of the email only the installation can check. */
  function checkPerson({ content: { shown }, person, is_person_of_record: isPerson }, who) {
    const imported = person?.imported;
    if (imported !== undefined && hashOf(imported) !== shown.imported?.details_hash)
      return find(who, 'was altered: what the imported file says about the person has another hash.');
    const details = person && {
      user_agent: person.user_agent,
      requested_user_agent: person.requested_user_agent,
      confirmed_ip: person.confirmed_ip ?? null,
      salt: person.salt,
    };
    const hash = shown.person_details_hash;
    if (details && hash !== undefined && hashOf(details) !== hash)
      return find(who, 'was altered: the browser or IP address beside it has another hash.');
    if (isPerson === false) find(who, "was altered: the person beside it isn't the one it was recorded for.");
  }

  /** The record's hash covers the hash of what the email with the link said. */
  function checkEmail({ shown: { email_text_hash: hash } }, who) {
    if (hash === undefined) return;
    const email = texts.get(hash);
    if (email === undefined) {
      if (!state.isTornApart)
        find(
          who,
          `was confirmed from the email ${hash}, which isn't in the pack: it was altered or removed.`,
        );
    } else if (email.kind !== 'email') find(who, `names the text ${hash}, which isn't that of an email.`);
  }

  /** The record's hash covers the hash of the text that it showed, which covers those of its words. */
  function checkText({ shown, language }, who) {
    if (shown.text_hash === undefined) return;
    const text = texts.get(shown.text_hash);
    if (text === undefined) {
      if (!state.isTornApart)
        find(who, `showed the text ${shown.text_hash}, which isn't in the pack: it was altered or removed.`);
      return;
    }
    if (text.page_id !== shown.page_id || text.version !== shown.page_version)
      find(who, `showed the text ${shown.text_hash}, which is of another page or version.`);
    const words = text.words?.[language] ?? text.words?.[text.content?.attrs?.language];
    if (words !== undefined && !texts.has(words) && !state.isTornApart)
      find(who, `showed the text ${words}, which isn't in the pack: it was altered or removed.`);
  }

  function follow(chain, record) {
    const { sequence, id, previous, hash, who } = record;
    if (previous !== chain.hash && !chain.isBroken) {
      chain.isBroken = true;
      find(who, `doesn't follow record ${sequence - 1}${chain.lastId === null ? '' : ` (${chain.lastId})`}.`);
    }
    Object.assign(chain, { next: sequence + 1, hash, lastId: id });
  }

  function readRecord(part, number) {
    state.records += 1;
    const { content } = part;
    state.firstRecordAt = Math.min(state.firstRecordAt, timeOfId(content.id));
    const who = nameOfRecord(content, number);
    const hash = sha256(hexBytes(part.previous_hash), canonical(content)).toString('hex');
    const isItself = hash === part.hash;
    if (!isItself) find(who, "was altered: it doesn't have this hash.");
    if (content.site_id !== state.header.site.id) find(who, 'is of another site.');
    checkPerson(part, who);
    if (part.receipt.consentReceiptID !== content.id) find(who, 'has the receipt of another record.');
    if (part.text !== null && content.shown.text_hash === undefined) {
      const text = texts.get(part.text);
      if (text?.page_id !== content.shown.page_id || text?.version !== content.shown.page_version)
        find(who, `says that it showed a text that isn't in the pack or is another one (${part.text}).`);
    }
    checkText(content, who);
    checkEmail(content, who);
    if (content.requested) checkText(content.requested, who);
    checkSigned(part, who);
    const chain = chains.get(content.customer_id) ?? {
      next: 1,
      hash: null,
      lastId: null,
      parked: new Map(),
      isBroken: false,
    };
    chains.set(content.customer_id, chain);
    if (!isItself) chain.isBroken = true;
    if (content.sequence < chain.next || chain.parked.has(content.sequence))
      return find(who, 'is there a second time.');
    chain.parked.set(content.sequence, {
      sequence: content.sequence,
      id: content.id,
      previous: part.previous_hash,
      hash: part.hash,
      who,
    });
    for (let next = chain.parked.get(chain.next); next !== undefined; next = chain.parked.get(chain.next)) {
      chain.parked.delete(chain.next);
      follow(chain, next);
    }
  }

  /** Where each customer's chain has to end: what the product stored with the customer, apart from the records. */
  function readChains(part) {
    closeLeaves(null);
    for (const [customerId, records, hash] of part.chains) {
      const chain = chains.get(customerId) ?? {
        next: 1,
        hash: null,
        lastId: null,
        parked: new Map(),
        isBroken: false,
      };
      chain.hasEnd = true;
      chains.set(customerId, chain);
      if (chain.isBroken || state.isTornApart) continue;
      const parked = [...chain.parked.values()].toSorted((one, other) => one.sequence - other.sequence);
      if (parked.length > 0 || chain.next <= records)
        find(`Record ${chain.next} of customer ${customerId}`, 'is missing.');
      else if (chain.next - 1 > records)
        find(
          `Record ${chain.next - 1} of customer ${customerId} (${chain.lastId})`,
          'was added: nobody recorded it.',
        );
      else if (chain.hash !== hash)
        find(
          `Record ${records} of customer ${customerId} (${chain.lastId})`,
          "was altered: the chain doesn't end with its hash.",
        );
    }
  }

  function readEnd(part, number) {
    closeLeaves(null);
    state.ended = true;
    if (part.parts !== state.parts || part.records !== state.records)
      find(`The pack's end (line ${number})`, 'counts other parts than there are.');
    for (const [customerId, chain] of chains)
      if (chain.hasEnd !== true && !state.isTornApart)
        find(`Record 1 of customer ${customerId}`, 'is of a customer whom nobody knows.');
    findMissingHeads();
    noteWhatIsUnusual();
  }

  /** A customer's pack has the heads of their records, and the site's last one. */
  function findMissingHeads() {
    const { about, made_at: madeAt } = state.header;
    const after = about === 'site' ? 0 : (state.lastHead?.number ?? 0);
    for (const head of sentHeads) {
      if (!isOfThisSite(head) || head.number <= after || heads.has(head.number)) continue;
      if (Date.parse(head.signed_at) < Date.parse(madeAt) - SIGNING_TAKES)
        find(
          `Signed head ${head.number} of ${head.signed_at}`,
          'is missing: you were sent it before this pack was made.',
        );
    }
  }

  /** What an honest pack may look like, and so does one whose last heads or records were removed. */
  function noteWhatIsUnusual() {
    const { lastHead, records } = state;
    if (records === 0) notes.push('It has no records, so it proves no choice.');
    const since = lastHead === null ? state.firstRecordAt : Date.parse(lastHead.signed_at);
    const days = Math.floor((Date.parse(state.header.made_at) - since) / (24 * 60 * MINUTE));
    if (records > 0 && days * 24 * 60 * MINUTE >= HEAD_IS_DUE_AFTER)
      notes.push(
        `Heads are signed every night, and no head is in it of the last ${days} days before it was made: ` +
          'they were not signed, or removed together with their records. Compare it with heads that you stored elsewhere (--heads).',
      );
  }

  const READERS = new Map([
    ['text', readText],
    ['head', readHead],
    ['record', readRecord],
    ['chains', readChains],
    ['end', readEnd],
  ]);

  function readPart(bytes, number) {
    const isLast = bytes.at(-1) !== 44;
    const line = isLast ? bytes : bytes.subarray(0, -1);
    const tail = line.subarray(-(SIGNATURE_CHARS + 10)).toString('latin1');
    const text = line.toString('utf8');
    const who = nameOfLine(text, number);
    const torn = (why) => {
      state.isTornApart = true;
      find(who, why);
    };
    if (!/^,"sig":"[\w-]{86}"\}$/.test(tail))
      return torn('was changed in this file: the line has another form.');
    const signature = signatureBytes(tail.slice(8, 8 + SIGNATURE_CHARS));
    const signed = line.subarray(0, -(SIGNATURE_CHARS + 10));
    let parsed;
    try {
      parsed = JSON.parse(text);
      if (number === 2) state.keys = keysOf(parsed.part.keys);
    } catch {
      return torn("was changed in this file: the line can't be read.");
    }
    const kid = number === 2 ? parsed.part.kid : state.header?.kid;
    const key = state.keys.get(kid);
    const message = Buffer.concat([textBytes(`${PACK}\n${state.pack}\n`), signed]);
    if (signature === null || key === undefined || !verify(null, message, key, signature)) {
      if (number === 2) state.header = null;
      return torn("was changed in this file: its signature doesn't match.");
    }
    const { n, part } = parsed;
    if (typeof part !== 'object' || part === null) return torn('has another form than the parts of a pack.');
    if (isLast !== (part.kind === 'end')) torn('was changed in this file: the line has another end.');
    // Said last: which record it was shows in the chains.
    if (n !== state.parts)
      gaps.push(
        `Lines before line ${number} were removed, added or moved: part ${n} of the pack stands there.`,
      );
    state.parts = n + 1;
    if (state.ended) return find(who, "follows the pack's end.");
    const read = number === 2 ? readHeader : READERS.get(part.kind);
    if (read === undefined)
      return find(who, 'is of a kind that this verifier does not know. Use a newer one.');
    try {
      read(part, number);
    } catch {
      torn('has another form than parts of its kind.');
    }
  }

  let number = 0;
  for await (const bytes of linesOf(chunks)) {
    number += 1;
    if (number === 1) {
      state.pack = FIRST_LINE.exec(bytes.toString('latin1'))?.[1] ?? null;
      if (state.pack === null) {
        find('Line 1', 'is not that of a proof pack.');
        break;
      }
    } else if (state.closed) {
      if (state.closed === 'empty' || bytes.length > 0)
        find(`Line ${number}`, 'was added after the end of the pack.');
      state.closed = 'empty';
    } else if (bytes.equals(textBytes(']}'))) state.closed = true;
    else {
      readPart(bytes, number);
      // Without its header nothing else can be checked.
      if (number === 2 && state.header === null) break;
    }
  }
  for (const gap of gaps.slice(0, MOST_PROBLEMS)) problems.push(printable(gap));
  if (problems.length === 0 && (!state.ended || state.closed !== 'empty'))
    find(`The pack`, `ends too early, after line ${number}.`);
  return {
    problems,
    notes,
    about: state.header?.about,
    records: state.records,
    customers: chains.size,
    heads: heads.size,
    knownHeads: sentHeads.filter(({ number: sent, text }) => heads.get(sent)?.text === text).length,
    lastHead: state.lastHead,
    kid: state.header?.kid,
    madeAt: state.header?.made_at,
  };
}

/** Heads as the API lists them, as one object, or as an array. */
function headsOf(json) {
  return Array.isArray(json) ? json : (json.results ?? [json]);
}

const count = (number, one, more = `${one}s`) => `${number} ${number === 1 ? one : more}`;

/** A list of keys that isn't one would count as none, and nobody would notice. */
function keysFrom(file) {
  const { keys } = JSON.parse(readFileSync(file, 'utf8'));
  if (!Array.isArray(keys)) throw new Error(`${file} is no list of keys.`);
  return keys;
}

function wordsOf({ records, customers, heads, knownHeads, lastHead, kid, madeAt, notes }, options) {
  return [
    `This pack holds: ${count(records, 'record')} of ${count(customers, 'customer')}, made ${madeAt}.`,
    lastHead === null
      ? 'No record is in a daily signed head yet.'
      : `It agrees with ${count(heads, 'signed head')}; the last one is number ${lastHead.number} of ${lastHead.signed_at}.`,
    ...(options.heads === undefined ? [] : [`${knownHeads} of the heads that you passed are in it.`]),
    ...notes,
    `It is signed with the key ${kid}.`,
    options.keys === undefined
      ? 'This does not show who signed it: anyone can make a pack with a key of their own, and no address in the pack counts. Pass the keys of the installation with --keys, which you saved from an address that you knew before.'
      : 'The key is one of those that you trust.',
  ];
}

async function main(args) {
  const options = {};
  const files = [];
  for (let at = 0; at < args.length; at += 1) {
    if (args[at] === '--keys') options.keys = keysFrom(args[(at += 1)]);
    else if (args[at] === '--heads')
      options.heads = headsOf(JSON.parse(readFileSync(args[(at += 1)], 'utf8')));
    else files.push(args[at]);
  }
  if (files.length !== 1) {
    console.error('Usage: node verify.mjs pack.json [--keys keys.json] [--heads heads.json]');
    return 2;
  }
  const result = await verifyPack(createReadStream(files[0]), options);
  const [first, ...others] = result.problems;
  if (first !== undefined) {
    console.log(`This pack does NOT hold.\n\n${first}`);
    if (others.length > 0) console.log(`\nAlso:\n${others.map((one) => `- ${one}`).join('\n')}`);
    return 1;
  }
  for (const line of wordsOf(result, options)) console.log(printable(line));
  return 0;
}

const isRun =
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isRun) {
  main(process.argv.slice(2)).then(
    (code) => void (process.exitCode = code),
    (error) => {
      console.error(printable(`The file couldn't be read: ${error.message}`));
      process.exitCode = 2;
    },
  );
}
