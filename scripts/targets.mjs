import { existsSync, readFileSync } from 'node:fs';
import { hashOf, inRoot } from './project.mjs';

const shared = {
  files: ['package-lock.json', 'scripts/build.mjs', 'scripts/targets.mjs', 'vite.config.ts'],
  folders: ['web/ui', 'web/locales', 'contract'],
};

export const targets = [
  { name: 'owner', entry: 'web/owner/index.html', label: 'owner app', folders: ['web/owner'] },
  { name: 'page', entry: 'web/page/client.tsx', label: 'public page', folders: ['web/page'] },
  {
    name: 'page-ssr',
    entry: 'web/page/server.tsx',
    label: 'public page on the server',
    folders: ['web/page'],
  },
];

export const stampOf = (target) => inRoot('dist', target.name, '.built');

export function inputsOf(target) {
  return hashOf({ files: shared.files, folders: [...shared.folders, ...target.folders] });
}

export function staleTargets() {
  return targets.filter((target) => {
    if (!existsSync(inRoot(target.entry))) return false;
    const stamp = stampOf(target);
    return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== inputsOf(target);
  });
}
