import { describe, expect, it } from 'vitest';
import { openSessionToken, sealSessionToken } from '#server/accounts/access/customer-session-token.ts';
import { openStop, sealStop } from '#server/accounts/accounts/evidence-mailbox.ts';
import { openTicket, sealTicket } from '#server/accounts/second-factors/tickets.ts';
import { issueAccessToken, readAccessToken } from '#server/accounts/sessions/access-tokens.ts';
import { deviceCookie, readDevice } from '#server/accounts/sessions/known-devices.ts';
import {
  openGoogleClaim,
  openSignInFlow,
  sealGoogleClaim,
  sealSignInFlow,
} from '#server/accounts/sessions/sign-in-flow.ts';
import { makeChallenge, readChallenge } from '#server/audience/customers/challenge.ts';
import { readConfig } from '#server/platform/config.ts';
import { newId } from '#server/platform/ids.ts';
import { createKeyring, openText, sealText } from '#server/platform/secrets.ts';
import { openState, sealState } from '#server/sync/tool-setup/oauth-state.ts';
import { hookUrl, siteOfHook } from '#server/tools/integrations/hook-address.ts';
import { TestClock } from '#test/harness/clock.ts';
import {
  openDataLink,
  openEmailUndo,
  openPendingLink,
  openResubscribeUndo,
  openRestore,
  sealDataLink,
  sealEmailUndo,
  sealPendingLink,
  sealResubscribeUndo,
  sealRestore,
} from '#server/visit/customer-mails/mailed-links.ts';

const NOW = new Date('2026-11-21T09:00:00Z');
const keyring = createKeyring(['k'.repeat(40)]);
const config = readConfig({ APP_URL: 'https://app.example', SITE_DOMAIN: 'pages.example' });
const clock = new TestClock();
const services = { keyring, config, clock };

const [site, customer, page, user, other] = [newId(), newId(), newId(), newId(), newId()];
const link = { customerId: customer, pageId: page, sequence: 3 };

interface Kind {
  sealed: string | Promise<string>;
  open(text: string): unknown;
}

const orNull = (work: () => unknown) => {
  try {
    return work();
  } catch {
    return null;
  }
};

const cookie = deviceCookie(services, null, user).split(';')[0] ?? '';
const [cookieName = '', cookieValue = ''] = cookie.split('=');
const claim = { issuer: 'i', subject: 's', email: 'nora@example.com' };
const flow = { state: 's', nonce: 'n', verifier: 'v' };
const state = {
  ...{ nonce: 'n', organizationId: other, siteId: site, provider: 'hubspot', verifier: 'v', given: {} },
  ...{ name: null, integrationId: null, redirect: null, mayBeOther: false },
};

/** Everything that we seal or sign, and that comes back from outside as text. */
const KINDS: Record<string, Kind> = {
  'an id of a customer session': {
    sealed: sealSessionToken(services, site, {
      ...{ id: customer, pageId: page, level: 'proven', generation: 1, sequence: 2 },
    }),
    open: (text) => openSessionToken(services, site, text),
  },
  'a link that takes back a new address': {
    sealed: sealEmailUndo(services, site, { ...link, oldEmail: 'vera@example.com' }),
    open: (text) => openEmailUndo(services, site, text),
  },
  'a link that restores': {
    sealed: sealRestore(services, site, link),
    open: (text) => openRestore(services, site, text),
  },
  'a link to personal data': {
    sealed: sealDataLink(services, site, { kind: 'download', customerId: customer, pageId: page }),
    open: (text) => openDataLink(services, site, text),
  },
  'a link that confirms': {
    sealed: sealPendingLink(services, site, {
      ...{ kind: 'subscribe', customerId: customer, pageId: page, pendingId: other, emailText: null },
      expiresAt: new Date(NOW.getTime() + 60_000),
    }),
    open: (text) => openPendingLink(services, site, text),
  },
  'a link that takes back a return': {
    sealed: sealResubscribeUndo(services, site, { customerId: customer, pageId: page, choiceId: other }),
    open: (text) => openResubscribeUndo(services, site, text),
  },
  'a link that stops emails with signed evidence': {
    sealed: sealStop(services, site, 'archive@shop.example'),
    open: (text) => openStop(services, text),
  },
  'a link that stops emails with evidence': {
    sealed: sealStop(services, site, 'archive@shop.example', 'stop-records'),
    open: (text) => openStop(services, text, 'stop-records'),
  },
  'the state of a tool’s login': {
    sealed: sealState(services, user, state),
    open: (text) => openState(services, user, text),
  },
  'a sign-in at the issuer': {
    sealed: sealSignInFlow(services, flow),
    open: (text) => openSignInFlow(services, text),
  },
  'a Google account to link': {
    sealed: sealGoogleClaim(services, claim),
    open: (text) => openGoogleClaim(services, text),
  },
  'the ticket of a second step': {
    sealed: sealTicket(services, 'totp-setup', { user, secret: 's' }).ticket,
    open: (text) => orNull(() => openTicket(services, 'totp-setup', text)),
  },
  'the cookie of a known device': {
    sealed: cookieValue,
    open: (text) => readDevice(services, `${cookieName}=${text}`),
  },
  'the address of a webhook': {
    sealed: hookUrl(services, site, other).split('/').at(-1) ?? '',
    open: (text) => siteOfHook(services, other, text),
  },
  'a challenge': {
    sealed: makeChallenge(keyring, {
      ...{ purpose: 'leave', siteId: site, customerId: customer, listId: null },
      ...{ generation: 0, issuedOn: 20_000 },
    }),
    open: (text) => readChallenge(keyring, text),
  },
  'an encrypted text': {
    sealed: sealText(keyring, 'a', 'hello'),
    open: (text) => openText(keyring, 'a', text),
  },
  'an access token': {
    sealed: issueAccessToken(keyring, { userId: user, familyId: other }, NOW),
    open: (text) => readAccessToken(keyring, text, NOW),
  },
};

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The last character with each of its bits changed: some of them count for nothing. */
function lastCharacters(text: string): string[] {
  const at = ALPHABET.indexOf(text.at(-1) ?? '');
  return [1, 2, 4, 8].map((bit) => text.slice(0, -1) + (ALPHABET[at ^ bit] ?? ''));
}

function otherSpellings(text: string): string[] {
  const spelled = [...['x', '=', '==', '.', '!', '~'].map((more) => text + more), `.${text}`];
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const inside = `${text.slice(0, 10)}*${text.slice(10)}`;
  return [...spelled, standard, inside, ...lastCharacters(text)].filter((one) => one !== text);
}

/** What people and mail programs put around a pasted link is taken off a challenge before it is read. */
const PASTED = new Set(['=', '==', '.', '!', '~']);

describe('what we seal or sign has one spelling', () => {
  it.each(Object.entries(KINDS))('%s', async (name, { sealed, open }) => {
    const text = await sealed;
    expect(await open(text)).not.toBeNull();
    const refused = otherSpellings(text).filter(
      (one) => name !== 'a challenge' || !PASTED.has(one.replace(text, '')),
    );
    const opened: string[] = [];
    for (const one of refused) if ((await open(one)) !== null) opened.push(one);
    expect(opened).toEqual([]);
  });
});
