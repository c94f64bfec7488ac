import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONNECTORS } from '#server/connectors/index.ts';

const ROOT = join(import.meta.dirname, '..');

/** Of the server, from the top: each knows what is below it. */
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

  it('the platform knows no noun: the contract, itself, and the shape of the tables', () => {
    expect(
      strays('server/platform/', ['contract/', 'server/platform/', 'db/tables.ts', 'db/migrations/']),
    ).toEqual([]);
  });

  it('connectors know the platform, not the layers above them', () => {
    expect(strays('server/connectors/', ['contract/', 'server/platform/', 'server/connectors/'])).toEqual([]);
  });

  it('layers know each other, what is below them, and the page that they render', () => {
    const below = [
      'contract/',
      'server/guards.ts',
      'server/platform/',
      'server/connectors/',
      'db/tables.ts',
      'web/page/',
    ];
    const layers = LAYERS.map((layer) => `server/${layer}/`);
    expect(layers.flatMap((layer) => strays(layer, [...layers, ...below]))).toEqual([]);
  });

  it('the web knows the contract and itself, never the server', () => {
    expect(strays('web/', ['contract/', 'web/'])).toEqual([]);
    expect(strays('web/ui/', ['contract/', 'web/ui/'])).toEqual([]);
  });

  it('nothing that is served imports test code: the fakes of dev and demo are a process of their own', () => {
    const strangers = sources.filter(({ imports }) => imports.some((target) => target.startsWith('test/')));
    expect(strangers.map(({ file }) => file)).toEqual([]);
  });

  it('nothing but its own folder and one line of the registry knows an email tool', () => {
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
    // The survey asks which tools somebody uses, in the words of the specification.
    expect(knowing.map(({ file }) => file)).toEqual(['contract/survey.ts']);
  });

  it('migrations know nothing of the code that changes', () => {
    expect(strays('db/migrations/', ['db/migrations/', 'db/tenant-table.ts'])).toEqual([]);
  });
});

/** Who may name a table of those that come before any tenant, and that no row-level security guards. */
const GLOBAL_TABLES: Record<string, string[]> = {
  users: [
    'accounts/users/accounts.sql.ts',
    'accounts/sessions/sessions.ts',
    'accounts/organizations/members.sql.ts',
    'accounts/members/invitations.sql.ts',
  ],
  password_links: ['accounts/users/accounts.sql.ts'],
  account_links: ['accounts/accounts/account-links.sql.ts'],
  refresh_families: ['accounts/sessions/sessions.ts'],
  refresh_tokens: ['accounts/sessions/sessions.ts'],
  totp_factors: ['accounts/second-factors/second-factors.sql.ts'],
  passkeys: ['accounts/second-factors/second-factors.sql.ts'],
  recovery_codes: ['accounts/second-factors/second-factors.sql.ts'],
  used_tickets: ['accounts/second-factors/second-factors.sql.ts'],
  avatars: ['accounts/accounts/avatars.sql.ts'],
  surveys: ['accounts/survey/survey.sql.ts', 'accounts/survey/survey.routes.ts'],
  organizations: [
    'accounts/organizations/organizations.ts',
    'accounts/organizations/closing.sql.ts',
    'accounts/members/invitations.sql.ts',
    'accounts/accounts/accounts.ts',
    'accounts/second-factors/second-factor-rule.sql.ts',
  ],
  members: ['accounts/organizations/members.sql.ts', 'accounts/second-factors/second-factor-rule.sql.ts'],
  invitations: ['accounts/members/invitations.sql.ts'],
  sites: ['accounts/sites/sites.sql.ts'],
  evidence_rounds: ['audience/evidence-checks/evidence-checks.sql.ts'],
  retention_rounds: ['delivery/retention/retention.sql.ts'],
  host_names: ['accounts/sites/sites.sql.ts', 'accounts/sites/hosts.sql.ts'],
  host_holders: ['accounts/sites/hosts.sql.ts'],
  site_domains: ['accounts/domains/domains.sql.ts', 'accounts/sites/sites.sql.ts'],
  tool_paces: ['tools/clients/tool-pace.sql.ts'],
  tool_chores: ['tools/schedule/tool-chores.sql.ts'],
  kept_mails: ['shell/system/outbox.routes.ts'],
};

const TABLE_USE = /(?:selectFrom|insertInto|updateTable|deleteFrom|innerJoin|leftJoin)\(\s*'(\w+)/g;

describe('statements', () => {
  const uses = sources
    .filter(({ file }) => LAYERS.some((layer) => file.startsWith(`server/${layer}/`)))
    .flatMap((source) =>
      [...source.text.matchAll(TABLE_USE)].map(([, table = '']) => ({
        file: source.file.slice('server/'.length),
        table,
      })),
    );

  it('on the tables before any tenant stand where they are known to', () => {
    const strangers = uses.filter(
      ({ file, table }) => table in GLOBAL_TABLES && !GLOBAL_TABLES[table]?.includes(file),
    );
    expect(strangers).toEqual([]);
  });

  it("on a site's tables stand in files of statements alone", () => {
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
