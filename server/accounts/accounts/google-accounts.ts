import type { Account, Tokens } from '#contract/accounts.ts';
import type { AccountLinkDetails } from '#db/tables.ts';
import { requireSecondStep } from '#server/accounts/second-factors/require-second-step.ts';
import { countPasswordAttempt, type LoginOrigin } from '#server/accounts/sessions/login-limits.ts';
import { endSessions, startSession } from '#server/accounts/sessions/sessions.ts';
import {
  type GoogleClaim,
  openGoogleClaim,
  sealGoogleClaim,
} from '#server/accounts/sessions/sign-in-flow.ts';
import { nameKey } from '#server/accounts/users/account-names.ts';
import { mailNotice, notifyAccount } from '#server/accounts/users/account-notices.ts';
import {
  findUserByEmail,
  findUserByGoogle,
  findUserByLogin,
  insertUser,
  lockUser,
  updateUser,
  type UserRow,
} from '#server/accounts/users/users.sql.ts';
import { isPassword } from '#server/accounts/users/passwords.ts';
import { isUniqueViolation } from '#server/platform/database-errors.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import { linkUsed, makeAccountLink } from './account-links.ts';
import { endAccountLinks } from './account-links.sql.ts';
import { openSessionOrChallenge, presentAccount, wrongCredentials } from './accounts.ts';
import type { GoogleIdentity } from './google-identity.ts';
import { proveMailbox } from './prove-mailbox.ts';

const LINK_MAILS: Limit = { name: 'google-link-mail', points: 5, perSeconds: 3600 };

async function freeUsername(tx: GlobalDb, email: string): Promise<string> {
  const base = (email.split('@')[0] ?? 'owner').slice(0, 50);
  for (let count = 1; count < 50; count += 1) {
    const name = count === 1 ? base : `${base}${count}`;
    if ((await findUserByLogin(tx, nameKey(name))) === undefined) return name;
  }
  return `${base}-${newId().slice(-6)}`;
}

async function newAccount(tx: GlobalDb, services: Services, identity: GoogleIdentity): Promise<UserRow> {
  const username = await freeUsername(tx, identity.email);
  return insertUser(tx, {
    id: newId(),
    username,
    username_key: nameKey(username),
    email: identity.email,
    email_key: nameKey(identity.email),
    password_hash: null,
    google_issuer: identity.issuer,
    google_subject: identity.subject,
    google_email: identity.email,
    first_name: identity.firstName,
    last_name: identity.lastName,
    avatar: identity.picture,
    organization_id: null,
    attrs: '{}',
    created_at: services.clock.now(),
    // The issuer has said so.
    email_proven_at: services.clock.now(),
  });
}

function otherGoogleAccount(): AppError {
  return new AppError(
    'other_google_account',
    'The account with this email is linked to another Google account. Log in with that one, or with your password.',
  );
}

/** The same address is no proof: addresses get reassigned, and that of a sign-up was never verified. */
function linkRequired(services: Services, user: UserRow, identity: GoogleIdentity): AppError {
  if (user.google_subject !== null) return otherGoogleAccount();
  const { issuer, subject, email } = identity;
  return new AppError(
    'link_required',
    'An account with this email already exists. To log in with Google from now on, enter its password once or have us email you a link.',
    {
      data: {
        link_token: sealGoogleClaim(services, { issuer, subject, email }),
        email: user.email,
        has_password: user.password_hash !== null,
      },
    },
  );
}

function isLinkedTo(user: UserRow, { issuer, subject }: GoogleIdentity): boolean {
  return user.google_issuer === issuer && user.google_subject === subject;
}

async function enterAs(services: Services, identity: GoogleIdentity, origin: LoginOrigin) {
  return services.database.inTransaction(async (tx) => {
    const linked = await findUserByGoogle(tx, identity);
    if (linked !== undefined) return openSessionOrChallenge(services, tx, linked, origin);
    const sameEmail = await findUserByEmail(tx, nameKey(identity.email));
    if (sameEmail !== undefined) {
      // Created by another tab since the first look-up.
      if (isLinkedTo(sameEmail, identity)) return openSessionOrChallenge(services, tx, sameEmail, origin);
      throw linkRequired(services, sameEmail, identity);
    }
    const user = await newAccount(tx, services, identity);
    const tokens = await startSession(tx, services, user, origin);
    return { tokens, afterCommit: async () => {} };
  });
}

/** @throws AppError `link_required`, `other_google_account` */
export async function logInAs(
  services: Services,
  identity: GoogleIdentity,
  origin: LoginOrigin,
): Promise<Tokens> {
  const { tokens, afterCommit } = await enterAs(services, identity, origin).catch((error: unknown) => {
    // Two concurrent first sign-ins: use the account that the other one created.
    if (isUniqueViolation(error)) return enterAs(services, identity, origin);
    throw error;
  });
  await afterCommit();
  return tokens;
}

