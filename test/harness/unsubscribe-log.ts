import type { LeaveReason } from '#contract/choices.ts';

/** One unsubscribe after a mailing, as a log has it: when, through what, from where, with which browser. */
export interface LoggedLeave {
  /** After the mailing. */
  afterMs: number;
  customer: string;
  source: 'leave_link' | 'one_click' | 'page';
  /** Which of the three lists it leaves. */
  list: 'weekly' | 'offers' | 'events';
  /** The first three parts of the IP address. */
  network: string;
  userAgent: string | null;
  /** The link was made on the day of the mailing, not before. */
  isLinkOfSameDay: boolean;
  /** A parameter of the link was scrambled. */
  isLinkChanged: boolean;
  isPerson: boolean;
  /** Given on the page that follows. */
  reason: LeaveReason | null;
}

/** Machines are done by then. */
export const MACHINES_WITHIN_MS = 120_000;

const chrome = (version: number, system = 'Windows NT 10.0; Win64; x64') =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;

/* Neither of them says how old it is, so that they don't age with the day of a test. */
const TODAYS =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15';
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1';

/**
 * 497 unsubscribes after one mailing, as people describe their logs (the sources are in the rule table of
 * `audience/machines/judge.ts`): 489 of them by machines, within two minutes, and 8 by people. Written from these
 * descriptions; no published log has what it would take.
 */
export function unsubscribeLog(): LoggedLeave[] {
  const log: LoggedLeave[] = [];

  function add(afterMs: number, differing: Partial<LoggedLeave> = {}): void {
    log.push({
      afterMs,
      customer: `customer ${log.length}`,
      source: 'leave_link',
      list: 'weekly',
      network: `81.2.${log.length % 250}`,
      userAgent: TODAYS,
      isLinkOfSameDay: false,
      isLinkChanged: false,
      isPerson: false,
      reason: null,
      ...differing,
    });
  }

  // A gateway presses the links of its mailboxes in order, four a second, with the browser of years ago.
  for (let n = 0; n < 240; n += 1) {
    add(n * 250, { network: `40.107.${218 + (n % 3)}`, userAgent: chrome([79, 80, 96][n % 3] ?? 96) });
  }
  // Another one looks like today's browser, and comes in bursts.
  for (let burst = 0; burst < 15; burst += 1) {
    for (let n = 0; n < 8; n += 1) add(burst * 7900 + n * 900, { network: `52.102.${burst}` });
  }
  // Scripts press whatever there is, also the first reason that they are offered.
  for (let n = 0; n < 40; n += 1) {
    const userAgent = n % 2 === 0 ? 'python-requests/2.31.0' : 'Go-http-client/1.1';
    add(n * 2990, { userAgent, reason: 'too_many' });
  }
  // Every link of one email, in today's browser.
  for (let mail = 0; mail < 20; mail += 1) {
    const own = { customer: `mail ${mail}`, network: `104.47.${mail}` };
    add(mail * 5900 + 400, { ...own, source: 'page', list: 'events' });
    for (const list of ['weekly', 'offers'] as const) add(mail * 5900 + 1700, { ...own, list });
  }
  // Two requests in one second, by Windows 7.
  for (let pair = 0; pair < 8; pair += 1) {
    for (const ms of [0, 400]) {
      const own = { network: `20.190.${pair}`, userAgent: chrome(57, 'Windows NT 6.1; WOW64') };
      add(pair * 14_000 + ms, own);
    }
  }
  for (let n = 0; n < 12; n += 1) add(n * 9500, { isLinkChanged: true });
  // One that nothing tells from a person.
  add(MACHINES_WITHIN_MS - 1000);

  const byPerson = (afterMs: number, differing: Partial<LoggedLeave> = {}) =>
    add(afterMs, { isPerson: true, ...differing });
  byPerson(41_000, { userAgent: PHONE, reason: 'too_many' });
  byPerson(97_000, { isLinkOfSameDay: true, reason: 'not_relevant' });
  byPerson(118_500, { source: 'one_click', userAgent: null, network: '74.125.9' });
  byPerson(110_000, { source: 'page', reason: 'not_relevant' });
  byPerson(600_000, { userAgent: PHONE });
  byPerson(5_400_000);
  byPerson(90_000_000, { source: 'page', userAgent: PHONE });
  // Somebody whose computer is old: not called a machine, but not surely a person either.
  byPerson(7_200_000, { userAgent: chrome(109, 'Windows NT 6.1; Win64; x64'), reason: 'not_relevant' });
  return log;
}
