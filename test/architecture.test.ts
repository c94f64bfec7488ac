import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONNECTORS } from '#server/connectors/index.ts';

const ROOT = join(import.meta.dirname, '..');

/** Of the server, from the top. A module is a folder in one of them, and imports from its own layer or below. */
const LAYERS = [
  'shell',
  'insight',
  'visit',
  'sync',
  'choices',
  'delivery',
  'pages',
  'audience',
  'tools',
  'accounts',
];

/** From the top: what puts the layers together, the layers, and what they stand on. */
const ORDER = ['', ...LAYERS, 'connectors', 'platform'];

interface Source {
  file: string;
  text: string;
  /** Files of the project that it imports, from the root. */
  imports: string[];
}

function sourcesOf(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => {
      const file = join(folder, name);
      const text = readFileSync(join(ROOT, file), 'utf8');
      return { file, text, imports: importsOf(file, text) };
    });
}

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import\(|^import) ?'([^']+)'/gm)].flatMap(([, target = '']) => {
    if (target.startsWith('#')) return [target.slice(1)];
    if (target.startsWith('.')) return [relative(ROOT, join(ROOT, dirname(file), target))];
    return [];
  });
}

const sources = ['contract', 'server', 'web', 'db'].flatMap(sourcesOf);

/** The layer of a file of the server; empty for what puts the layers together, null for other parts of the project. */
function layerOf(file: string): string | null {
  const [part, folder = ''] = file.split('/');
  if (part !== 'server') return null;
  return ORDER.includes(folder) ? folder : '';
}

function moduleOf(file: string): string {
  return file.split('/').slice(1, 3).join('/');
}

type Imports = Pick<Source, 'file' | 'imports'>;

/** Imports between files of the server that `isWrong` about their layers. */
function importsWhere(
  files: readonly Imports[],
  isWrong: (layer: string, targetLayer: string, target: string) => boolean,
): string[] {
  return files.flatMap(({ file, imports }) => {
    const layer = layerOf(file);
    return imports
      .filter((target) => {
        const targetLayer = layerOf(target);
        return layer !== null && targetLayer !== null && isWrong(layer, targetLayer, target);
      })
      .map((target) => `${file} imports ${target}`);
  });
}

function importsUpwards(files: readonly Imports[]): string[] {
  return importsWhere(files, (layer, target) => ORDER.indexOf(target) < ORDER.indexOf(layer));
}

function foreignStatements(files: readonly Imports[]): string[] {
  return importsWhere(
    files,
    (layer, targetLayer, target) => target.endsWith('.sql.ts') && targetLayer !== layer,
  );
}

/** Modules that come back to themselves by imports, each way as it is found first. */
function circles(files: readonly Imports[]): string[] {
  const known = new Map<string, Set<string>>();
  for (const { file, imports } of files) {
    if (!LAYERS.includes(layerOf(file) ?? '')) continue;
    const from = moduleOf(file);
    const targets = imports.filter((target) => LAYERS.includes(layerOf(target) ?? '')).map(moduleOf);
    const others = targets.filter((target) => target !== from);
    known.set(from, new Set([...(known.get(from) ?? []), ...others]));
  }
  const found: string[] = [];
  const done = new Set<string>();
  function follow(module: string, way: readonly string[]): void {
    if (way.includes(module)) found.push([...way.slice(way.indexOf(module)), module].join(' → '));
    if (way.includes(module) || done.has(module)) return;
    for (const next of known.get(module) ?? []) follow(next, [...way, module]);
    done.add(module);
  }
  for (const module of known.keys()) follow(module, []);
  return found;
}

/** Imports that leave these folders, out of the files of one folder. */
function strays(folder: string, allowed: string[], exceptions: Record<string, string[]> = {}): string[] {
  return sources
    .filter((source) => source.file.startsWith(folder))
    .flatMap((source) =>
      source.imports
        .filter((target) => !allowed.some((one) => target.startsWith(one)))
        .filter((target) => !(exceptions[source.file] ?? []).includes(target))
        .map((target) => `${source.file} imports ${target}`),
    );
}