interface Claimed {
  claim: GoogleClaim;
  user: UserRow;
}

/** @throws AppError `link_used`, `other_google_account` */
async function requireClaim(services: Services, token: string): Promise<Claimed> {
  const claim = openGoogleClaim(services, token);
  const user = claim && (await findUserByEmail(services.database.global, nameKey(claim.email)));
  if (claim === null || !user) {
    throw new AppError('link_used', 'This took too long. Log in with Google again.', {
      field: 'link_token',
    });
  }
  if (user.google_subject !== null) throw otherGoogleAccount();
  return { claim, user };
}

/** @throws AppError `other_google_account` */
export async function linkProvenGoogle(
  services: Services,
  tx: GlobalDb,
  userId: string,
  claim: GoogleClaim,
): Promise<void> {
  await link(tx, userId, claim, { password: true });
  await endAccountLinks(tx, userId, ['link_google'], services.clock.now());
}

/** @throws AppError `other_google_account` */
async function link(tx: GlobalDb, userId: string, claim: GoogleClaim, proven: { password: boolean }) {
  const user = await lockUser(tx, userId);
  if (user === undefined) throw notFound('This account');
  if (user.google_subject !== null) throw otherGoogleAccount();
  return updateUser(tx, userId, {
    google_issuer: claim.issuer,
    google_subject: claim.subject,
    google_email: claim.email,
    ...(proven.password ? {} : { password_hash: null }),
  });
}

/**
 * Links the Google account by the password of the account, and logs in.
 * @throws AppError `invalid_credentials`, `second_factor_required`, `link_used`, `other_google_account`, `rate_limited`
 */
export async function linkGoogleByPassword(
  services: Services,
  input: { link_token: string; password: string },
  origin: LoginOrigin,
): Promise<Tokens> {
  const { claim, user } = await requireClaim(services, input.link_token);
  const takeBack = await countPasswordAttempt(services, origin, user.id, user.email);
  if (!(await isPassword(user.password_hash, input.password))) throw wrongCredentials();
  await takeBack();
  const { tokens, afterCommit } = await services.database.inTransaction(async (tx) => {
    // If a second factor is required, the link is made when it succeeds.
    await requireSecondStep(services, tx, user, claim);
    await linkProvenGoogle(services, tx, user.id, claim);
    return openSessionOrChallenge(services, tx, user, origin);
  });
  notifyAccount(services, user, 'google_linked', { email: claim.email });
  await afterCommit();
  return tokens;
}

/** @throws AppError `link_used`, `other_google_account`, `rate_limited`, `unavailable` */
export async function mailGoogleLink(services: Services, linkToken: string): Promise<{ email: string }> {
  const { claim, user } = await requireClaim(services, linkToken);
  await services.limits.use(LINK_MAILS, user.id);
  const address = await services.database.inTransaction(async (tx) => {
    if ((await lockUser(tx, user.id)) === undefined) throw notFound('This account');
    await endAccountLinks(tx, user.id, ['link_google'], services.clock.now());
    return makeAccountLink(services, tx, user.id, 'link_google', claim);
  });
  try {
    await mailNotice(services, user, 'link_google', { email: claim.email, link: address });
  } catch (cause) {
    throw new AppError('unavailable', "We couldn't send the email. Try again.", { cause });
  }
  return { email: user.email };
}

/**
 * Links a Google account by a mailed link. The password may be somebody else's than the mailbox owner's, so it is
 * removed, and its sessions end.
 * @returns notifies the account; call it after the commit
 */
export async function linkGoogleByMailbox(
  services: Services,
  tx: GlobalDb,
  user: UserRow,
  { email, issuer, subject }: AccountLinkDetails,
): Promise<() => void> {
  if (issuer === undefined || subject === undefined) throw linkUsed();
  await proveMailbox(services, tx, user);
  await link(tx, user.id, { email, issuer, subject }, { password: false });
  await endSessions(tx, user.id, services.clock.now());
  return () => notifyAccount(services, user, 'google_linked', { email });
}

/** @throws AppError `password_required` */
export async function unlinkGoogle(services: Services, userId: string): Promise<Account> {
  const { before, account } = await services.database.inTransaction(async (tx) => {
    const user = await lockUser(tx, userId);
    if (user === undefined) throw notFound('This account');
    if (user.password_hash === null) {
      throw new AppError(
        'password_required',
        "Set a password first. Without Google or a password, you couldn't log in.",
      );
    }
    const unlinked = await updateUser(tx, userId, {
      google_issuer: null,
      google_subject: null,
      google_email: null,
    });
    return { before: user, account: await presentAccount(services, tx, unlinked ?? user) };
  });
  if (before.google_email !== null) {
    notifyAccount(services, before, 'google_unlinked', { email: before.google_email });
  }
  return account;
}
