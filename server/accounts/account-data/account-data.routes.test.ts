import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deleteAccount,
  endOtherSessions,
  endSession,
  exportAccount,
  listSessions,
  planDeletion,
  removeAvatar,
  uploadAvatar,
} from '#contract/account-data.ts';
import { getAccount, logIn, refreshTokens, updateAccount } from '#contract/accounts.ts';
import { check } from '#contract/checkers.ts';
import { listLists } from '#contract/lists.ts';
import { acceptInvitation, inviteMember, leaveOrganization } from '#contract/members.ts';
import { createOrganization, getOrganization, renameOrganization } from '#contract/organizations.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { createSite } from '#contract/sites.ts';
import { deleteMarkedOrganizations } from '#server/accounts/organizations/organization-deletion.ts';
import { deleteSite } from '#server/accounts/sites/sites.sql.ts';
import { rawRequest } from '#test/harness/http.ts';
import { buildMember, invitationToken } from '#test/harness/members.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildOwner,
  buildSite,
  buildWebhook,
  buildWorld,
  openAsProven,
  type Owner,
  PASSWORD,
  type World,
} from '#test/harness/world.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

let product: TestProduct;

beforeAll(async () => {
  product = await startTestProduct();
});

afterAll(() => product.stop());

async function logInWith(owner: Owner, userAgent: string): Promise<Owner> {
  const body = { username: owner.username, password: PASSWORD };
  const response = await fetch(`${product.url}/api/core/v1/users/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': userAgent },
    body: JSON.stringify(body),
  });
  const tokens = (await response.json()) as { access_token: string; refresh_token: string };
  return { ...owner, token: tokens.access_token, refreshToken: tokens.refresh_token };
}

const self = (owner: Owner) => ({ params: { id: owner.id } });

const isIn = async (owner: Owner) => {
  const answer = await rawRequest(product, 'GET', `/api/core/v1/users/${owner.id}`, { as: owner });
  return answer.status === 200;
};

/** Their session began this many minutes ago. */
const logInAgo = ({ id }: Owner, minutes: number) =>
  product.testDatabase.owner.query('update sessions set created_at = $2 where user_id = $1', [
    id,
    new Date(product.clock.now().getTime() - minutes * 60_000),
  ]);

describe('sessions', () => {
  it('are listed with browser, system and last use, and nothing else', async () => {
    const nora = await buildOwner(product);
    const phone = await logInWith(nora, IPHONE);
    const desk = await logInWith(nora, FIREFOX);
    product.clock.advance({ seconds: 60 });
    await product.call(refreshTokens, { body: { refresh_token: phone.refreshToken } });
    const { results } = await product.call(listSessions, self(desk), desk);
    expect(results.map(({ browser, system, is_current }) => [browser, system, is_current])).toEqual([
      ['safari', 'ios', false],
      ['firefox', 'linux', true],
      [null, null, false],
    ]);
    const [last] = results;
    const usedFor = Date.parse(last?.last_used_at ?? '') - Date.parse(last?.started_at ?? '');
    expect(usedFor).toBeGreaterThanOrEqual(60_000);
    expect(JSON.stringify(results)).not.toContain(phone.refreshToken);
    expect(Object.keys(last ?? {}).toSorted()).toEqual([
      'browser',
      'id',
      'is_current',
      'last_used_at',
      'started_at',
      'system',
    ]);
  });

  it('are ended one by one, with all their tokens', async () => {
    const nora = await buildOwner(product);
    const phone = await logInWith(nora, IPHONE);
    const { results } = await product.call(listSessions, self(nora), nora);
    const one = results.find(({ is_current: isCurrent }) => !isCurrent);
    const params = { id: nora.id, session_id: one?.id ?? '' };
    await product.call(endSession, { params }, nora);
    expect(await isIn(phone)).toBe(false);
    const refused = await product.refuse(refreshTokens, { body: { refresh_token: phone.refreshToken } });
    expect(refused.status).toBe(401);
    expect((await product.refuse(endSession, { params }, nora)).status).toBe(404);
    expect((await product.call(listSessions, self(nora), nora)).results).toHaveLength(1);
  });

  it('can all be ended but the current one', async () => {
    const nora = await buildOwner(product);
    const others = [await logInWith(nora, IPHONE), await logInWith(nora, FIREFOX)];
    await product.call(endOtherSessions, self(nora), nora);
    expect(await Promise.all(others.map(isIn))).toEqual([false, false]);
    expect(await isIn(nora)).toBe(true);
  });

  it('of another account answer 404', async () => {
    const nora = await buildOwner(product);
    const eve = await buildOwner(product, 'eve');
    const { results } = await product.call(listSessions, self(nora), nora);
    const params = { id: eve.id, session_id: results[0]?.id ?? '' };
    expect((await product.refuse(endSession, { params }, eve)).status).toBe(404);
    expect((await product.refuse(listSessions, self(nora), eve)).status).toBe(404);
    expect(await isIn(nora)).toBe(true);
  });
});

describe('the picture', () => {
  async function picture(colour: string): Promise<Blob> {
    const image = sharp({ create: { width: 400, height: 300, channels: 3, background: colour } });
    return new Blob([new Uint8Array(await image.png().toBuffer())], { type: 'image/png' });
  }

  it('is redrawn as a square and served from our own address; the previous one is deleted (spec 130)', async () => {
    const nora = await buildOwner(product);
    const first = await product.call(uploadAvatar, { ...self(nora), file: await picture('#123456') }, nora);
    const shown = await fetch(first.avatar ?? '');
    expect(shown.headers.get('content-type')).toBe('image/webp');
    const { width, height, format } = await sharp(Buffer.from(await shown.arrayBuffer())).metadata();
    expect({ width, height, format }).toEqual({ width: 192, height: 192, format: 'webp' });
    const second = await product.call(uploadAvatar, { ...self(nora), file: await picture('#654321') }, nora);
    expect(second.avatar).not.toBe(first.avatar);
    expect((await fetch(first.avatar ?? '')).status).toBe(404);
    expect(await product.call(getAccount, self(nora), nora)).toEqual(second);
  });

  it('stays when the account is saved with the picture’s own address', async () => {
    const nora = await buildOwner(product);
    const { avatar } = await product.call(
      uploadAvatar,
      { ...self(nora), file: await picture('#123456') },
      nora,
    );
    await product.call(updateAccount, { ...self(nora), body: { avatar, first_name: 'Nora' } }, nora);
    expect((await fetch(avatar ?? '')).status).toBe(200);
    const elsewhere = 'https://example.com/nora.png';
    await product.call(updateAccount, { ...self(nora), body: { avatar: elsewhere } }, nora);
    expect((await fetch(avatar ?? '')).status).toBe(404);
  });

  it('can be removed', async () => {
    const nora = await buildOwner(product);
    const { avatar } = await product.call(
      uploadAvatar,
      { ...self(nora), file: await picture('#123456') },
      nora,
    );
    expect((await product.call(removeAvatar, self(nora), nora)).avatar).toBeNull();
    expect((await fetch(avatar ?? '')).status).toBe(404);
  });

  it('is rejected when it is not an image, and the previous one stays', async () => {
    const nora = await buildOwner(product);
    const { avatar } = await product.call(
      uploadAvatar,
      { ...self(nora), file: await picture('#123456') },
      nora,
    );
    const file = new Blob(['<html>'], { type: 'image/png' });
    const refused = await product.refuse(uploadAvatar, { ...self(nora), file }, nora);
    expect(refused).toMatchObject({ status: 422, data: { problem: 'not_an_image' } });
    expect((await product.call(getAccount, self(nora), nora)).avatar).toBe(avatar);
  });

  it('uploaded twice at the same moment is stored once, and is there', async () => {
    const nora = await buildOwner(product);
    const files = [await picture('#123456'), await picture('#654321')];
    await Promise.all(files.map((file) => product.call(uploadAvatar, { ...self(nora), file }, nora)));
    const { avatar } = await product.call(getAccount, self(nora), nora);
    expect((await fetch(avatar ?? '')).status).toBe(200);
  });

  it.each(['x', 'x.webp', '01900000-0000-7000-8000-000000000000.webp', '..%2f.webp'])(
    'does not exist under the address /avatars/%s: 404',
    async (file) => {
      expect((await fetch(`${product.url}/avatars/${file}`)).status).toBe(404);
    },
  );
});

describe('an organization', () => {
  const create = (owner: Owner, name: string) => product.call(createOrganization, { body: { name } }, owner);

  it('can be renamed by its owner, also to its own name in other letters', async () => {
    const nora = await buildOwner(product);
    const { id } = await create(nora, `${nora.username} books`);
    const rename = (name: string) =>
      product.call(renameOrganization, { params: { id }, body: { name } }, nora);
    expect((await rename(`${nora.username} BOOKS`)).name).toBe(`${nora.username} BOOKS`);
    expect((await rename(`${nora.username} shop`)).name).toBe(`${nora.username} shop`);
    expect((await create(nora, `${nora.username} books`)).name).toBe(`${nora.username} books`);
  });

  it('cannot take a name that is taken: 409 (spec 131)', async () => {
    const nora = await buildOwner(product);
    const { id } = await create(nora, `${nora.username} one`);
    await create(nora, `${nora.username} two`);
    const body = { name: ` ${nora.username.toUpperCase()}  two` };
    const refused = await product.refuse(renameOrganization, { params: { id }, body }, nora);
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'name_taken', field: 'name' }] });
  });

  it('of somebody else answers 404, and 403 to a member who is not its owner', async () => {
    const nora = await buildOwner(product);
    const eve = await buildOwner(product, 'eve');
    const { id, name } = await create(nora, `${nora.username} one`);
    const rename = () => product.refuse(renameOrganization, { params: { id }, body: { name: 'Mine' } }, eve);
    expect((await rename()).status).toBe(404);
    await addMember(id, eve, 'viewer');
    expect((await rename()).status).toBe(403);
    expect((await product.call(getOrganization, { params: { id } }, nora)).name).toBe(name);
  });
});

async function addMember(organizationId: string, { id }: Owner, role: string): Promise<void> {
  await product.testDatabase.owner.query(`insert into members values ($1, $2, $3, now())`, [
    organizationId,
    id,
    role,
  ]);
}

describe('the export', () => {
  it('contains the account, its organizations, sites and sessions, and no secret', async () => {
    const acme = await buildWorld(product);
    const { owner, params, site } = acme;
    const data = await product.call(exportAccount, self(owner), owner);
    expect(data).toMatchObject({
      account: { id: owner.id, username: owner.username, email: owner.email },
      organizations: [
        {
          id: params.organization_id,
          role: 'owner',
          sites: [{ id: site.id, name: site.name, domain_name: site.domain_name, custom_domain: null }],
        },
      ],
      sessions: [{ browser: null, system: null }],
    });
    const { rows } = await product.testDatabase.owner.query<{ password_hash: string }>(
      'select password_hash from users where id = $1',
      [owner.id],
    );
    const text = JSON.stringify(data);
    for (const secret of [rows[0]?.password_hash ?? 'none', owner.token, owner.refreshToken]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('the deletion of an account', () => {
  function remove(owner: Owner, typed: { username?: string; password?: string } = {}) {
    const body = { username: owner.username, password: PASSWORD, ...typed };
    return product.call(deleteAccount, { ...self(owner), body }, owner);
  }

  async function refused(owner: Owner, typed: { username?: string; password?: string } = {}) {
    const body = { username: owner.username, password: PASSWORD, ...typed };
    return product.refuse(deleteAccount, { ...self(owner), body }, owner);
  }

  async function rowsOf(siteId: string): Promise<string[]> {
    const { owner } = product.testDatabase;
    const tables = await owner.query<{ name: string }>(
      `select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'site_id'`,
    );
    const found = await Promise.all(
      tables.rows.map(async ({ name }) => {
        const { rowCount } = await owner.query(`select 1 from ${name} where site_id = $1 limit 1`, [siteId]);
        return rowCount === 0 ? [] : [name];
      }),
    );
    return found.flat().toSorted();
  }

  async function addEvidence(world: World): Promise<void> {
    await buildWebhook(product, world, { url: 'https://shop.example/hook' });
    const customerId = await openAsProven(product, world, await buildCustomer(product, world));
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await product.call(saveLists, { params: { customerId }, body }, world.visitor);
  }

  it.each([
    ['another username', { username: 'somebody' }, 'username'],
    ['a wrong password', { password: 'not the password' }, 'password'],
    ['no password', { password: '' }, 'password'],
  ])('is refused with %s: 422, and changes nothing', async (_what, typed, field) => {
    const { owner, params } = await buildWorld(product);
    expect(await refused(owner, typed)).toMatchObject({ status: 422, errors: [{ field }] });
    expect(await isIn(owner)).toBe(true);
    expect((await product.call(listLists, { params }, owner)).results).toHaveLength(2);
  });

  it('is limited in how often it can be tried: 429', async () => {
    const nora = await buildOwner(product);
    for (let count = 0; count < 10; count += 1) await refused(nora, { password: 'guess' });
    expect((await refused(nora)).status).toBe(429);
  });

  it('ends every session, frees name and address, and lists beforehand what is deleted with it', async () => {
    const world = await buildWorld(product);
    const { owner, params, site } = world;
    const elsewhere = await logInWith(owner, FIREFOX);
    const plan = await product.call(planDeletion, self(owner), owner);
    expect(plan.organizations).toEqual([
      {
        id: params.organization_id,
        name: site.name,
        fate: 'deleted',
        sites: [{ id: site.id, name: site.name, domain_name: site.domain_name }],
      },
    ]);
    await remove(owner);
    expect([await isIn(owner), await isIn(elsewhere)]).toEqual([false, false]);
    const login = { body: { username: owner.username, password: PASSWORD } };
    expect((await product.refuse(logIn, login)).status).toBe(401);
    expect(
      (await product.refuse(refreshTokens, { body: { refresh_token: owner.refreshToken } })).status,
    ).toBe(401);
    const again = await rawRequest(product, 'POST', '/api/core/v1/users', {
      body: { username: owner.username, email: owner.email, password: PASSWORD },
    });
    expect(again.status).toBe(201);
  });

  it('deletes an organization with no other member: no longer served at once, gone a little later', async () => {
    const acme = await buildWorld(product);
    const second = await buildSite(product, acme.owner, acme.params.organization_id);
    const bystander = await buildWorld(product, 'globex');
    await addEvidence(acme);
    await addEvidence(bystander);
    const pageOf = async ({ site }: World) => {
      const { statusCode } = await product.http.inject({
        url: '/preferences',
        headers: { host: site.domain_name },
      });
      return statusCode;
    };
    expect([await pageOf(acme), await pageOf(second)]).toEqual([200, 200]);
    await remove(acme.owner);
    expect([await pageOf(acme), await pageOf(second), await pageOf(bystander)]).toEqual([404, 404, 200]);
    expect(await rowsOf(acme.site.id)).toContain('choices');
    const kept = await rowsOf(bystander.site.id);
    await deleteMarkedOrganizations(product.services);
    expect([await rowsOf(acme.site.id), await rowsOf(second.site.id)]).toEqual([[], []]);
    expect(await rowsOf(bystander.site.id)).toEqual(kept);
    const left = await product.testDatabase.owner.query('select 1 from organizations where id = $1', [
      acme.params.organization_id,
    ]);
    expect(left.rowCount).toBe(0);
  });

  it('reserves the host names for 30 days, but not the name of the organization', async () => {
    const acme = await buildWorld(product);
    await remove(acme.owner);
    await deleteMarkedOrganizations(product.services);
    const nora = await buildOwner(product);
    const name = { query: { organization_name: acme.site.name } };
    expect(await product.call(check, name, nora)).toMatchObject([{ error: false }]);
    const { id } = await product.call(createOrganization, { body: { name: acme.site.name } }, nora);
    const requested = {
      params: { organization_id: id },
      body: { domain_name: acme.site.domain_name, name: 'Mine now' },
    };
    const domain = { query: { site_domain: acme.site.domain_name } };
    expect(await product.call(check, domain, nora)).toMatchObject([{ error: true }]);
    expect((await product.refuse(createSite, requested, nora)).status).toBe(409);
  });

  it('resumes where a killed process stopped', async () => {
    const acme = await buildWorld(product);
    const second = await buildSite(product, acme.owner, acme.params.organization_id);
    await addEvidence(acme);
    await remove(acme.owner);
    // As if the process had died after the first site.
    const died = new AbortController();
    await deleteSite(product.services.database, acme.site.id);
    expect(await rowsOf(acme.site.id)).toEqual([]);
    died.abort();
    await deleteMarkedOrganizations(product.services, died.signal);
    expect(await rowsOf(second.site.id)).toContain('lists');
    await Promise.all([
      deleteMarkedOrganizations(product.services),
      deleteMarkedOrganizations(product.services),
    ]);
    expect(await rowsOf(second.site.id)).toEqual([]);
  });

  it('is refused to the only owner of an organization with other members: 409, saying what to do', async () => {
    const acme = await buildWorld(product);
    const { owner, params, site } = acme;
    const gina = await buildOwner(product, 'gina');
    await addMember(params.organization_id, gina, 'viewer');
    const plan = await product.call(planDeletion, self(owner), owner);
    expect(plan.organizations).toMatchObject([{ name: site.name, fate: 'in_the_way' }]);
    expect(await refused(owner)).toMatchObject({
      status: 409,
      data: { organizations: [site.name] },
      errors: [{ code: 'conflict' }],
    });
    expect(await isIn(owner)).toBe(true);
    expect((await product.call(listLists, { params }, gina)).results).toHaveLength(2);
  });

  it('leaves an organization to its other owner', async () => {
    const { owner, params } = await buildWorld(product);
    const gina = await buildOwner(product, 'gina');
    await addMember(params.organization_id, gina, 'owner');
    const plan = await product.call(planDeletion, self(owner), owner);
    expect(plan.organizations).toMatchObject([{ fate: 'kept' }]);
    await remove(owner);
    await deleteMarkedOrganizations(product.services);
    expect((await product.call(listLists, { params }, gina)).results).toHaveLength(2);
  });

  it('by both owners at once leaves no member without an organization, and no organization without members', async () => {
    const { owner, params, site } = await buildWorld(product);
    const gina = await buildOwner(product, 'gina');
    await addMember(params.organization_id, gina, 'owner');
    await Promise.all([remove(owner), remove(gina)]);
    await deleteMarkedOrganizations(product.services);
    expect(await rowsOf(site.id)).toEqual([]);
  });

  it('requested twice at the same moment happens once', async () => {
    const { owner } = await buildWorld(product);
    const answers = await Promise.allSettled([remove(owner), remove(owner)]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await isIn(owner)).toBe(false);
  });

  it('of an account without a password requires the username, and a log-in of the last ten minutes', async () => {
    const nora = await buildOwner(product);
    await product.testDatabase.owner.query(
      `update users set password_hash = null, google_subject = $1 where id = $1::uuid`,
      [nora.id],
    );
    const call = { ...self(nora), body: { username: nora.username } };
    await logInAgo(nora, 11);
    const refused = await product.refuse(deleteAccount, call, nora);
    expect(refused).toMatchObject({ status: 403, errors: [{ code: 'reauthentication_required' }] });
    expect(await isIn(nora)).toBe(true);
    await logInAgo(nora, 9);
    await product.call(deleteAccount, call, nora);
    expect(await isIn(nora)).toBe(false);
  });

  it('either deletes the organization or adds the invited member, when both happen at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      await product.testDatabase.owner.query('delete from rate_limits');
      const world = await buildWorld(product);
      const eve = await buildOwner(product, 'eve');
      const invitation = { email: eve.email, role: 'viewer' as const };
      await product.call(inviteMember, { params: world.params, body: invitation }, world.owner);
      const token = await invitationToken(product, eve.email);
      const body = { username: world.owner.username, password: PASSWORD };
      const [deleted, accepted] = await Promise.allSettled([
        product.call(deleteAccount, { ...self(world.owner), body }, world.owner),
        product.call(acceptInvitation, { body: { token } }, eve),
      ]);
      expect(deleted.status === accepted.status).toBe(false);
      await deleteMarkedOrganizations(product.services);
      const { organization } = await product.call(getAccount, self(eve), eve);
      expect(organization).toBe(accepted.status === 'fulfilled' ? world.params.organization_id : 'None');
    }
  });

  it('while the other owner leaves keeps one of the two', async () => {
    for (let round = 0; round < 5; round += 1) {
      await product.testDatabase.owner.query('delete from rate_limits');
      const world = await buildWorld(product);
      const eve = await buildMember(product, world, 'owner');
      const body = { username: world.owner.username, password: PASSWORD };
      const ended = await Promise.allSettled([
        product.call(deleteAccount, { ...self(world.owner), body }, world.owner),
        product.call(leaveOrganization, { params: world.params }, eve),
      ]);
      await deleteMarkedOrganizations(product.services);
      const { rows } = await product.testDatabase.owner.query(
        `select o.id, count(m.user_id)::int as members from organizations o
         left join members m on m.organization_id = o.id where o.id = $1 group by o.id`,
        [world.params.organization_id],
      );
      // Either one stayed, or both went and the organization with them.
      const hasBothGone = ended.every(({ status }) => status === 'fulfilled');
      expect(rows).toEqual(hasBothGone ? [] : [{ id: world.params.organization_id, members: 1 }]);
    }
  });
});
