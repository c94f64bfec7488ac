import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { type Language, LANGUAGES } from '#contract/fields.ts';
import { ROUTES } from '#contract/routes.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { readHandbook } from '#server/shell/handbook/handbook.ts';
import { MAIL_STATES } from '#test/page/mails.ts';

/* What people read in English has none of the phrases that `docs/voice.md` replaces. */

const ROOT = join(import.meta.dirname, '..');

const PHRASES =
  /\bby (?:it|them)sel(?:f|ves)\b|\bmend(?:s|ed|ing)?\b|\bhears? of\b|\bis no valid\b|\bwhoever\b|\bwhat waits\b|\banew\b|\b(?:some|no)body(?:['’]s)?\b|\bare told\b|\bmail programs?\b/gi;

// Legal words, and what files and tools say.
const OPT_OUT = /\bopt-outs?\b/gi;

// “You won’t receive anything from {name} any more.” stays.
const BRITISH =
  /\b(?<!\{\{)(?:colour|behaviour|honour|neighbour|favour|cancell(?:ed|ing)|labell(?:ed|ing)|centre|practise|(?:recogn|organ|custom|anonym|summar|author|serial)is(?:e|ing|ation))\w*|\blog-ins?\b|(?<!from \{name\} )\bany more(?=[.,:])/gi;

interface Text {
  where: string;
  text: string;
}

function filesOf(pattern: string): Text[] {
  const files = globSync(pattern, { cwd: ROOT }).toSorted();
  return files.map((where) => ({ where, text: readFileSync(join(ROOT, where), 'utf8') }));
}

/** The texts themselves, without their keys. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object') return [];
  return Object.values(value ?? {}).flatMap(textsIn);
}

function textsOf(pattern: string): Text[] {
  return filesOf(pattern).map(({ where, text }) => ({ where, text: textsIn(JSON.parse(text)).join('\n') }));
}

const mails: Text[] = MAIL_STATES.filter(({ languages }) => languages.includes('en')).map(
  ({ name, write }) => {
    const { subject, text, html } = write('en');
    return { where: name, text: [subject, text, html].join('\n') };
  },
);

const handbook: Text[] = readHandbook().pages.map(({ url, markdown }) => ({ where: url, text: markdown }));

/** What a call of one of these says to people: errors, and the words beside a field of the API. */
const SAYING = ['AppError', 'ConnectorError', 'invalidField', 'describe'];

interface Syntax {
  type: string;
  name?: string;
  value?: unknown;
  callee?: Syntax;
  property?: Syntax;
  arguments?: Syntax[];
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value;
}

const partsOf = (node: Syntax): Syntax[] => Object.values(node).flat().filter(isSyntax);

/** Every text in it, of a template each piece. */
function literalsIn(node: Syntax): string[] {
  if (node.type === 'Literal' && typeof node.value === 'string') return [node.value];
  if (node.type === 'TemplateElement') return textsIn(node.value).slice(0, 1);
  return partsOf(node).flatMap(literalsIn);
}

function saidIn(node: Syntax): string[] {
  const { callee, arguments: given = [] } = node;
  if (SAYING.includes(callee?.property?.name ?? callee?.name ?? '')) return given.flatMap(literalsIn);
  return partsOf(node).flatMap(saidIn);
}

const said: Text[] = filesOf('{server,contract}/**/*.ts')
  .filter(({ where }) => !where.endsWith('.test.ts'))
  .map(({ where, text }) => ({ where, text: saidIn(parseSync(where, text).program).join('\n') }))
  .filter(({ text }) => text !== '');

const PARTS: Record<string, Text[]> = {
  'the owner app': textsOf('web/owner/locales/en/*.json'),
  'the public page': textsOf('web/page/locales/en.json'),
  'the mails': mails,
  'the handbook, with its pages about tools': handbook,
  'the API reference': [...ROUTES.values()].map(({ path, summary, description = '' }) => ({
    where: path,
    text: `${summary} ${description}`,
  })),
  'errors, and the fields of the API': said,
  'the front of the repository': filesOf(
    '{README,SECURITY,CHANGELOG,CONTRIBUTING,deploy/README,docs/comparison,docs/settings}.md',
  ),
};

describe.each(Object.entries(PARTS))('%s', (_part, texts) => {
  it.each([
    ['is in our voice', PHRASES],
    ['is spelled the US way', BRITISH],
  ])('%s', (_what, rejected) => {
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.flatMap((text) => foundIn(text, rejected))).toEqual([]);
  });

  it('says unsubscribe, except in the law and in the words of a file', () => {
    const mayOptOut = /\/(?:law|imports)$/;
    const ours = texts.filter(({ where }) => !mayOptOut.test(where));
    expect(
      ours.flatMap(({ where, text }) => foundIn({ where, text: text.replaceAll(LINK, '') }, OPT_OUT)),
    ).toEqual([]);
  });
});

const LINK = /https?:\S+/g;

function foundIn({ where, text }: Text, rejected: RegExp): string[] {
  return [...text.matchAll(rejected)].map(({ 0: phrase, index }) => {
    const around = text.slice(Math.max(0, index - 40), index + phrase.length + 40).replaceAll(/\s+/g, ' ');
    return `${where}: “${phrase}” in “${around}”`;
  });
}

/** The quotation marks of each language, where a text quotes something; an apostrophe is ’ in all of them. */
const QUOTES: Record<Language, string> = {
  en: '“”',
  de: '„“',
  es: '«»',
  fr: '«»',
  it: '«»',
  sl: '»«',
  ro: '„”',
  pl: '„”',
};

const ALL_QUOTES = /["'“”„‟‘‚‛«»‹›]/g;

/** Written so by the specification. */
const OF_THE_SPECIFICATION = [
  "'{{value}}' is an invalid domain. The domain should only contain letters, numbers, and may contain dashes between words",
  "This field can't be empty",
];

/** One by one, in the owner app and on the public page. */
function textsOfLanguage(language: Language): Text[] {
  return textsOf(`web/{owner/locales/${language}/*,page/locales/${language}}.json`).flatMap(
    ({ where, text }) => text.split('\n').map((line) => ({ where, text: line })),
  );
}

it.each(LANGUAGES)('the texts in %s use the quotation marks of the language', (language) => {
  const texts = textsOfLanguage(language);
  expect(texts.length).toBeGreaterThan(1000);
  const isForeign = ([mark]: RegExpExecArray) => !QUOTES[language].includes(mark);
  const wrong = texts.filter(
    ({ text }) => !OF_THE_SPECIFICATION.includes(text) && [...text.matchAll(ALL_QUOTES)].some(isForeign),
  );
  expect(wrong).toEqual([]);
});

it('the texts in French break no line before a punctuation mark', () => {
  expect(textsOfLanguage('fr').filter(({ text }) => /« | [»:;?!]/.test(text))).toEqual([]);
});

it('emails have typographic apostrophes and quotation marks', () => {
  const texts = MAIL_STATES.flatMap(({ name, languages, write }) =>
    languages.flatMap((language) => {
      const { subject, text } = write(language);
      return `${subject}\n${text}`.split('\n').map((line) => ({ where: `${name}, ${language}`, line }));
    }),
  );
  expect(texts.length).toBeGreaterThan(1000);
  expect(texts.filter(({ line }) => /["']/.test(line))).toEqual([]);
});

it('what owners read about a tool has typographic apostrophes and quotation marks', () => {
  const texts = CONNECTORS.flatMap(({ logo: _, ...connector }) => textsIn(connector));
  expect(texts.length).toBeGreaterThan(300);
  expect(texts.filter((text) => /["']/.test(text))).toEqual([]);
});

/** What the server writes for programs, and for owners in emails and about a tool, who read it typeset. */
const TYPESET =
  /\.test\.ts$|[-.]mails?\.ts$|\.texts\.ts$|mail-document\.ts$|proof-pdf\.ts$|shell\/handbook\/|connectors\/(?:define|[^/]+\/(?:index|people))\.ts$/;

it('messages and the reference of the API have straight apostrophes and quotation marks', () => {
  const files = filesOf('{server,contract}/**/*.ts').filter(({ where }) => !TYPESET.test(where));
  expect(files.length).toBeGreaterThan(300);
  const wrong = files.flatMap(({ where, text }) =>
    text
      .replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '')
      .split('\n')
      .filter((line) => /[‘’“”]/.test(line))
      .map((line) => `${where}: ${line.trim()}`),
  );
  expect(wrong).toEqual([]);
});
