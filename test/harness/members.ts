import { acceptInvitation, inviteMember } from '#contract/members.ts';
import type { Role } from '#contract/roles.ts';
import type { TestProduct } from './product.ts';
import { buildOwner, type Owner, type World } from './world.ts';

/** The token in the last mail of an invitation to an address. */
export async function invitationToken(product: TestProduct, email: string): Promise<string> {
  const { rows } = await product.testDatabase.owner.query<{ plain: string }>(
    `select plain from outbox_emails where recipient = $1 and plain like '%/accept-invitation%' order by id desc limit 1`,
    [email],
  );
  const token = /\/accept-invitation\?token=([\w-]+)/.exec(rows[0]?.plain ?? '')?.[1];
  if (token === undefined) throw new Error(`${email} has got no invitation`);
  return token;
}

/** Somebody who was invited to the world's organization, and accepted. */
export async function buildMember(product: TestProduct, world: World, role: Role): Promise<Owner> {
  const colleague = await buildOwner(product, role);
  const body = { email: colleague.email, role };
  await product.call(inviteMember, { params: world.params, body }, world.owner);
  const token = await invitationToken(product, colleague.email);
  await product.call(acceptInvitation, { body: { token } }, colleague);
  return colleague;
}
