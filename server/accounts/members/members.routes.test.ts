import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getAccount, updateAccount } from '#contract/accounts.ts';
import { INVITATION_PATH } from '#contract/app-paths.ts';
import { createApiKey, listApiKeys } from '#contract/api-keys.ts';
import { listAuditLog } from '#contract/audit-log.ts';
import { createList, listLists } from '#contract/lists.ts';
import {
  acceptInvitation,
  changeMember,
  INVITATION_DAYS,
  inviteMember,
  leaveOrganization,
  listMembers,
  readInvitation,
  removeMember,
  resendInvitation,
  withdrawInvitation,
} from '#contract/members.ts';
import type { Role } from '#contract/roles.ts';
import { startMailServer } from '#test/fakes/mail-server.ts';
import { rawRequest } from '#test/harness/http.ts';
import { buildMember, invitationToken } from '#test/harness/members.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildOwner,
  buildSite,
  buildWorld,
  logInAgain,
  type Owner,
  type World,
} from '#test/harness/world.ts';

let product: TestProduct;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
});

afterAll(() => product.stop());

beforeEach(async () => {
  await product.testDatabase.owner.query('delete from rate_limits');
  acme = await buildWorld(product);
});

let count = 0;

function address(): string {
  count += 1;
  return `colleague-${count}@example.com`;
}

async function invite(input: { email?: string; role?: Role } = {}, as = acme.owner, world = acme) {
  const body = { email: input.email ?? address(), role: input.role ?? 'editor' };
  const invitation = await product.call(inviteMember, { params: world.params, body }, as);
  return { ...invitation, token: await invitationToken(product, invitation.email) };
}

const accept = (token: string, as: Owner, on?: string) =>
  product.call(acceptInvitation, { body: { token, ...(on === undefined ? {} : { as: on }) } }, as);

const refuseAccept = (token: string, as: Owner) => product.refuse(acceptInvitation, { body: { token } }, as);

const members = (as = acme.owner) => product.call(listMembers, { params: acme.params }, as);

const account = (owner: Owner) => product.call(getAccount, { params: { id: owner.id } }, owner);

const at = (id: string) => ({ ...acme.params, id });