describe('imports go one way', () => {
  it('the contract imports nothing but itself', () => {
    expect(strays('contract/', ['contract/'])).toEqual([]);
  });

  it('the platform imports no domain module: only the contract, itself, and the types of the tables', () => {
    expect(
      strays('server/platform/', ['contract/', 'server/platform/', 'db/tables.ts', 'db/migrations/']),
    ).toEqual([]);
  });

  it('connectors import the platform, not the layers above them', () => {
    expect(strays('server/connectors/', ['contract/', 'server/platform/', 'server/connectors/'])).toEqual([]);
  });

  it('layers import the contract, the server and the page that they render', () => {
    const known = ['contract/', 'server/', 'db/tables.ts', 'web/page/'];
    expect(LAYERS.flatMap((layer) => strays(`server/${layer}/`, known))).toEqual([]);
  });

  it('a module imports from its own layer or below, types included', () => {
    expect(importsUpwards(sources)).toEqual([]);
  });

  it('no layer imports another one’s statements', () => {
    expect(foreignStatements(sources)).toEqual([]);
  });

  it('no modules form a cycle', () => {
    expect(circles(sources)).toEqual([]);
  });

  it('every file of a layer is in a module, and every layer has some', () => {
    const files = sources.filter(({ file }) => LAYERS.includes(layerOf(file) ?? ''));
    expect(files.filter(({ file }) => file.split('/').length !== 4).map(({ file }) => file)).toEqual([]);
    expect([...new Set(files.map(({ file }) => layerOf(file)))].toSorted()).toEqual(LAYERS.toSorted());
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(1000);
  });

  it('an import in the wrong direction would be found, even one of only a type', () => {
    const file = 'server/accounts/sites/sites.ts';
    const text = `import type { Visit } from '#server/visit/customers/change-customers.ts';
import {
  allLists,
} from '#server/audience/lists/lists.sql.ts';
const later = await import('#server/accounts/domains/domains.ts');
import '../../product.ts';`;
    const made = { file, imports: importsOf(file, text) };
    expect(importsUpwards([made])).toEqual([
      `${file} imports server/visit/customers/change-customers.ts`,
      `${file} imports server/audience/lists/lists.sql.ts`,
      `${file} imports server/product.ts`,
    ]);
    expect(foreignStatements([made])).toEqual([`${file} imports server/audience/lists/lists.sql.ts`]);
    expect(circles([...sources, made])).not.toEqual([]);
    const back = {
      file: 'server/accounts/domains/domains.ts',
      imports: ['server/accounts/domains/domains.sql.ts', 'server/accounts/sites/hosts.ts'],
    };
    expect(circles([made, back])).toEqual(['accounts/sites → accounts/domains → accounts/sites']);
  });

  it('the web imports the contract and itself, never the server', () => {
    expect(strays('web/', ['contract/', 'web/'])).toEqual([]);
    expect(strays('web/ui/', ['contract/', 'web/ui/'])).toEqual([]);
  });

  it('production code imports no test code: the fakes of dev and demo are a process of their own', () => {
    const strangers = sources.filter(({ imports }) => imports.some((target) => target.startsWith('test/')));
    expect(strangers.map(({ file }) => file)).toEqual([]);
  });

  it('an email tool is named only in its own folder and in one line of the registry', () => {
    const folders = CONNECTORS.map(({ id }) => `server/connectors/${id}/`);
    const importers = sources.filter(({ imports }) =>
      imports.some((target) => folders.some((folder) => target.startsWith(folder))),
    );
    const others = importers.filter(({ file }) => !folders.some((folder) => file.startsWith(folder)));
    expect(others.map(({ file }) => file)).toEqual(['server/connectors/index.ts']);
    const names = new RegExp(
      `'(?:${CONNECTORS.flatMap(({ id, name, envName }) => [id, name, envName]).join('|')})'`,
    );
    const knowing = sources.filter(
      ({ file, text }) =>
        /^(?:contract|server|web)\//.test(file) && !file.startsWith('server/connectors/') && names.test(text),
    );
    // The survey asks which tools somebody uses, in the words of the specification. Exports are files of tools that nobody
    // connects, too.
    expect(knowing.map(({ file }) => file)).toEqual([
      'contract/survey.ts',
      'server/sync/imports/export-formats.ts',
    ]);
  });

  it('migrations import no code that changes', () => {
    expect(strays('db/migrations/', ['db/migrations/', 'db/tenant-table.ts'])).toEqual([]);
  });
});

