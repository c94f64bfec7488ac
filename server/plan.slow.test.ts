import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { getAccount } from '#contract/accounts.ts';
import { getOrganization } from '#contract/organizations.ts';
import { runProgram } from '#test/harness/commands.ts';
import { buildMember } from '#test/harness/members.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner, buildWorld, type Owner, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

/** `npm run plan -- ...`, beside the product that is running. */
async function plan(...args: string[]): Promise<{ code: number | null; said: string }> {
  const { code, output } = await runProgram(['server/plan.ts', ...args], {
    DATABASE_URL: product.testDatabase.ownerUrl,
    SECRET_KEY: inject('secretKey'),
  });
  return { code, said: output.trim() };
}

const groupsOf = async (owner: Owner) =>
  (await product.call(getAccount, { params: { id: owner.id } }, owner)).groups;

const organization = () =>
  product.call(getOrganization, { params: { id: world.params.organization_id } }, world.owner);

// Each command is a process of its own, which takes its time on a busy machine.
describe('npm run plan', { timeout: 120_000 }, () => {
  it('gives an owner the group, and the organization its subscription and validity; and reverts both', async () => {
    const { owner } = world;
    const { code, said } = await plan(owner.email.toUpperCase(), 'appsumo_tier3', '2031-01-31');
    expect(code, said).toBe(0);
    expect(said).toBe(
      `${owner.email} has Titan (Tier 3) (appsumo_tier3). ${(await organization()).name}: Titan (Tier 3), valid until 2031-01-31.`,
    );
    expect(await groupsOf(owner)).toEqual(['appsumo_tier3']);
    expect(await organization()).toMatchObject({
      subscription: 'Titan (Tier 3)',
      valid_until: '2031-01-31T23:59:59.000Z',
      is_valid: true,
    });

    expect((await plan()).said).toContain(`${owner.email} has Titan (Tier 3)`);
    expect((await plan(owner.email, 'appsumo_tier5', '2020-01-31')).said).toContain('(expired)');
    expect(await organization()).toMatchObject({ subscription: 'Omega Prime (Tier 5)', is_valid: false });

    expect((await plan(owner.email, 'none')).said).toContain('has no plan');
    expect(await groupsOf(owner)).toEqual([]);
    expect(await organization()).toMatchObject({ subscription: null, valid_until: null, is_valid: true });
  });

  it('does not change the subscription when a member who is not an owner gets a plan, nor other groups', async () => {
    const member = await buildMember(product, world, 'editor');
    await product.testDatabase.owner.query(`update users set plan_groups = '{beta}' where id = $1`, [
      member.id,
    ]);
    const { said } = await plan(member.email, 'appsumo_tier1');
    expect(said).toContain('stays the same');
    expect(await groupsOf(member)).toEqual(['appsumo_tier1', 'beta']);
    expect(await organization()).toMatchObject({ subscription: null });
  });

  it('reports that an account without an organization has no subscription yet', async () => {
    const newcomer = await buildOwner(product);
    expect((await plan(newcomer.email, 'appsumo_tier2')).said).toContain('no organization yet');
    expect(await groupsOf(newcomer)).toEqual(['appsumo_tier2']);
  });

  it.each([
    ['an unknown account', ['nobody@example.com', 'appsumo_tier1'], 'EMAIL: no account uses'],
    ['an unknown plan', ['OWNER', 'tier1'], 'appsumo_tier1 (Hatchling (Tier 1))'],
    ['a day that is none', ['OWNER', 'appsumo_tier1', '2031-02-30'], 'Write it like 2027-12-31'],
    ['a day in another form', ['OWNER', 'appsumo_tier1', '31.1.2031'], 'Write it like 2027-12-31'],
    ['an end of no plan', ['OWNER', 'none', '2031-01-31'], 'Leave it out'],
    ['a word too many', ['OWNER', 'appsumo_tier1', '2031-01-31', 'x'], 'npm run plan --'],
  ])('refuses %s with a sentence, and changes nothing', async (_, args, sentence) => {
    const before = { groups: await groupsOf(world.owner), organization: await organization() };
    const { code, said } = await plan(...args.map((one) => (one === 'OWNER' ? world.owner.email : one)));
    expect(code).toBe(1);
    expect(said).toContain(sentence);
    expect(said).not.toContain(' at ');
    expect({ groups: await groupsOf(world.owner), organization: await organization() }).toEqual(before);
  });
});
