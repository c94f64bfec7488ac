import lighthouse, { type Flags } from 'lighthouse';
import { expect } from 'vitest';

export interface Request {
  url: string;
  resourceType: string;
  transferSize: number;
}

export interface Measured {
  /** Where the visit ended. */
  address: string | undefined;
  /** Of each category that was asked for, from 0 to 100. */
  scores: Record<string, number>;
  /** What keeps a category below 100, with what Lighthouse found of it; within it a measure may be a hair off. */
  refused: string[];
  layoutShift: number | undefined;
  requests: Request[];
  /** How fast this machine was just then, by Lighthouse's own benchmark. */
  benchmarkIndex: number;
}

/** A fast desktop's, which Lighthouse's slowdown of 4 makes a phone of the middle (its documentation on throttling). */
const FAST_DESKTOP_INDEX = 1500;
const SLOWDOWN = 4;

/** Flags that make the same phone of a slower machine. */
export function phoneFlags({ benchmarkIndex }: Pick<Measured, 'benchmarkIndex'>): Flags {
  const cpuSlowdownMultiplier = Math.max(1, SLOWDOWN * Math.min(1, benchmarkIndex / FAST_DESKTOP_INDEX));
  return { throttling: { cpuSlowdownMultiplier } };
}

/** Chromium now and then hands over a trace without its beginning; Lighthouse then asks to be run again. */
const RUN_AGAIN = 'NO_NAVSTART';

async function lighthouseResult(url: string, flags: Flags, triesLeft = 2) {
  const result = await lighthouse(url, { logLevel: 'silent', output: 'json', ...flags });
  if (result === undefined) throw new Error(`Lighthouse gave no result for ${url}`);
  if (result.lhr.runtimeError?.code !== RUN_AGAIN || triesLeft === 0) return result;
  return lighthouseResult(url, flags, triesLeft - 1);
}

/** What Lighthouse says of an address, in the browser whose port for debugging is given. */
export async function measure(url: string, flags: Flags & { port: number }): Promise<Measured> {
  const result = await lighthouseResult(url, flags);
  const { audits, categories, environment, finalDisplayedUrl, runtimeError } = result.lhr;
  expect(runtimeError).toBeUndefined();
  const short = Object.values(categories).filter(({ score }) => hundredths(score) < 100);
  const refused = short.flatMap(({ auditRefs }) =>
    auditRefs
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
      .map(
        ({ id }) => `${id}: ${audits[id]?.displayValue ?? audits[id]?.title}${found(audits[id]?.details)}`,
      ),
  );
  const details = audits['network-requests']?.details;
  return {
    address: finalDisplayedUrl,
    scores: Object.fromEntries(
      Object.entries(categories).map(([name, { score }]) => [name, hundredths(score)]),
    ),
    refused,
    layoutShift: audits['cumulative-layout-shift']?.numericValue,
    requests: (details?.type === 'table' ? details.items : []) as unknown as Request[],
    benchmarkIndex: environment.benchmarkIndex,
  };
}

/** The rows of an audit's table, as far as one can read them in a test's report. */
function found(details: { type: string } | undefined): string {
  const rows = details && 'items' in details ? JSON.stringify(details.items) : '';
  return rows && ` ${rows.slice(0, 1000)}`;
}

const hundredths = (score: number | null) => Math.round((score ?? 0) * 100);
