import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Package {
  version: string;
  integrity?: string;
  resolved?: string;
  /** Part of another package's tarball, and covered by the integrity of that one. */
  inBundle?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

type Packages = Record<string, Package>;

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Packages;
};

/** Where Node would find a dependency of a package: in its own folder first, then in those around it. */
function isLocked(all: Packages, from: string, name: string): boolean {
  const place = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`;
  if (place in all) return true;
  return from !== '' && isLocked(all, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

function problemsOf(all: Packages): string[] {
  return Object.entries(all).flatMap(([path, one]) => {
    const found = Object.keys({ ...one.dependencies, ...one.optionalDependencies })
      .filter((name) => !isLocked(all, path, name))
      .map((name) => `${path} needs ${name}, which is not locked`);
    if (path === '') return found;
    if (!one.inBundle && !/^sha512-[\w+/]{86}==$/.test(one.integrity ?? ''))
      found.push(`${path} has no integrity`);
    if (one.resolved !== undefined) found.push(`${path} names the registry that it came from`);
    return found;
  });
}

const integrity = `sha512-${'a'.repeat(86)}==`;

describe('the lock file', () => {
  it('pins the content of every package on every platform, and names no registry', () => {
    expect(Object.keys(packages).length).toBeGreaterThan(500);
    expect(problemsOf(packages)).toEqual([]);
  });

  it.each<[string, Package, string[]]>([
    ['without integrity', { version: '1.0.0' }, ['has no integrity']],
    ['with a weak hash', { version: '1.0.0', integrity: 'sha1-qqqq' }, ['has no integrity']],
    [
      'with a registry',
      { version: '1.0.0', integrity, resolved: 'https://registry.example/a.tgz' },
      ['names the registry that it came from'],
    ],
    [
      'without the binary of another platform',
      { version: '1.0.0', integrity, optionalDependencies: { 'a-darwin': '1.0.0' } },
      ['needs a-darwin, which is not locked'],
    ],
    ['in the tarball of another one', { version: '1.0.0', inBundle: true }, []],
  ])('may contain the package %s only where that is safe', (_which, one, problems) => {
    expect(problemsOf({ 'node_modules/a': one })).toEqual(problems.map((text) => `node_modules/a ${text}`));
  });
});
