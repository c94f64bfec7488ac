import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MachineSign, Verdict } from '#contract/judgements.ts';
import { judgeChoices, RULES, type VisitorChoice } from './judge.ts';
import { MACHINES_WITHIN_MS, unsubscribeLog } from '#test/harness/unsubscribe-log.ts';
import { isOutdated, isScript } from './user-agents.ts';

const SENT_MS = Date.UTC(2026, 10, 24, 9);
const chrome = (version: number, system = 'Windows NT 10.0; Win64; x64') =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;
const TODAYS = chrome(154);
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1';

let made = 0;

/** An unsubscribe link pressed by a person on their own, but for what is said otherwise. */
function choice(differing: Partial<VisitorChoice> = {}): VisitorChoice {
  made += 1;
  return {
    id: `choice ${made}`,
    customerId: `customer ${made}`,
    source: 'leave_link',
    atMs: SENT_MS + made * 3_600_000,
    network: `81.2.${made % 250}.0`,
    userAgent: TODAYS,
    link: 'leave_link',
    requestedAtMs: null,
    isLinkOfSameDay: null,
    isLinkChanged: false,
    ...differing,
  };
}

const verdictsOf = (choices: readonly VisitorChoice[]) => {
  const judged = judgeChoices(choices, new Set(choices.map(({ id }) => id)));
  return choices.map(({ id }) => judged.get(id));
};

const judge = (own: VisitorChoice, ...around: VisitorChoice[]) => verdictsOf([own, ...around])[0];

describe('one choice', () => {
  it('is likely a person, unless something speaks against it', () => {
    expect(judge(choice())).toEqual({ verdict: 'likely_person', confidence: 10, reasons: [] });
  });

  it.each<[string, Partial<VisitorChoice>, Verdict, MachineSign[]]>([
    ['a script', { userAgent: 'python-requests/2.32.3' }, 'likely_machine', ['script_user_agent']],
    ['changed parameters', { isLinkChanged: true }, 'likely_machine', ['changed_link']],
    ['an outdated browser', { userAgent: chrome(96) }, 'unclear', ['outdated_user_agent']],
    [
      'an outdated browser on the day of the link',
      { userAgent: chrome(96), isLinkOfSameDay: true },
      'unclear',
      ['outdated_user_agent', 'link_of_same_day'],
    ],
    ['only the day of the link', { isLinkOfSameDay: true }, 'likely_person', ['link_of_same_day']],
    [
      'a confirmation within seconds',
      { source: 'confirm_link', atMs: SENT_MS + 4000, requestedAtMs: SENT_MS },
      'likely_person',
      ['confirmed_at_once'],
    ],
  ])('%s', (_what, differing, verdict, reasons) => {
    expect(judge(choice(differing))).toMatchObject({ verdict, reasons });
  });

  it.each<[string, Partial<VisitorChoice>]>([
    ['no user agent, or an erased customer', { userAgent: null }],
    ['no IP address', { network: null }],
    ['an address that a proxy hides', { network: '10.0.0.0' }],
    ['neither, by one-click', { source: 'one_click', network: null, userAgent: null }],
  ])('with too little recorded is unknown, and never a person: %s', (_what, differing) => {
    expect(judge(choice(differing))).toEqual({ verdict: 'unknown', confidence: null, reasons: [] });
  });

  it('by one-click comes from a mail provider’s program, which proves nothing', () => {
    const atMs = SENT_MS;
    const sent = {
      source: 'one_click',
      userAgent: 'Go-http-client/2.0',
      network: '74.125.1.0',
      atMs,
    } as const;
    const others = Array.from({ length: 9 }, () => choice(sent));
    expect(judge(choice(sent), ...others)).toEqual({ verdict: 'likely_person', confidence: 10, reasons: [] });
  });
});

