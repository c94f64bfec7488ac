import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { check } from 'recheck';
import { parseSync, Visitor } from 'vite';
import { inRoot, root } from './project.mjs';

/* Finds every regular expression of what is shipped, and those whose time grows faster than the text they read. */

/** @import { ESTree } from 'vite' */
/** @typedef {{ source: string, flags: string, where: string }} Pattern */
/** @typedef {{ code: string, where: string, file: string }} Composed */

/**
 * Patterns that are put together while the product runs, each as it may look then. All of what goes into them is escaped,
 * or comes from ourselves.
 * @type {Record<string, { code: string, like: [source: string, flags: string], because: string }[]>}
 */
const COMPOSED = {
  'contract/fields.ts': [
    {
      code: "new RegExp(UNPRINTABLE_IN_TEXT, 'gu')",
      like: ['x', 'gu'],
      because: 'the pattern itself is a literal beside it',
    },
  ],
  'packages/sdk/src/index.ts': [
    {
      code: "new RegExp( `^(?<server>.*)/api${SITE_PATH.replace('{organization_id}', '(?<organizationId>[^/]+)').replace('{site_id}', '(?<siteId>[^/]+)')}$`, )",
      like: ['^(?<server>.*)/api/organizations/(?<organizationId>[^/]+)/sites/(?<siteId>[^/]+)$', ''],
      because: 'reads the URL that the caller of the SDK set',
    },
  ],
  'packages/verify/verify.mjs': [
    {
      code: 'new RegExp(`"${name}":"?([0-9a-f-]+)"?[,}]`)',
      like: ['"customer_id":"?([0-9a-f-]+)"?[,}]', ''],
      because: 'the names are written beside it',
    },
  ],
  'server/insight/email-checks/unsubscribe-words.ts': [
    {
      code: "new RegExp(WORDS, 'iu')",
      like: ['unsubscrib|opt[ -]?out|manage (?:your )?(?:subscription|email)|meld (?:deg |meg )?av', 'iu'],
      because: 'words alone, without repetition, for a text of 2,000 characters at most',
    },
  ],
  'server/platform/raw-email/links.ts': [
    { code: "new RegExp(`</${tag}`, 'gi')", like: ['</style', 'gi'], because: 'one of a few names of tags' },
  ],
  'server/shell/api-docs/api-docs.ts': [
    {
      code: 'new RegExp(`^${pattern}$`)',
      like: ['^/api/organizations/[^/]+/sites/[^/]+/customers/[^/]+$', ''],
      because: 'the paths of our own calls',
    },
  ],
  'server/sync/reconciliation/repair.ts': [
    {
      code: "new RegExp(email.replace(/[^\\p{L}\\p{N}]/gu, '\\\\$&'), 'gi')",
      like: ['nora\\@example\\.com', 'gi'],
      because: 'an escaped address',
    },
  ],
  'server/visit/public-page/public-page.routes.ts': [
    {
      code: "new RegExp(`^(?!${escapedAppHost}$)`, 'i')",
      like: ['^(?!app\\.example\\.com$)', 'i'],
      because: 'the escaped host of the app',
    },
  ],
  'web/page/page-template.ts': [
    {
      code: "new RegExp(`(${written.join('|')})`)",
      like: ['(\\{a1\\}|\\{b2\\}|checked="")', ''],
      because: 'escaped placeholders',
    },
  ],
};

const SHIPPED = '{contract,server,packages,web/*}/**/*.{ts,tsx,mjs}';
const isShipped = (/** @type {string} */ file) =>
  !/\.test\.tsx?$|(^|\/)(node_modules|dist)\//.test(file) && !file.endsWith('.d.ts');

const CACHE = inRoot('node_modules/.cache/sayso-patterns.json');
const { version } = JSON.parse(readFileSync(inRoot('node_modules/recheck/package.json'), 'utf8'));

/** Half of what it takes by default: it finds the same in half the time. A busy machine has its time. */
const EFFORT = { maxIteration: 5, incubationTimeout: 100, attackTimeout: 500, timeout: 120_000 };

/** What it finds counts once the text takes V8 itself so much CPU time: much of it V8 reads in no time. */
const BUSY_MS = 100;
/** When V8 is stopped: a busy machine gives it little of that time. */
const STOPPED_AFTER_MS = 2000;

/**
 * The regular expressions of a file: those written down, and those put together.
 * @param {string} file
 * @param {string} source
 */
