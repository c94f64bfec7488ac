import { INVITATION_PATH } from '#contract/app-paths.ts';
import { emailKey, isSameAddress } from '#contract/email-key.ts';
import { type Invitation, INVITATION_DAYS, type Offer, type SentInvitation } from '#contract/members.ts';
import type { Role } from '#contract/roles.ts';
import { recordOfOrganization } from '#server/accounts/organizations/account-log.ts';
import { isOpenOrganization } from '#server/accounts/organizations/organization-deletion.sql.ts';
import {
  setFirstOrganization,
  insertMember,
  lockMembers,
  roleIn,
} from '#server/accounts/organizations/members.sql.ts';
import { mustSetUpSecondFactor } from '#server/accounts/second-factors/second-factor-rule.ts';
import { requireSetUp } from '#server/accounts/sessions/sessions.ts';
import { accountOf, findAccountByEmail } from '#server/accounts/users/find-account.ts';
import { namesOfUsers } from '#server/accounts/users/users.sql.ts';
import { isUniqueViolation } from '#server/platform/database-errors.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { type Mail, MailError } from '#server/platform/mail.ts';
import { randomToken, sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { warnWithoutMailServer } from '#server/platform/email-warning.ts';
import {
  deleteInvitation,
  insertInvitation,
  invitationById,
  invitationsOf,
  type NamedInvitation,
  openInvitation,
  renewInvitation,
  takeInvitation,
} from './invitations.sql.ts';
import { type MemberAction, listMembers, rejectAboveOwnRole, roleAmong } from './members.ts';
import { invitationMail } from './members.mails.ts';

export const MAX_MEMBERS_AND_INVITATIONS = 200;

function presentInvitation(
  { config }: Pick<Services, 'config'>,
  row: NamedInvitation,
  inviter: string,
): Invitation {
  const { id, email, role, username, sent_at, expires_at } = row;
  return {
    id,
    email,
    role,
    invited_by: username,
    invited_by_name: inviter,
    sent_at: sent_at.toISOString(),
    expires_at: expires_at.toISOString(),
    warnings: warnWithoutMailServer(config, 'email', "we don't email this invitation"),
  };
}

export async function listInvitations(services: Services, organizationId: string): Promise<Invitation[]> {
  const { global } = services.database;
  const rows = await invitationsOf(global, organizationId);
  const names = await namesOfUsers(global, [...new Set(rows.map(({ invited_by }) => invited_by))]);
  return rows.map((row) => presentInvitation(services, row, names.get(row.invited_by) ?? row.username));
}

/** A new token and its expiry. */
function newLink(services: Services, userId: string) {
  const token = randomToken();
  const now = services.clock.now();
  return {
    token,
    kept: {
      token_hash: sha256(token),
      invited_by: userId,
      sent_at: now,
      expires_at: new Date(now.getTime() + INVITATION_DAYS * 86_400_000),
    },
  };
}

async function refuseKnown(
  services: Services,
  tx: GlobalDb,
  organizationId: string,
  email: string,
): Promise<number> {
  const members = await listMembers(services, organizationId, tx);
  if (members.some((member) => isSameAddress(member.email, email))) {
    throw new AppError('already_invited', 'email: someone with this email is already a member.', {
      field: 'email',
    });
  }
  return members.length;
}

function invitedAlready(): AppError {
  return new AppError(
    'already_invited',
    'email: this email is already invited. Send that invitation again, or withdraw it first.',
    { field: 'email' },
  );
}

/** @throws AppError `forbidden`, `already_invited`, `limit_reached`, `unavailable` */
export async function invite(
  services: Services,
  doing: MemberAction,
  input: { email: string; role: Role },
): Promise<SentInvitation> {
  const { organizationId, actor } = doing;
  const id = newId();
  const { token, kept } = newLink(services, actor.userId);
  let prepared: PreparedInvitation;
  try {
    prepared = await services.database.inTransaction(async (tx) => {
      // The lock keeps a member who is being removed from inviting, and makes the count of invitations exact.
      const members = await lockMembers(tx, organizationId);
      const count = await refuseKnown(services, tx, organizationId, input.email);
      if (count + (await invitationsOf(tx, organizationId)).length >= MAX_MEMBERS_AND_INVITATIONS) {
        throw new AppError(
          'limit_reached',
          `An organization can have up to ${MAX_MEMBERS_AND_INVITATIONS} members and invitations.`,
        );
      }
      rejectAboveOwnRole(roleAmong(members, doing), input.role);
      await insertInvitation(tx, {
        ...kept,
        ...input,
        id,
        organization_id: organizationId,
        email_key: emailKey(input.email),
        created_at: kept.sent_at,
      });
      const made = await prepareInvitation(services, tx, organizationId, id, token);
      const subject = { id, name: input.email, role: input.role };
      await recordOfOrganization(services, tx, organizationId, 'member.invited', subject);
      return made;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw invitedAlready();
    throw error;
  }
  return post(services, prepared);
}

/** @throws AppError `not_found` */
export async function requireInvitation(
  services: Services,
  organizationId: string,
  id: string,
): Promise<NamedInvitation> {
  const invitation = await invitationById(services.database.global, organizationId, id);
  if (invitation === undefined) throw notFound('This invitation');
  return invitation;
}

/** @throws AppError `not_found`, `forbidden`, `unavailable` */
export async function resendInvitation(
  services: Services,
  doing: MemberAction,
  id: string,
): Promise<SentInvitation> {
  const { organizationId, actor } = doing;
  const { token, kept } = newLink(services, actor.userId);
  const prepared = await services.database.inTransaction(async (tx) => {
    const members = await lockMembers(tx, organizationId);
    const invitation = await invitationById(tx, organizationId, id);
    if (invitation === undefined) throw notFound('This invitation');
    rejectAboveOwnRole(roleAmong(members, doing), invitation.role);
    await renewInvitation(tx, id, kept);
    const made = await prepareInvitation(services, tx, organizationId, id, token);
    const subject = { id, name: invitation.email };
    const isSent = services.config.smtpUrl !== '';
    const event = isSent ? 'member.invitation_resent' : 'member.invitation_link_created';
    await recordOfOrganization(services, tx, organizationId, event, subject);
    return made;
  });
  return post(services, prepared);
}

/** An invitation with its mail, prepared before the commit: after it only the mail server can fail. */
interface PreparedInvitation {
  invitation: SentInvitation;
  mail: Mail;
}

async function inviterName(tx: GlobalDb, { invited_by, username }: NamedInvitation): Promise<string> {
  return (await namesOfUsers(tx, [invited_by])).get(invited_by) ?? username;
}

async function prepareInvitation(
  services: Services,
  tx: GlobalDb,
  organizationId: string,
  id: string,
  token: string,
): Promise<PreparedInvitation> {
  const invitation = await invitationById(tx, organizationId, id);
  const open = await openInvitation(tx, sha256(token), services.clock.now());
  if (invitation === undefined || open === undefined) throw notFound('This invitation');
  const inviter = await accountOf(tx, invitation.invited_by);
  const name = await inviterName(tx, invitation);
  const link = `${services.config.appUrl}${INVITATION_PATH}?token=${token}`;
  const mail = invitationMail({
    organization: open.organization_name,
    inviter: name,
    role: invitation.role,
    days: INVITATION_DAYS,
    link,
    language: inviter?.attrs['language'],
  });
  return {
    // Where an email carries the link, only its reader gets it.
    invitation: {
      ...presentInvitation(services, invitation, name),
      link: services.config.smtpUrl === '' ? link : null,
    },
    mail: { to: invitation.email, ...mail },
  };
}

async function post(services: Services, { invitation, mail }: PreparedInvitation): Promise<SentInvitation> {
  try {
    await services.mailer.send(mail);
  } catch (error) {
    throw mailFailed(error, invitation);
  }
  return invitation;
}

/** If the mail fails, the invitation stays, the response says so, and it can be resent. */
function mailFailed(cause: unknown, { id }: Invitation): AppError {
  return new AppError(
    'unavailable',
    cause instanceof MailError && cause.kind === 'address_refused'
      ? 'The mail server rejected this email. Withdraw the invitation and check the email for typos.'
      : "The invitation exists, but we couldn't email it. Send it again in a few minutes.",
    { cause, data: { invitation_id: id } },
  );
}

/** @throws AppError `not_found`, `forbidden` */
export async function withdraw(services: Services, doing: MemberAction, id: string): Promise<void> {
  const { organizationId } = doing;
  await services.database.inTransaction(async (tx) => {
    const members = await lockMembers(tx, organizationId);
    const invitation = await invitationById(tx, organizationId, id);
    if (invitation === undefined) throw notFound('This invitation');
    rejectAboveOwnRole(roleAmong(members, doing), invitation.role);
    // Accepted at the same moment: there is nothing left to withdraw.
    if (!(await deleteInvitation(tx, organizationId, id))) throw notFound('This invitation');
    const subject = { id, name: invitation.email };
    await recordOfOrganization(services, tx, organizationId, 'member.invitation_withdrawn', subject);
  });
}

function linkUsed(): AppError {
  return new AppError(
    'link_used',
    'This invitation has expired, or was already accepted or withdrawn. Ask the person who invited you for a new one.',
    { field: 'token' },
  );
}

/** @throws AppError `link_used` */
export async function readInvitation(services: Services, token: string): Promise<Offer> {
  const { global } = services.database;
  const open = await openInvitation(global, sha256(token), services.clock.now());
  if (open === undefined) throw linkUsed();
  return {
    organization_name: open.organization_name,
    invited_by: open.username,
    invited_by_name: await inviterName(global, open),
    email: open.email,
    role: open.role,
    expires_at: open.expires_at.toISOString(),
    has_account: (await findAccountByEmail(global, open.email)) !== undefined,
  };
}

/**
 * Makes the account a member of the organization.
 * @param as the account's own address, stated explicitly if a different one was invited
 * @throws AppError `link_used`, `other_address`, `has_organization`
 */
export async function acceptInvitation(
  services: Services,
  userId: string,
  { token, as }: { token: string; as?: string | undefined },
): Promise<{ organization_id: string; role: Role }> {
  const now = services.clock.now();
  return services.database.inTransaction(async (tx) => {
    const invitation = await takeInvitation(tx, sha256(token), now);
    if (invitation === undefined) throw linkUsed();
    const account = await accountOf(tx, userId);
    if (account === undefined) throw notFound('This account');
    if (emailKey(account.email) !== invitation.email_key && !isSameAddress(as ?? '', account.email)) {
      throw new AppError(
        'other_address',
        "as: this invitation was sent to another email. To accept it with this account, send your account's email.",
        { field: 'as' },
      );
    }
    const { organization_id, role } = invitation;
    if (!(await isOpenOrganization(tx, organization_id))) throw linkUsed();
    // In the same transaction, so that a rejected attempt does not use up the link.
    if (!(await setFirstOrganization(tx, userId, organization_id))) throw belongsAlready();
    await insertMember(tx, { organization_id, user_id: userId, role, created_at: now });
    // If the organization requires a second factor, new members set one up now.
    if (await mustSetUpSecondFactor(tx, userId)) await requireSetUp(tx, userId);
    const joined = { organization_id, role: (await roleIn(tx, userId, organization_id)) ?? role };
    await recordOfOrganization(services, tx, organization_id, 'member.joined', {
      id: userId,
      role: joined.role,
    });
    return joined;
  });
}

function belongsAlready(): AppError {
  return new AppError(
    'has_organization',
    'Your account already belongs to an organization. Leave it first, or accept with another account.',
  );
}
