import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type Plugin } from 'vite';
import { publishedTypes } from './published-types.ts';
import { KEY_ROUTES, SITE_PATH } from './sdk/src/routes.ts';

const ROOT = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

const SHARED = { version, type: 'module', license: 'Apache-2.0', engines: { node: '>=20' } };

interface Package {
  manifest: { name: string } & Record<string, unknown>;
  entry: string;
  /** What the entry becomes. */
  file: string;
  types?: () => string;
}

/** Here and not beside the sources: a `package.json` there would end the reach of the project's `#imports`. */
const PACKAGES: Record<string, Package> = {
  sdk: {
    manifest: {
      name: '@sayso-email/sdk',
      description: 'Typed client for the API of Sayso, the email preference center',
      exports: { '.': { types: './index.d.ts', default: './index.js' } },
      types: './index.d.ts',
      sideEffects: false,
    },
    entry: 'sdk/src/index.ts',
    file: 'index.js',
    types: publishedTypes,
  },
  cli: {
    manifest: {
      name: '@sayso-email/cli',
      description: 'Command line and MCP server of Sayso, the email preference center',
      bin: { sayso: 'sayso.js' },
    },
    entry: 'cli/src/main.ts',
    file: 'sayso.js',
  },
};

/** The table of routes without the schemas that it is made from, and what else is known when a package is built. */
const VALUES: Record<string, string> = {
  'sdk/src/routes.ts': `export const KEY_ROUTES = ${JSON.stringify(KEY_ROUTES)};\nexport const SITE_PATH = '${SITE_PATH}';`,
  'cli/src/version.ts': `export const VERSION = '${version}';`,
};

const valuesAlone: Plugin = {
  name: 'values-alone',
  enforce: 'pre',
  load: (id) => VALUES[relative(import.meta.dirname, id)] ?? null,
};

/** Bundles one package into a folder that `npm pack` takes as it is. */
async function buildPackage(name: string, { manifest, entry, file, types }: Package, folder: string) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    publicDir: false,
    plugins: [valuesAlone],
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: join(import.meta.dirname, entry),
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      reportCompressedSize: false,
      license: { fileName: 'THIRD-PARTY-LICENSES.md' },
      rolldownOptions: { output: { entryFileNames: file, chunkFileNames: '[name].js' } },
    },
  });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, ...SHARED }, null, 2)}\n`);
  if (types !== undefined) writeFileSync(join(folder, 'index.d.ts'), types());
  copyFileSync(join(import.meta.dirname, name, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
}

const [into = join(ROOT, 'dist/packages')] = process.argv.slice(2);
for (const [name, one] of Object.entries(PACKAGES)) await buildPackage(name, one, join(into, name));
process.stderr.write(
  `Built ${Object.keys(PACKAGES).join(' and ')} in ${into}. Pack one with "npm pack ${into}/sdk".\n`,
);