export function patternsIn(file, source) {
  /** @type {Pattern[]} */
  const patterns = [];
  /** @type {Composed[]} */
  const composed = [];
  const whereOf = (/** @type {number} */ start) => `${file}:${source.slice(0, start).split('\n').length}`;
  /** @param {ESTree.NewExpression | ESTree.CallExpression} node */
  const onCall = (node) => {
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return;
    const where = whereOf(node.start);
    const [pattern, flags] = node.arguments.map(textOf);
    if (typeof pattern === 'string' && flags !== null)
      patterns.push({ source: pattern, flags: flags ?? '', where });
    else composed.push({ code: source.slice(node.start, node.end).replace(/\s+/g, ' '), where, file });
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node)
        patterns.push({ source: node.regex.pattern, flags: node.regex.flags, where: whereOf(node.start) });
    },
    NewExpression: onCall,
    CallExpression: onCall,
  }).visit(parseSync(file, source).program);
  return { patterns, composed };
}

/**
 * @param {ESTree.Argument} argument
 * @returns {string | null} null: it isn't written out
 */
const textOf = (argument) =>
  argument.type === 'Literal' && typeof argument.value === 'string' ? argument.value : null;

/**
 * @param {Omit<Pattern, 'where'>} pattern
 * @returns {Promise<string | null>} what is wrong with it
 */
export async function faultOf({ source, flags }) {
  const found = await check(source, flags, EFFORT);
  if (found.status === 'safe') return null;
  if (found.status === 'vulnerable' && !isBusy({ source, flags }, found.attack.string)) return null;
  return found.status === 'vulnerable'
    ? `takes ${found.complexity.summary} time, such as for ${found.attack.pattern}`
    : `can't be judged: ${JSON.stringify(found.error)}`;
}

/**
 * @param {Omit<Pattern, 'where'>} pattern
 * @param {string} text
 */
function isBusy(pattern, text) {
  const before = process.cpuUsage();
  try {
    runInNewContext(
      'new RegExp(source, flags).exec(text)',
      { ...pattern, text },
      { timeout: STOPPED_AFTER_MS },
    );
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  return process.cpuUsage(before).user / 1000 > BUSY_MS;
}

/** @returns {Promise<string[]>} a line for each fault */
export async function faultsOfPatterns() {
  const files = globSync(SHIPPED, { cwd: root }).filter(isShipped).toSorted();
  const found = files.map((file) => patternsIn(file, readFileSync(inRoot(file), 'utf8')));
  const composed = found.flatMap((one) => one.composed);
  const written = found.flatMap((one) => one.patterns);
  return [...faultsOfList(composed), ...(await slow([...written, ...likenesses()]))];
}

function likenesses() {
  return Object.entries(COMPOSED).flatMap(([file, all]) =>
    all.map(({ like: [source, flags] }) => ({ source, flags, where: file })),
  );
}

/** @param {Composed[]} composed */
function faultsOfList(composed) {
  const isListed = (/** @type {Composed} */ { file, code }) =>
    COMPOSED[file]?.some((one) => one.code === code);
  const isThere = (/** @type {string} */ file, /** @type {string} */ code) =>
    composed.some((one) => one.file === file && one.code === code);
  return [
    ...composed
      .filter((one) => !isListed(one))
      .map(
        ({ where, code }) => `${where}: ${code} is put together, and not in COMPOSED of scripts/patterns.mjs`,
      ),
    ...Object.entries(COMPOSED).flatMap(([file, all]) =>
      all
        .filter(({ code }) => !isThere(file, code))
        .map(({ code }) => `${file}: ${code} is listed, and gone`),
    ),
  ];
}

const spellingOf = (/** @type {Pattern} */ { source, flags }) => `/${source}/${flags}`;

const keyOf = (/** @type {Pattern} */ pattern) =>
  createHash('sha256')
    .update(JSON.stringify([version, EFFORT, spellingOf(pattern)]))
    .digest('base64url');

/** @param {Pattern[]} patterns */
async function slow(patterns) {
  /** @type {Record<string, string | null>} */
  const known = existsSync(CACHE) ? JSON.parse(readFileSync(CACHE, 'utf8')) : {};
  /** @type {typeof known} */
  const now = {};
  for (const pattern of patterns) {
    const key = keyOf(pattern);
    if (!(key in now)) now[key] = known[key] === undefined ? await faultOf(pattern) : known[key];
  }
  mkdirSync(inRoot('node_modules/.cache'), { recursive: true });
  writeFileSync(CACHE, JSON.stringify(now));
  return patterns.flatMap((pattern) => {
    const fault = now[keyOf(pattern)];
    return fault === null ? [] : [`${pattern.where}: ${spellingOf(pattern)} ${fault}`];
  });
}