/** Who may name a table of those that come before any tenant, and that no row-level security guards. */
const GLOBAL_TABLES: Record<string, string[]> = {
  users: [
    'accounts/users/users.sql.ts',
    'accounts/sessions/sessions.ts',
    'accounts/organizations/members.sql.ts',
    'accounts/members/invitations.sql.ts',
  ],
  password_links: ['accounts/users/users.sql.ts'],
  account_links: ['accounts/accounts/account-links.sql.ts'],
  sessions: ['accounts/sessions/sessions.ts'],
  refresh_tokens: ['accounts/sessions/sessions.ts'],
  totp_factors: ['accounts/second-factors/second-factors.sql.ts'],
  passkeys: ['accounts/second-factors/second-factors.sql.ts'],
  recovery_codes: ['accounts/second-factors/second-factors.sql.ts'],
  used_tickets: ['accounts/second-factors/second-factors.sql.ts'],
  avatars: ['accounts/accounts/avatars.sql.ts'],
  surveys: ['accounts/survey/survey.sql.ts', 'accounts/survey/survey.routes.ts'],
  organizations: [
    'accounts/organizations/organizations.ts',
    'accounts/organizations/organization-deletion.sql.ts',
    'accounts/sites/hosts.sql.ts',
    'accounts/members/invitations.sql.ts',
    'accounts/accounts/accounts.ts',
    'accounts/second-factors/second-factor-rule.sql.ts',
  ],
  members: ['accounts/organizations/members.sql.ts', 'accounts/second-factors/second-factor-rule.sql.ts'],
  invitations: ['accounts/members/invitations.sql.ts'],
  sites: ['accounts/sites/sites.sql.ts'],
  abuse_reports: ['accounts/abuse-reports/abuse-reports.sql.ts'],
  evidence_check_tasks: ['audience/evidence-checks/evidence-checks.sql.ts'],
  evidence_anchors: ['audience/evidence-heads/evidence-heads.sql.ts'],
  evidence_keys: ['audience/evidence-heads/evidence-keys.sql.ts'],
  evidence_key_endorsements: ['audience/evidence-heads/evidence-keys.sql.ts'],
  retention_tasks: ['delivery/retention/retention.sql.ts'],
  host_names: ['accounts/sites/sites.sql.ts', 'accounts/sites/hosts.sql.ts'],
  host_name_owners: ['accounts/sites/hosts.sql.ts'],
  site_domains: ['accounts/domains/domains.sql.ts', 'accounts/sites/sites.sql.ts'],
  tool_rate_limits: ['tools/clients/rate-limit.sql.ts'],
  scheduled_tasks: ['tools/schedule/scheduled-tasks.sql.ts'],
  outbox_emails: ['shell/system/outbox.routes.ts'],
};

