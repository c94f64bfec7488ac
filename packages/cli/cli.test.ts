import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from './src/cli.ts';
import { codeOf, OutdatedPreview, requirePreviewed } from './src/confirmation.ts';
import type { Facts } from './src/facts.ts';
import { readingOnly } from './src/reading-only.ts';
import { reasonsOf } from './src/reasons.ts';
import { shellWord, tableOf } from './src/words.ts';

async function say(args: string[], env: Record<string, string> = {}) {
  const lines: string[] = [];
  const code = await main(args, env, { out: (line) => lines.push(line), err: (line) => lines.push(line) });
  return { code, text: lines.join('\n') };
}

const SITE = { SAYSO_URL: 'http://127.0.0.1:9/api/core/v1/organizations/a/sites/b', SAYSO_KEY: 'sk_a' };

describe('the command line', () => {
  it.each<[string[], Record<string, string>, RegExp]>([
    [['lists'], SITE, /^There is no command "lists"/],
    [['customers'], SITE, /^There is no command "customers"/],
    [['--json'], SITE, /^The command is missing/],
    [['evidence'], SITE, /^EMAIL is missing\. Usage: sayso evidence EMAIL$/],
    [['whoami', 'x'], SITE, /^"x" is one too many/],
    [['whoami', '--lst'], SITE, /--lst/],
    [['whoami', '--key', 'sk_a'], SITE, /^A key is never an argument/],
    [['whoami'], { SAYSO_KEY: 'sk_a' }, /^SAYSO_URL is missing/],
    [['whoami'], { SAYSO_URL: SITE.SAYSO_URL }, /^SAYSO_KEY is missing/],
    [['whoami'], { ...SITE, SAYSO_URL: 'http://127.0.0.1:9' }, /^SAYSO_URL: has no organization and site/],
  ])('rejects %j with 2 and says why', async (args, env, message) => {
    const { code, text } = await say(args, env);
    expect(code).toBe(2);
    expect(text).toMatch(message);
    expect(text).not.toContain('sk_a');
  });

  it('ends with 1 when nothing answers, and says what does not', async () => {
    const { code, text } = await say(['whoami'], SITE);
    expect(code).toBe(1);
    expect(text).toContain('No usable answer came from http://127.0.0.1:9.');
  });

  it('explains all commands, and each one', async () => {
    expect(await say(['--help'])).toMatchObject({
      code: 0,
      text: expect.stringContaining('customers show EMAIL'),
    });
    expect(await say([])).toMatchObject({ code: 2 });
    const { code, text } = await say(['unsubscribe', '--help']);
    expect(code).toBe(0);
    expect(text).toContain('Usage: sayso unsubscribe EMAIL [--list NAME] [--preview CODE] --yes');
  });

  it.each(['docs/handbook/command-line.md', 'packages/cli/README.md'])(
    'has the commands of %s',
    async (file) => {
      const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
      const commands = [...text.matchAll(/^sayso (.+)$/gm)].map(([, rest = '']) =>
        [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word),
      );
      expect(commands.length).toBeGreaterThan(5);
      for (const args of commands)
        expect(await say([...args, '--help']), args.join(' ')).toMatchObject({ code: 0 });
    },
  );

  it.each(['nora@example.com', '$(id)`id`&x@example.com', "o'neil@example.com", 'a b', ''])(
    'suggests commands in which %j is one word',
    (text) => {
      const said = execFileSync('sh', ['-c', `printf '%s|' ${shellWord(text)}`], { encoding: 'utf8' });
      expect(said).toBe(`${text}|`);
    },
  );

  it('prints nothing that moves the cursor, whatever somebody wrote', () => {
    expect(tableOf(['A', 'B'], [['\u001b[2Jx\u202e\n\u0007y', null]])).toEqual(['A    B', 'x y']);
  });
});

describe('a confirmed preview', () => {
  const content = { customer: 'c', choices: [{ lists: [['a', false]] }] };
  const at = new Date('2027-01-01T10:00:00Z');
  const later = (minutes: number) => new Date(at.getTime() + minutes * 60_000);

  it('is the one that was read, for an hour', () => {
    const code = codeOf(content, at);
    expect(shellWord(code)).toBe(code);
    requirePreviewed(code, content, at);
    requirePreviewed(code, structuredClone(content), later(60));
    expect(() => requirePreviewed(code, content, later(61))).toThrow('older than 60 minutes');
  });

  it.each([
    ['', content],
    ['x', content],
    [codeOf(content, later(30)).replace(/-.*/, codeOf(content, at).replace(/^.*-/, '-')), content],
    [codeOf(content, at), { ...content, customer: 'd' }],
    [codeOf(content, at), { ...content, choices: [{ lists: [['a', true]] }] }],
  ])('is refused with %j for %j', (code, now) => {
    expect(() => requirePreviewed(code, now, later(1))).toThrow(OutdatedPreview);
  });
});

