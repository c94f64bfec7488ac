import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { compileHints } from './web/compile-hints.ts';
import { contractSplit } from './web/contract-split.ts';
import { ownLanguages } from './web/own-languages.ts';
import { usedExports } from './web/used-exports.ts';
import { defineConfig, type BuildOptions, type Plugin, type UserConfig } from 'vite';

/** Not the working directory: a build may come through a link (`scripts/targets.mjs`). */
const ROOT = import.meta.dirname;

const plugins = [react(), tailwindcss()];

const common: BuildOptions = { emptyOutDir: true, sourcemap: 'hidden', reportCompressedSize: false };

/** Of the sidebar, and of what most screens show. */
const FIRST_ICONS = [
  ...['check', 'chevron-down', 'circle-check', 'circle-exclamation-point', 'layout-dashboard', 'list-checks'],
  ...['panels-top-left', 'plug-zap', 'search', 'send', 'settings-2', 'triangle-exclamation-point', 'users'],
  ...['x', 'zap'],
];

const FIRST_COMPONENTS = [
  ...['Avatar', 'Badge', 'Button', 'ErrorState', 'IconButton', 'Logo', 'PageHeader', 'Skeleton', 'breakable'],
  ...['button-style', 'error-text'],
];

/**
 * Small modules that every screen needs: one file compresses better than a dozen, and takes one request. Icons are made
 * while their file is loaded, so theirs imports only React.
 */
const FIRST_LOAD = {
  includeDependenciesRecursively: false,
  groups: [
    {
      name: 'icons',
      minShareCount: 2,
      test: new RegExp(
        String.raw`lucide-react/dist/esm/.*(createLucideIcon|Icon|/(${FIRST_ICONS.join('|')}))\.m?js`,
      ),
    },
    {
      name: 'app',
      minShareCount: 2,
      test: new RegExp(
        [
          'web/owner/(account|api|routing|session|site)/',
          String.raw`web/ui/(${FIRST_COMPONENTS.join('|')})\.`,
          'contract/client',
          'react-i18next/dist/es/(context|defaults|i18nInstance|initReactI18next|unescape|useTranslation|utils)',
        ].join('|'),
      ),
    },
  ],
};

const ownerApp: UserConfig = {
  root: join(ROOT, 'web/owner'),
  plugins: [...plugins, contractSplit(), ownLanguages(), compileHints()],
  // A shim for React before 18: React now exports the same hook.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: 'react' }] },
  build: {
    ...common,
    manifest: 'manifest.json',
    rolldownOptions: { output: { codeSplitting: FIRST_LOAD } },
  },
};

/** The page's chunks have one style sheet and import nothing else, so there is nothing to preload with them. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null),
};

const pageClient: UserConfig = {
  root: ROOT,
  plugins: [...plugins, plainImports, usedExports(['page', 'ui'].map((folder) => join(ROOT, 'web', folder)))],
  publicDir: false,
  // Neither development tools nor old servers run on it: React's code for them is left out.
  define: { __REACT_DEVTOOLS_GLOBAL_HOOK__: 'undefined', setImmediate: 'undefined' },
  build: {
    ...common,
    manifest: 'manifest.json',
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: { input: 'web/page/client.tsx' },
  },
};

// Everything is bundled: React's production build is then chosen once, whatever NODE_ENV the server runs with.
const pageOnServer: UserConfig = {
  root: ROOT,
  plugins,
  publicDir: false,
  define: { 'process.env.NODE_ENV': '"production"' },
  ssr: { noExternal: true },
  build: {
    ...common,
    ssr: 'web/page/server.tsx',
    rolldownOptions: { output: { entryFileNames: 'server.js', codeSplitting: false } },
  },
};

// A plain script for other people's sites: one small file, under a name that stays.
const embedScript: UserConfig = {
  root: ROOT,
  publicDir: false,
  build: {
    ...common,
    modulePreload: false,
    rolldownOptions: {
      input: 'web/page/embed.ts',
      output: { format: 'iife', entryFileNames: 'embed.js' },
    },
  },
};

// Plain files below the handbook's own address. The script runs before the page is painted, so that it has its theme.
const handbook: UserConfig = {
  root: ROOT,
  base: '/docs/',
  plugins: [tailwindcss()],
  publicDir: false,
  build: {
    ...common,
    manifest: 'manifest.json',
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: { input: 'web/handbook/client.ts', output: { format: 'iife' } },
  },
};

/** `npm run dev`: modules as they are, replaced while the page is open. */
const ownerInDevelopment: UserConfig = { root: join(ROOT, 'web/owner'), base: '/@app/', plugins };

const targets: Record<string, UserConfig> = {
  development: ownerInDevelopment,
  owner: ownerApp,
  page: pageClient,
  'page-ssr': pageOnServer,
  embed: embedScript,
  handbook,
};

export default defineConfig(({ mode }) => targets[mode] ?? ownerApp);
