import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTION_TYPES, type ActionType, isToolAction, TOOL_ACTIONS } from '#contract/actions.ts';
import { ERROR_STATUS } from '#contract/errors.ts';
import type { HandbookSection } from '#contract/handbook.ts';
import { API_PREFIX } from '#contract/route.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { type Addresses, type PictureSize, renderMarkdown, type Section } from './markdown.ts';
import { tableOf, toolPage, toolPageFile, toolTable } from './tool-pages.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const FOLDER = join(DOCS, 'handbook');

export const PICTURES = join(FOLDER, 'pictures');
export const HANDBOOK_PATH = '/docs';

/** A group of the table of contents. */
export interface Part {
  title: string;
  pages: Page[];
}

export interface Page {
  /** Part of its URL. */
  name: string;
  url: string;
  title: string;
  summary: string;
  html: string;
  /** Its source, with what is generated filled in; links and pictures are relative to the handbook. */
  markdown: string;
  /** Where the source is served. */
  markdownUrl: string;
  sections: Section[];
}

export interface Handbook {
  cover: Page;
  parts: Part[];
  /** In the order of the table of contents, cover first. */
  pages: Page[];
  search: HandbookSection[];
}

/** `contents.json`: the order of the pages. `tools` expands to one page per email tool. */
type Contents = { title: string; pages: string[] }[];

const COVER = 'index';

const markdownUrlOf = (name: string) => `${HANDBOOK_PATH}/${name}.md`;

const urlOf = (name: string) => (name === COVER ? HANDBOOK_PATH : `${HANDBOOK_PATH}/${name}`);

const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');

/**
 * Reads and renders the whole handbook.
 * @throws if a page refers to a missing page or picture
 */
export function readHandbook(): Handbook {
  const contents = JSON.parse(read('contents.json')) as Contents;
  const sources = new Map<string, string>([
    [COVER, read(`${COVER}.md`)],
    ...contents.flatMap(({ pages }) => pages.flatMap(sourcesOf)),
  ]);
  const addresses = addressesFor(new Set(sources.keys()));
  const pages = [...sources].map(([name, source]): Page => {
    try {
      const markdown = fillIn(source);
      const rendered = renderMarkdown(markdown, addresses);
      return { name, url: urlOf(name), markdown, markdownUrl: markdownUrlOf(name), ...rendered };
    } catch (error) {
      throw new Error(`The page "${name}" of the handbook cannot be made`, { cause: error });
    }
  });
  const byName = new Map(pages.map((page) => [page.name, page]));
  const parts = contents.map(({ title, pages: names }) => ({
    title,
    pages: names.flatMap(sourcesOf).flatMap(([name]) => byName.get(name) ?? []),
  }));
  const cover = pages[0];
  if (cover === undefined) throw new Error('The handbook has no page');
  const search = [{ title: '', pages: [cover] }, ...parts].flatMap((part) =>
    part.pages.flatMap((page) => searchOf(page, part.title)),
  );
  return { cover, parts, pages, search };
}

/** The name and Markdown of the pages of a contents entry. */
function sourcesOf(entry: string): [string, string][] {
  if (entry !== 'tools') return [[entry, read(`${entry}.md`)]];
  return CONNECTORS.map((connector) => {
    const notes = `tools/${toolPageFile(connector)}`;
    const isThere = existsSync(join(FOLDER, notes));
    return [connector.id, toolPage(connector, isThere ? read(notes) : '')];
  });
}

function addressesFor(names: ReadonlySet<string>): Addresses {
  const sizes = JSON.parse(read('pictures.json')) as Record<string, PictureSize>;
  const kept = new Set(existsSync(PICTURES) ? readdirSync(PICTURES) : []);
  return {
    page(file) {
      const name = file.replace(/\.md$/, '');
      if (!names.has(name)) throw new Error(`There is no page "${file}"`);
      return urlOf(name);
    },
    picture(path) {
      const file = path.replace(/^pictures\//, '');
      const size = sizes[file];
      if (size === undefined || !kept.has(file)) throw new Error(`There is no picture "${path}"`);
      return { ...size, url: `${HANDBOOK_PATH}/${path}` };
    },
  };
}

/** Of the actions that act on nothing an owner chose in a tool. */
const TARGETS: Partial<Record<ActionType, string>> = {
  webhook: '`{"url"}`',
  evidence: '`{"url"}` or `{"email"}`',
  global_unsubscribe: '`{}`',
  switch_email: '`{}`',
};

/** Generates what would go stale by hand: `<!-- errors -->` becomes the table of error codes. */
const GENERATED: Record<string, () => string> = {
  tools: toolTable,
  errors: () =>
    tableOf([
      ['Status', 'Code'],
      ...Object.entries(ERROR_STATUS).map(([code, status]) => [String(status), `\`${code}\``]),
    ]),
  operations: () =>
    tableOf([
      ['`type`', '`operation`', '`target`'],
      ...ACTION_TYPES.map((type) => [
        `\`${type}\``,
        isToolAction(type) ? TOOL_ACTIONS[type].operations.map((one) => `\`${one}\``).join(' or ') : '`null`',
        TARGETS[type] ?? '`{"id", "name"}`, as the tool lists them',
      ]),
    ]),
  settings: () =>
    (readFileSync(join(DOCS, 'settings.md'), 'utf8').split('\n## ', 1)[0] ?? '')
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .join('\n'),
};

function fillIn(markdown: string): string {
  return markdown.replaceAll(/^<!-- (\w+) -->$/gm, (_, name: string) => {
    const make = GENERATED[name];
    if (make === undefined) throw new Error(`Nothing is generated by the name "${name}"`);
    return make();
  });
}

function searchOf({ title, url, sections }: Page, part: string): HandbookSection[] {
  return sections
    .filter(({ heading, text }) => heading !== null || text !== '')
    .map(({ heading, text }) => ({
      url: heading === null ? url : `${url}#${heading.id}`,
      part,
      page: title,
      heading: heading?.text ?? '',
      text,
    }));
}

/** The cover as Markdown, with the contents that its HTML shows as cards. */
export function coverMarkdown({ cover, parts }: Handbook): string {
  const sections = parts.map(({ title, pages }) => {
    const links = pages.map(({ name, title: page, summary }) => `- [${page}](${name}.md): ${summary}`);
    return `## ${title}\n\n${links.join('\n')}`;
  });
  return `${[cover.markdown.trimEnd(), ...sections].join('\n\n')}\n`;
}

/** The handbook for language models, as llmstxt.org describes the file. @param appUrl where this server is reached */
export function llmsText({ cover, parts }: Handbook, appUrl: string): string {
  const linkOf = ({ title, summary, markdownUrl }: Page) =>
    `- [${title}](${appUrl}${markdownUrl}): ${summary}`;
  const sections = parts.map(({ title, pages }) =>
    [`## ${title}`, pages.map(linkOf).join('\n')].join('\n\n'),
  );
  const api = `## API\n\n- [OpenAPI document](${appUrl}${API_PREFIX}/openapi.json): every call, with its fields, errors and access`;
  return `${['# Sayso', `> ${cover.summary}`, ...sections, api].join('\n\n')}\n`;
}