describe('the calls that an agent may make', () => {
  const send = readingOnly(async () => Response.json({}));
  const site = 'https://app.example.com/api/core/v1/organizations/a/sites/b';

  it('are every GET, the previews, and the one that records the call', async () => {
    for (const [method, path] of [
      ['GET', '/customers'],
      ['POST', '/choice-previews'],
      ['POST', '/bulk-changes/b/undo/preview'],
      ['POST', '/agent-calls'],
    ] as const) {
      expect((await send(site + path, { method })).status).toBe(200);
    }
  });

  it.each([
    ['POST', '/customers'],
    ['PATCH', '/customers/c'],
    ['PUT', '/customers/c/lists'],
    ['DELETE', '/customers/c'],
    ['POST', '/customers/c/links'],
    ['PUT', '/choice-previews'],
    ['DELETE', '/agent-calls'],
    ['POST', '/bulk-changes/b/undo'],
    ['POST', '/bulk-changes/b/c/undo/preview'],
    ['POST', '/customers/c/agent-calls'],
    ['POST', '/customers/agent-calls'],
    ['POST', '/customers?x=/choice-previews'],
  ])('exclude %s %s', async (method, path) => {
    await expect(send(site + path, { method })).rejects.toThrow('Agents only read.');
  });
});

const WEEKLY = '0198c0de-7000-7000-8000-00000000000a';
const AT = '2026-11-25T09:30:00Z';

const delivery = (parts: object) => ({
  ...{ id: 'd1', action_id: 'a1', action_name: 'Who leaves', tool_name: 'Brevo', choice_id: 'e1' },
  ...{ event: 'global_unsubscribed', lists: [], status: 'waiting', outcome: 'on_its_way', cause: null },
  ...{ last_error: null, next_attempt_at: null, created_at: AT },
  ...parts,
});

const tool = (parts: object = {}, differences: object[] = []) => ({
  integration: { id: 'i1', name: 'Brevo', status: 'connected', status_reason: null, ...parts },
  ...{ compared_at: AT, differences, is_complete: true },
});

/** Somebody who left everything, whose tool was told so by an action. */
function facts(parts: Record<string, unknown> = {}, customer: object = {}): Facts {
  return {
    ...{ email: 'nora@example.com', similar: [], evidence: [], deliveries: [], pending: [], tools: [tool()] },
    customer: { receives: [], global_unsubscribe: true, test: false, ...customer },
    lists: [{ notification_list_id: WEEKLY, name: 'Weekly news', subscribed: false, changed_at: AT }],
    actions: [
      {
        ...{ id: 'a1', name: 'Who leaves', enabled: true, integration_id: 'i1' },
        trigger: { event: 'global_unsubscribed', list_ids: [] },
      },
    ],
    ...parts,
  } as unknown as Facts;
}

const record = (parts: object) => ({ occurred_at: AT, source: 'page', events: [], lists: [], ...parts });
const receiving = { receives: [WEEKLY], global_unsubscribe: false };
const off = { ...facts().actions[0], enabled: false };

describe('the explanation why somebody still gets email', () => {
  it.each<[string, Facts, string[]]>([
    ['nothing explains it', facts(), ['nothing_found']],
    ['nobody has the email', facts({ customer: null, similar: ['norah@example.com'] }), ['unknown_email']],
    ['they receive a list', facts({}, receiving), ['subscribed']],
    [
      'they never chose',
      facts({ lists: [{ subscribed: null }] }, { global_unsubscribe: false }),
      ['never_chose'],
    ],
    ['a change waits', facts({ deliveries: [delivery({})] }), ['on_its_way']],
    ['a change failed', facts({ deliveries: [delivery({ status: 'failed' })] }), ['not_delivered']],
    [
      'a change failed, and a later one arrived',
      facts({
        deliveries: [delivery({ status: 'arrived', outcome: 'confirmed' }), delivery({ status: 'failed' })],
      }),
      ['nothing_found'],
    ],
    [
      'a change failed, and they came back since',
      facts({ deliveries: [delivery({ status: 'failed' })] }, receiving),
      ['subscribed'],
    ],
    ['the site is in test mode', facts({ deliveries: [delivery({ outcome: 'held' })] }), ['held']],
    ['it is a test address', facts({}, { test: true }), ['test_address']],
    [
      'the tool never showed the change',
      facts({ deliveries: [delivery({ status: 'arrived', outcome: 'unconfirmed' })] }),
      ['not_confirmed'],
    ],
    [
      'the action was switched off',
      facts({ deliveries: [delivery({ status: 'failed', outcome: 'action_off' })], actions: [off] }),
      ['given_up', 'action_off'],
    ],
    [
      'the tool refuses us',
      facts({ tools: [tool({ status: 'credentials_refused' })] }),
      ['tool_not_connected'],
    ],
    [
      'the tool differs',
      facts({ tools: [tool({}, [{ kind: 'opt_out_missing', error: null }])] }),
      ['tool_differs'],
    ],
    ['no action tells the tool', facts({ actions: [] }), ['no_action']],
    ['nothing is connected', facts({ actions: [], tools: [] }), ['no_tool']],
  ])('is right when %s', (_what, given, codes) => {
    expect(reasonsOf(given).map(({ code }) => code)).toEqual(codes);
  });

  it('names both records of somebody who left and came back', () => {
    const evidence = [
      record({ id: 'back', lists: [{ list_id: WEEKLY, subscribed: true }] }),
      record({ id: 'left', source: 'one_click', events: ['global_unsubscribed'] }),
    ];
    const [found] = reasonsOf(facts({ evidence }, receiving));
    expect(found?.evidence).toEqual(['back', 'left']);
    expect(found?.says).toBe(
      'They receive "Weekly news": switched on 2026-11-25 09:30 UTC on the preference page. They had unsubscribed on 2026-11-25 09:30 UTC with one click in an email.',
    );
  });
});