describe('an invitation', () => {
  it('is emailed, listed among the open ones, and makes whoever accepts it a member', async () => {
    const vera = await buildOwner(product, 'vera');
    const { token, link, ...invitation } = await invite({ email: vera.email, role: 'editor' });
    expect(link).toBe(`${product.url}${INVITATION_PATH}?token=${token}`);
    expect(invitation).toMatchObject({ email: vera.email, role: 'editor', invited_by: acme.owner.username });
    expect((await members()).invitations).toEqual([invitation]);

    const offer = await product.call(readInvitation, { body: { token } });
    expect(offer).toMatchObject({ email: vera.email, role: 'editor', has_account: true });

    expect(await accept(token, vera)).toEqual({
      organization_id: acme.params.organization_id,
      role: 'editor',
    });
    expect(await account(vera)).toMatchObject({
      organization: acme.params.organization_id,
      role: 'editor',
    });
    const { results, invitations } = await members(vera);
    expect(results.map(({ username, role }) => [username, role])).toEqual([
      [acme.owner.username, 'owner'],
      [vera.username, 'editor'],
    ]);
    expect(invitations).toEqual([]);
    await product.call(createList, { params: acme.params, body: { name: 'By Vera' } }, vera);
  });

  it('names its sender as a person, in the email, on its page and in the list', async () => {
    const body = { first_name: 'Nora', last_name: 'Novak' };
    await product.call(updateAccount, { params: { id: acme.owner.id }, body }, acme.owner);
    const { token, email } = await invite();
    const { rows } = await product.testDatabase.owner.query<{ subject: string; plain: string }>(
      'select subject, plain from outbox_emails where recipient = $1',
      [email],
    );
    expect(rows[0]?.subject).toBe(`“Nora Novak” invited you to “${acme.site.name}” on Sayso`);
    expect(rows[0]?.plain).toContain('“Nora Novak” invited you to work on');
    expect(await product.call(readInvitation, { body: { token } })).toMatchObject({
      invited_by: acme.owner.username,
      invited_by_name: 'Nora Novak',
    });
    const listed = (await members()).invitations.find((one) => one.email === email);
    expect(listed?.invited_by_name).toBe('Nora Novak');
  });

  it('without a mail server reveals its link once to the sender, and to no one else', async () => {
    const { id, link, token } = await invite();
    expect(link).toContain(token);
    expect(JSON.stringify(await members())).not.toContain('token=');
    const again = await product.call(resendInvitation, { params: at(id) }, acme.owner);
    expect(again.link).not.toBe(link);
    const editor = await buildMember(product, acme, 'editor');
    expect((await product.refuse(resendInvitation, { params: at(id) }, editor)).status).toBe(403);
    expect(
      (
        await product.refuse(
          inviteMember,
          { params: acme.params, body: { email: address(), role: 'viewer' } },
          editor,
        )
      ).status,
    ).toBe(403);
  });

  it('with a mail server reveals its link to no one but the reader of the email', async () => {
    const mailServer = await startMailServer();
    const mailing = await startTestProduct({ env: { SMTP_URL: mailServer.url } });
    try {
      const { params, owner } = await buildWorld(mailing);
      const body = { email: address(), role: 'viewer' as const };
      const sent = await mailing.call(inviteMember, { params, body }, owner);
      expect(sent.link).toBeNull();
      const again = await mailing.call(resendInvitation, { params: { ...params, id: sent.id } }, owner);
      expect(again.link).toBeNull();
      expect(mailServer.mails.at(-1)?.text).toContain(INVITATION_PATH);
      const log = await mailing.call(listAuditLog, { params, query: { noun: 'member', limit: 1 } }, owner);
      expect(log.results.map(({ event }) => event)).toEqual(['member.invitation_resent']);
    } finally {
      await mailing.stop();
      await mailServer.close();
    }
  });

  it('says whether its reader has an account yet', async () => {
    const { token } = await invite();
    expect(await product.call(readInvitation, { body: { token } })).toMatchObject({ has_account: false });
  });

  it('is stored as a hash: what the database holds opens nothing', async () => {
    const { token } = await invite();
    const { rows } = await product.testDatabase.owner.query('select * from invitations');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'));
  });

  it('can be viewed any number of times without changing anything', async () => {
    const { token, id } = await invite();
    for (let time = 0; time < 3; time += 1) await product.call(readInvitation, { body: { token } });
    expect((await members()).invitations.map((one) => one.id)).toEqual([id]);
  });

  it('works once: 409', async () => {
    const [vera, other] = [await buildOwner(product), await buildOwner(product)];
    const { token } = await invite({ email: vera.email });
    await accept(token, vera);
    expect(await refuseAccept(token, other)).toMatchObject({ status: 409, errors: [{ code: 'link_used' }] });
    expect((await product.refuse(readInvitation, { body: { token } })).status).toBe(409);
  });

  it('accepted by two people at once lets one in', async () => {
    const people = await Promise.all([1, 2, 3].map(() => buildOwner(product)));
    const { token } = await invite();
    const answers = await Promise.all(
      people.map((person) =>
        rawRequest(product, 'POST', '/api/core/v1/invitations/accept', {
          as: person,
          body: { token, as: person.email },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect((await members()).results).toHaveLength(2);
  });

  it('expires after seven days: 409, and works again when it is resent', async () => {
    const vera = await buildOwner(product);
    const { token, id } = await invite({ email: vera.email });
    product.clock.advance({ days: INVITATION_DAYS });
    for (const one of [acme.owner, vera]) await logInAgain(product, one);
    expect(await refuseAccept(token, vera)).toMatchObject({ errors: [{ code: 'link_used' }] });
    expect((await members()).invitations).toHaveLength(1);

    await product.call(resendInvitation, { params: at(id) }, acme.owner);
    const again = await invitationToken(product, vera.email);
    expect(again).not.toBe(token);
    await accept(again, vera);
  });

  it('that is resent invalidates the previous link', async () => {
    const vera = await buildOwner(product);
    const { token, id } = await invite({ email: vera.email });
    await product.call(resendInvitation, { params: at(id) }, acme.owner);
    expect((await refuseAccept(token, vera)).status).toBe(409);
    await accept(await invitationToken(product, vera.email), vera);
  });

  it('no longer works after it was withdrawn: 409', async () => {
    const vera = await buildOwner(product);
    const { token, id } = await invite({ email: vera.email });
    await product.call(withdrawInvitation, { params: at(id) }, acme.owner);
    expect((await refuseAccept(token, vera)).status).toBe(409);
    expect((await product.refuse(withdrawInvitation, { params: at(id) }, acme.owner)).status).toBe(404);
    expect((await product.refuse(resendInvitation, { params: at(id) }, acme.owner)).status).toBe(404);
  });

  it.each(['', 'x', 'a'.repeat(43)])(
    'with the token %j says only that it is no longer valid',
    async (token) => {
      const status = token === '' ? 422 : 409;
      expect((await product.refuse(readInvitation, { body: { token } })).status).toBe(status);
      expect((await refuseAccept(token, acme.owner)).status).toBe(status);
    },
  );

  it('to another address must be accepted explicitly', async () => {
    const [vera, rita] = [await buildOwner(product), await buildOwner(product)];
    const { token } = await invite({ email: vera.email });
    expect(await refuseAccept(token, rita)).toMatchObject({
      status: 409,
      errors: [{ code: 'other_address', field: 'as' }],
    });
    const named = product.refuse(acceptInvitation, { body: { token, as: vera.email } }, rita);
    expect((await named).status).toBe(409);
    await accept(token, rita, rita.email.toUpperCase());
    expect((await account(rita)).organization).toBe(acme.params.organization_id);
  });

  it('to someone who has an organization is refused, takes nothing from them, and stays open', async () => {
    const globex = await buildWorld(product, 'globex');
    const { token, id } = await invite({ email: globex.owner.email });
    expect(await refuseAccept(token, globex.owner)).toMatchObject({
      status: 409,
      message: expect.stringContaining('already belongs to an organization'),
    });
    expect((await account(globex.owner)).organization).toBe(globex.params.organization_id);
    expect((await members()).invitations.map((one) => one.id)).toEqual([id]);
    expect((await members()).results).toHaveLength(1);
  });

  it('from each of two organizations at once admits to one of them', async () => {
    const globex = await buildWorld(product, 'globex');
    const vera = await buildOwner(product);
    const tokens = [
      (await invite({ email: vera.email })).token,
      (await invite({ email: vera.email }, globex.owner, globex)).token,
    ];
    const answers = await Promise.all(
      tokens.map((token) =>
        rawRequest(product, 'POST', '/api/core/v1/invitations/accept', { as: vera, body: { token } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it('to someone who is a member or already invited answers 409', async () => {
    const { email } = await invite();
    await invite({ email: 'c@βόλος.example' });
    for (const known of [email, email.toUpperCase(), acme.owner.email, 'c@xn--nxasmm1c.example']) {
      const body = { email: known, role: 'viewer' as const };
      expect(await product.refuse(inviteMember, { params: acme.params, body }, acme.owner)).toMatchObject({
        status: 409,
        errors: [{ code: 'already_invited', field: 'email' }],
      });
    }
  });

  it.each([
    [{ email: 'nobody', role: 'viewer' }, 'email'],
    [{ email: 'vera@example.com', role: 'boss' }, 'role'],
    [{ email: 'vera@example.com' }, 'role'],
    [{ role: 'viewer' }, 'email'],
  ])('from %j answers 422', async (body, field) => {
    const path = `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}/members`;
    const answer = await rawRequest(product, 'POST', path, { as: acme.owner, body });
    expect(answer).toMatchObject({ status: 422, fields: [field] });
  });

  it('from an admin cannot make an owner, and an admin cannot send or withdraw one that does', async () => {
    const admin = await buildMember(product, acme, 'admin');
    const body = { email: address(), role: 'owner' as const };
    const refused = await product.refuse(inviteMember, { params: acme.params, body }, admin);
    expect(refused).toMatchObject({ status: 403, errors: [{ code: 'forbidden' }] });
    expect(refused.message).toContain('This needs an owner');
    const { id } = await invite({ role: 'owner' });
    for (const route of [resendInvitation, withdrawInvitation]) {
      expect((await product.refuse(route, { params: at(id) }, admin)).status).toBe(403);
    }
    await invite({ role: 'admin' }, admin);
  });

  it('ends with the membership of its sender', async () => {
    const admin = await buildMember(product, acme, 'admin');
    const { token } = await invite({ role: 'admin' }, admin);
    await product.call(removeMember, { params: at(admin.id) }, acme.owner);
    expect((await refuseAccept(token, admin)).status).toBe(409);
  });

  it('ends when it offers more than its sender’s new role', async () => {
    const admin = await buildMember(product, acme, 'admin');
    const above = await invite({ role: 'admin' }, admin);
    const below = await invite({ role: 'viewer' }, admin);
    await product.call(changeMember, { params: at(admin.id), body: { role: 'editor' } }, acme.owner);
    expect((await members()).invitations.map(({ id }) => id)).toEqual([below.id]);
    expect((await product.refuse(readInvitation, { body: { token: above.token } })).status).toBe(409);
  });

  it('carries nothing of its sender’s name that a stranger could follow, and little of it', async () => {
    const names = {
      first_name: 'Your account is locked. Log in at https://evil.example/pay',
      last_name: `or ask help@evil.example ${'x'.repeat(30)}`,
    };
    await product.call(updateAccount, { params: { id: acme.owner.id }, body: names }, acme.owner);
    const { email } = await invite();
    const { rows } = await product.testDatabase.owner.query<{ subject: string; plain: string }>(
      'select subject, plain from outbox_emails where recipient = $1',
      [email],
    );
    const [{ subject, plain } = { subject: '', plain: '' }] = rows;
    expect(subject).toMatch(/^“Your account is locked\. Log in at [^”]{1,60}…” invited you to “/);
    for (const text of [subject, plain]) {
      expect(text).not.toMatch(/https?:\/\/evil|evil\.example|help@evil/);
    }
    const own = { first_name: 'Nora', last_name: 'Novak' };
    await product.call(updateAccount, { params: { id: acme.owner.id }, body: own }, acme.owner);
  });

  it('is limited by its receiver, also when it is sent again or withdrawn in between', async () => {
    const { owner, params } = await buildWorld(product);
    const body = { email: address(), role: 'viewer' as const };
    const { id } = await product.call(inviteMember, { params, body }, owner);
    let sent = 1;
    const again = { params: { ...params, id } };
    const path = `/api/core/v1/organizations/${params.organization_id}/sites/${params.site_id}/members`;
    for (; sent < 7; sent += 1) await product.call(resendInvitation, again, owner);
    await product.call(withdrawInvitation, again, owner);
    const statuses = [];
    for (let time = 0; time < 5; time += 1) {
      statuses.push((await rawRequest(product, 'POST', path, { as: owner, body })).status);
    }
    expect(statuses.filter((status) => status !== 429)).toHaveLength(10 - sent);
  });

  it('is limited in number per hour: 429', async () => {
    const body = { email: address(), role: 'viewer' as const };
    const path = `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}/members`;
    const statuses = [];
    for (let time = 0; time < 12; time += 1) {
      statuses.push((await rawRequest(product, 'POST', path, { as: acme.owner, body })).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('a member', () => {
  it('who is removed is locked out from the next call on, and has no organization any more', async () => {
    const vera = await buildMember(product, acme, 'editor');
    await product.call(listLists, { params: acme.params }, vera);
    await product.call(removeMember, { params: at(vera.id) }, acme.owner);
    expect((await product.refuse(listLists, { params: acme.params }, vera)).status).toBe(404);
    expect(await account(vera)).toMatchObject({ organization: 'None', role: null });
    expect((await members()).results).toHaveLength(1);
  });

  it('who is removed leaves no API key of theirs behind on any site, unless the owner keeps them', async () => {
    const { params: shop } = await buildSite(product, acme.owner, acme.params.organization_id);
    const sites = [acme.params, shop];
    const keysOf = async (creator: Owner) => {
      const found = await Promise.all(
        sites.map((params) => product.call(listApiKeys, { params }, acme.owner)),
      );
      return found.flatMap(({ results }) => results).filter((key) => key.created_by_email === creator.email);
    };
    const [vera, walt] = [
      await buildMember(product, acme, 'admin'),
      await buildMember(product, acme, 'admin'),
    ];
    for (const admin of [vera, walt]) {
      for (const params of sites) {
        await product.call(createApiKey, { params, body: { name: 'Till', scopes: ['read'] } }, admin);
      }
    }
    await product.call(removeMember, { params: at(vera.id) }, acme.owner);
    await product.call(removeMember, { params: at(walt.id), query: { api_keys: 'keep' } }, acme.owner);
    expect(await keysOf(vera)).toEqual([]);
    expect(await keysOf(walt)).toHaveLength(2);
    for (const params of sites) {
      const { results } = await product.call(
        listAuditLog,
        { params, query: { noun: 'api_key' } },
        acme.owner,
      );
      expect(results.filter(({ event }) => event === 'api_key.revoked')).toMatchObject([
        { subject_name: 'Till', actor: { name: acme.owner.username } },
      ]);
    }
  });

  it('whose role changes has the new one from the next call on', async () => {
    const vera = await buildMember(product, acme, 'viewer');
    const make = { params: acme.params, body: { name: 'By Vera' } };
    const refused = await product.refuse(createList, make, vera);
    expect(refused).toMatchObject({ status: 403, errors: [{ code: 'forbidden' }] });
    expect(refused.message).toBe(
      'This needs an editor, an admin or an owner, and your role is viewer. Ask an admin or owner to do it, or to change your role.',
    );
    const body = { role: 'editor' as const };
    const changed = await product.call(changeMember, { params: at(vera.id), body }, acme.owner);
    expect(changed).toMatchObject({ id: vera.id, role: 'editor' });
    await product.call(createList, make, vera);
  });

  it('can leave, whatever their role', async () => {
    for (const role of ['viewer', 'admin'] as const) {
      const vera = await buildMember(product, acme, role);
      await product.call(leaveOrganization, { params: acme.params }, vera);
      expect(await account(vera)).toMatchObject({ organization: 'None' });
    }
  });

  it('who is the only owner stays one: 409', async () => {
    const { owner } = acme;
    await buildMember(product, acme, 'admin');
    const body = { role: 'admin' as const };
    for (const refused of [
      product.refuse(changeMember, { params: at(owner.id), body }, owner),
      product.refuse(removeMember, { params: at(owner.id) }, owner),
      product.refuse(leaveOrganization, { params: acme.params }, owner),
    ]) {
      expect(await refused).toMatchObject({ status: 409, errors: [{ code: 'last_owner' }] });
    }
    expect((await account(owner)).role).toBe('owner');
  });

  it('who is one of two owners may leave, but both cannot at once', async () => {
    const second = await buildMember(product, acme, 'owner');
    const path = `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}/members`;
    const answers = await Promise.all([
      rawRequest(product, 'PATCH', `${path}/${second.id}`, { as: acme.owner, body: { role: 'viewer' } }),
      rawRequest(product, 'PATCH', `${path}/${acme.owner.id}`, { as: second, body: { role: 'viewer' } }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    const { rows } = await product.testDatabase.owner.query(
      `select 1 from members where organization_id = $1 and role = 'owner'`,
      [acme.params.organization_id],
    );
    expect(rows).toHaveLength(1);
  });

  it('with a higher role cannot be changed by an admin', async () => {
    const admin = await buildMember(product, acme, 'admin');
    const body = { role: 'viewer' as const };
    const refusals = [
      product.refuse(changeMember, { params: at(acme.owner.id), body }, admin),
      product.refuse(removeMember, { params: at(acme.owner.id) }, admin),
      product.refuse(changeMember, { params: at(admin.id), body: { role: 'owner' } }, admin),
    ];
    for (const refused of refusals) expect((await refused).status).toBe(403);
    const other = await buildMember(product, acme, 'admin');
    await product.call(changeMember, { params: at(other.id), body }, admin);
  });

  it('that is unknown answers 404', async () => {
    const id = '01900000-0000-7000-8000-000000000000';
    const body = { role: 'viewer' as const };
    expect((await product.refuse(changeMember, { params: at(id), body }, acme.owner)).status).toBe(404);
    expect((await product.refuse(removeMember, { params: at(id) }, acme.owner)).status).toBe(404);
  });

  it('who made the organization and was removed cannot take it back', async () => {
    const second = await buildMember(product, acme, 'owner');
    await product.call(removeMember, { params: at(acme.owner.id) }, second);
    const body = { organization: acme.params.organization_id };
    const refused = await product.refuse(updateAccount, { params: { id: acme.owner.id }, body }, acme.owner);
    expect(refused).toMatchObject({ status: 422, errors: [{ field: 'organization' }] });
  });
});

describe('while the mail server is away', () => {
  it('an invitation is created, reported as unsent, and can be resent later', async () => {
    const away = await startTestProduct({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } });
    try {
      const { params, owner } = await buildWorld(away);
      const body = { email: address(), role: 'viewer' as const };
      const refused = await away.refuse(inviteMember, { params, body }, owner);
      expect(refused).toMatchObject({ status: 503, errors: [{ code: 'unavailable' }] });
      expect(refused.message).not.toContain(body.email);
      const { invitations } = await away.call(listMembers, { params }, owner);
      expect(invitations.map(({ email }) => email)).toEqual([body.email]);
      const again = { params: { ...params, id: invitations[0]?.id ?? '' } };
      expect((await away.refuse(resendInvitation, again, owner)).status).toBe(503);
    } finally {
      await away.stop();
    }
  });
});