describe('several choices', () => {
  const at = (seconds: number) => SENT_MS + seconds * 1000;

  it('from three customers in one network within 10 seconds are likely by a machine', () => {
    const network = '40.107.218.0';
    const [one, two, three] = [0, 4, 8].map((seconds) => choice({ network, atMs: at(seconds) }));
    if (!one || !two || !three) throw new Error('There are three');
    expect(judge(one, two, three)).toMatchObject({
      verdict: 'likely_machine',
      reasons: ['many_people_from_network'],
    });
    expect(judge(one, two)?.verdict).toBe('likely_person');
    expect(judge(one, two, { ...three, atMs: at(30) })?.verdict).toBe('likely_person');
    expect(judge(one, two, { ...three, network: '40.107.219.0' })?.verdict).toBe('likely_person');
  });

  it('from five customers in one network within a minute are likely by a machine', () => {
    const choices = [0, 14, 28, 42, 56].map((seconds) =>
      choice({ network: '2001:db8:7::', atMs: at(seconds) }),
    );
    expect(verdictsOf(choices).map((one) => one?.verdict)).toEqual(Array(5).fill('likely_machine'));
    expect(verdictsOf(choices.slice(1)).map((one) => one?.verdict)).toEqual(Array(4).fill('likely_person'));
  });

  it('through three links of one email are likely by a machine, but not with three switches of a page', () => {
    const links = ['leave_link weekly', 'leave_link offers', 'page'];
    const pressed = (link: string) => choice({ customerId: 'vera', network: '81.2.69.0', link, atMs: at(3) });
    expect(judge(pressed('leave_link'), ...links.map(pressed))?.reasons).toEqual([
      'every_link_within_seconds',
      'several_in_a_second',
    ]);
    expect(judge(pressed('page'), pressed('page'), pressed('page'))?.reasons).toEqual([]);
  });

  it('in one second from one network, with an outdated browser, are likely by a machine', () => {
    const own = { network: '40.107.218.0', userAgent: chrome(57, 'Windows NT 6.1; Win64; x64') };
    const pair = [choice({ ...own, atMs: at(1) }), choice({ ...own, atMs: at(1.6) })];
    expect(verdictsOf(pair)[1]).toEqual({
      verdict: 'likely_machine',
      confidence: 70,
      reasons: ['outdated_user_agent', 'several_in_a_second'],
    });
  });

  it('with one outdated browser from several networks are likely by a machine', () => {
    const choices = [1, 20, 40].map((seconds) => choice({ userAgent: chrome(79), atMs: at(seconds) }));
    expect(verdictsOf(choices)[0]).toMatchObject({
      verdict: 'likely_machine',
      reasons: ['outdated_user_agent', 'same_outdated_user_agent'],
    });
    const todays = choices.map((one) => ({ ...one, userAgent: TODAYS }));
    expect(verdictsOf(todays)[0]?.verdict).toBe('likely_person');
  });

  it('of one customer from two networks and browsers are both unclear', () => {
    const mac = choice({ customerId: 'ana', userAgent: PHONE, atMs: at(0) });
    const second = choice({ customerId: 'ana', atMs: at(12) });
    expect(verdictsOf([mac, second]).map((one) => one?.verdict)).toEqual(['unclear', 'unclear']);
  });
});

function log(): { choices: VisitorChoice[]; people: Set<string> } {
  const logged = unsubscribeLog();
  const choices = logged.map(({ afterMs, customer, source, list, network, ...own }): VisitorChoice => ({
    ...choice(),
    customerId: customer,
    source,
    atMs: SENT_MS + afterMs,
    network: `${network}.0`,
    userAgent: own.userAgent,
    link: source === 'page' ? 'page' : `${source} ${list}`,
    isLinkOfSameDay: own.isLinkOfSameDay,
    isLinkChanged: own.isLinkChanged,
  }));
  const byMachines = logged.filter(({ isPerson }) => !isPerson);
  expect(byMachines.every(({ afterMs }) => afterMs >= 0 && afterMs < MACHINES_WITHIN_MS)).toBe(true);
  return {
    choices,
    people: new Set(choices.flatMap(({ id }, at) => (logged[at]?.isPerson === true ? [id] : []))),
  };
}

it('a log of 497 unsubscribes, 489 of them by machines, is judged to contain 8 ± 1 people', () => {
  const { choices, people } = log();
  expect([choices.length, people.size]).toEqual([497, 8]);
  const judged = judgeChoices(choices, new Set(choices.map(({ id }) => id)));
  const idsOf = (verdict: Verdict) =>
    choices.flatMap(({ id }) => (judged.get(id)?.verdict === verdict ? [id] : []));
  const called = idsOf('likely_person');
  expect(called.length).toBeGreaterThanOrEqual(7);
  expect(called.length).toBeLessThanOrEqual(9);
  expect(called.filter((id) => !people.has(id))).toHaveLength(1);
  expect(idsOf('likely_machine').filter((id) => people.has(id))).toEqual([]);
  expect(idsOf('likely_machine')).toHaveLength(488);
});

it('a judgment depends only on the choices, not on their order', () => {
  const { choices } = log();
  const all = new Set(choices.map(({ id }) => id));
  const backwards = judgeChoices(choices.toReversed(), all);
  expect(backwards).toEqual(judgeChoices(choices, all));
});

it.each([
  ['curl/8.7.1', true],
  ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', true],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/154.0.0.0', true],
  [TODAYS, false],
  [PHONE, false],
  ['Mozilla/5.0 (Linux; Android 12; CUBOT X30) AppleWebKit/537.36 Chrome/154.0.0.0 Mobile', false],
])('scripts are told from browsers: %s', (agent, is) => {
  expect(isScript(agent)).toBe(is);
});

it.each([
  [chrome(128), true],
  [chrome(140), false],
  [chrome(154, 'Windows NT 6.3'), true],
  ['Mozilla/5.0 (Linux; Android 9; SM-T510) AppleWebKit/537.36 Chrome/88.0.4324.93 Safari/537.36', false],
  [PHONE, false],
])('a browser is as old as it was when it was used: %s', (agent, is) => {
  expect(isOutdated(agent, SENT_MS)).toBe(is);
  expect(isOutdated(chrome(96), Date.UTC(2022, 3, 22))).toBe(false);
});

it('the handbook lists each rule with its points and its source', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/handbook/machines.md'), 'utf8');
  for (const [sign, { points, source }] of Object.entries(RULES)) {
    const row = page.split('\n').find((line) => line.includes(`\`${sign}\``)) ?? '';
    expect(row, sign).toContain(`| ${points} |`);
    expect(row, sign).toContain(`(${source})`);
  }
});
