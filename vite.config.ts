import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { contractSplit } from './web/contract-split.ts';
import { ownLanguages } from './web/own-languages.ts';
import { defineConfig, type BuildOptions, type UserConfig } from 'vite';

const plugins = [react(), tailwindcss()];

const common: BuildOptions = { emptyOutDir: true, sourcemap: false, reportCompressedSize: false };

const ownerApp: UserConfig = {
  root: 'web/owner',
  plugins: [...plugins, contractSplit(), ownLanguages()],
  build: { ...common, manifest: 'manifest.json' },
};

const pageClient: UserConfig = {
  plugins,
  publicDir: false,
  build: {
    ...common,
    manifest: 'manifest.json',
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: { input: 'web/page/client.tsx', output: { codeSplitting: false } },
  },
};

// Everything is bundled: React's production build is then chosen once, whatever NODE_ENV the server runs with.
const pageOnServer: UserConfig = {
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

const targets: Record<string, UserConfig> = {
  owner: ownerApp,
  page: pageClient,
  'page-ssr': pageOnServer,
  embed: embedScript,
  handbook,
};

export default defineConfig(({ mode }) => targets[mode] ?? ownerApp);