const TABLE_USE = /(?:selectFrom|insertInto|updateTable|deleteFrom|innerJoin|leftJoin)\(\s*'(\w+)/g;

describe('statements', () => {
  const uses = sources
    .filter(({ file }) => LAYERS.includes(layerOf(file) ?? ''))
    .flatMap((source) =>
      [...source.text.matchAll(TABLE_USE)].map(([, table = '']) => ({
        file: source.file.slice('server/'.length),
        table,
      })),
    );

  it('on the tables before any tenant are only in the files listed for them', () => {
    const strangers = uses.filter(
      ({ file, table }) => table in GLOBAL_TABLES && !GLOBAL_TABLES[table]?.includes(file),
    );
    expect(strangers).toEqual([]);
  });

  it('on a site’s tables are only in files of statements', () => {
    const strangers = uses.filter(
      ({ file, table }) => !(table in GLOBAL_TABLES) && !file.endsWith('.sql.ts'),
    );
    expect(strangers).toEqual([]);
  });

  it('set the tenant with SET LOCAL, never with set_config, which does not reach the workers of Citus', () => {
    const strangers = sources
      .filter((source) => /\bset_config\s*\(/.test(source.text))
      .map((one) => one.file);
    expect(strangers).toEqual([]);
  });
});

describe('the way out', () => {
  it('of all HTTP is one module', () => {
    const strangers = sources
      .filter((source) => source.file.startsWith('server/') && /'node:https?'|\bfetch\(/.test(source.text))
      .map((source) => source.file);
    expect(strangers).toEqual(['server/platform/outbound.ts']);
  });
});

/** The modules of the owner app, from the bottom to the top. */
const OWNER_MODULES = [
  'no-eval.ts',
  'i18n',
  'session',
  'api',
  'files',
  'account',
  'preferences',
  'site',
  'prefetch',
  'support-chat',
  'drafts',
  'queries',
  'components',
  'routing',
  'screens/not-found',
  'screens/auth',
  'screens/second-factor',
  'screens/invitation',
  'screens/survey',
  'screens/sites',
  'screens/lists',
  'screens/deliveries',
  'screens/actions',
  'screens/integrations',
  'screens/complaints',
  'screens/customers',
  'screens/evidence',
  'screens/preference-pages',
  'screens/email-check',
  'screens/bulk-changes',
  'screens/imports',
  'screens/dashboard',
  'screens/site-settings',
  'screens/account',
  'commands',
  'shell',
  'App.tsx',
  'router.tsx',
  'main.tsx',
];

describe('the owner app', () => {
  const owner = sources.filter(({ file }) => file.startsWith('web/owner/'));

  /** The first folder, or the noun of a screen. */
  function moduleOf(file: string): string {
    const [first = '', second = ''] = file.slice('web/owner/'.length).split('/');
    return first === 'screens' ? `${first}/${second}` : first;
  }

  function links(files: readonly Source[]): { from: string; to: string }[] {
    const known = new Set(files.map(({ file }) => file));
    return files.flatMap(({ file, imports }) =>
      imports.filter((target) => known.has(target)).map((target) => ({ from: file, to: target })),
    );
  }

  /** Type imports and lazy imports count as well. */
  function upwards(files: readonly Source[]): string[] {
    const heightOf = (file: string) => OWNER_MODULES.indexOf(moduleOf(file));
    return links(files)
      .filter(({ from, to }) => heightOf(to) > heightOf(from))
      .map(({ from, to }) => `${from} imports ${to}`);
  }

  /** Files from which a way of imports leads back to themselves. */
  function inCycles(files: readonly Source[]): string[] {
    const targets = new Map(files.map(({ file, imports }) => [file, imports]));
    function leadsBack(start: string): boolean {
      const seen = new Set<string>();
      const waiting = [start];
      for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
        for (const to of targets.get(at) ?? []) {
          if (to === start) return true;
          if (!seen.has(to)) waiting.push(to);
          seen.add(to);
        }
      }
      return false;
    }
    return files.map(({ file }) => file).filter(leadsBack);
  }

  /** The owner app, with one more line in a file. */
  function withLine(file: string, line: string): Source[] {
    return owner.map((source) => {
      const text = `${line}\n${source.text}`;
      return source.file === file ? { ...source, text, imports: importsOf(file, text) } : source;
    });
  }

  it('has all of its modules in the order', () => {
    const found = new Set(owner.map(({ file }) => moduleOf(file)));
    expect([...found].toSorted()).toEqual(OWNER_MODULES.toSorted());
  });

  it('imports only downwards, types included', () => {
    expect(upwards(owner)).toEqual([]);
  });

  it('has no cycle, not even of types', () => {
    expect(inCycles(owner)).toEqual([]);
  });

  it.each([
    ['a value', "import { Shell } from '../shell/Shell.tsx';"],
    ['a type', "import type { Shell } from '../shell/Shell.tsx';"],
    ['a lazy import', "const load = () => import('../shell/Shell.tsx');"],
    ['an import by alias', "import { Shell } from '#web/owner/shell/Shell.tsx';"],
  ])('may not import %s upwards', (_, line) => {
    const api = 'web/owner/api/call.ts';
    const changed = withLine(api, line);
    expect(upwards(changed)).toEqual([`${api} imports web/owner/shell/Shell.tsx`]);
    expect(inCycles(changed)).toEqual(expect.arrayContaining([api, 'web/owner/shell/Shell.tsx']));
  });

  it('may not have a cycle inside a module', () => {
    const changed = withLine('web/owner/api/query-client.ts', "import type {} from './reachability.ts';");
    expect(upwards(changed)).toEqual([]);
    expect(inCycles(changed).toSorted()).toEqual([
      'web/owner/api/query-client.ts',
      'web/owner/api/reachability.ts',
    ]);
  });
});
