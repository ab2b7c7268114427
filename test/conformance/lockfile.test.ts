import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT } from './sources.ts';

/** The entry of one package in the lockfile, as far as `npm ci` decides by it which scripts it runs. */
interface Entry {
  readonly gypfile?: boolean;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
}

const { packages }: { packages: Readonly<Record<string, Entry>> } = JSON.parse(
  readFileSync(`${ROOT}package-lock.json`, 'utf8'),
);
const { allowScripts }: { allowScripts: Readonly<Record<string, boolean>> } = JSON.parse(
  readFileSync(`${ROOT}package.json`, 'utf8'),
);

const installed = Object.entries(packages).filter(([path]) => path !== '');
const nameOf = (path: string) => path.split('node_modules/').at(-1) ?? path;

/** The packages that npm would compile, because they have a build file and no install script of their own. */
const withBuildFile = installed.filter(
  ([path, { hasInstallScript }]) => !hasInstallScript && existsSync(`${ROOT}${path}/binding.gyp`),
);

describe('package-lock.json', () => {
  it('says of each package with a build file that nothing is compiled', () => {
    const compiled = withBuildFile.filter(([, { gypfile }]) => gypfile !== false);

    // Otherwise this test could not fail.
    expect(withBuildFile.map(([path]) => path)).toContain('node_modules/better-sqlite3');
    expect(
      compiled.map(([path]) => path),
      'npm has written package-lock.json again without `"gypfile": false`, and `npm ci` would run node-gyp, ' +
        'which needs Python, make and a compiler. Add the line `"gypfile": false,` below "integrity" in the ' +
        'entries of these packages',
    ).toEqual([]);
  });

  it('names no address of a registry', () => {
    const resolved = installed.filter(([, entry]) => entry.resolved !== undefined);

    expect(
      resolved.map(([path]) => path),
      'npm has recorded the addresses of these packages, which another machine may not reach. Remove each line ' +
        '"resolved", and install with `npm install --omit-lockfile-registry-resolved`',
    ).toEqual([]);
  });
});

describe('allowScripts in package.json', () => {
  it('permits the install script of node and of no other package', () => {
    const scripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
    const decisions = scripts.map(([path]) => [nameOf(path), allowScripts[nameOf(path)]] as const);

    expect(decisions.filter(([, decision]) => decision === undefined)).toEqual([]);
    expect(decisions.filter(([, decision]) => decision).map(([name]) => name)).toEqual(['node']);
  });

  it('forbids npm to compile a package', () => {
    const names = withBuildFile.map(([path]) => nameOf(path));

    expect(names.filter((name) => allowScripts[name] !== false)).toEqual([]);
  });
});
