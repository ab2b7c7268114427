import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT } from './sources.ts';

const MAX_BYTES = 90_000;

const built = `${ROOT}dist/dashboard/`;
const page = readFileSync(`${built}index.html`, 'utf8');

/** The scripts and style sheets that a browser loads before the page shows anything, as `assets/name`. */
function initialFiles(html: string): readonly string[] {
  return [...html.matchAll(/(?:src|href)="\/dashboard\/(assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, name = '']) => name,
  );
}

function compressedBytes(name: string): number {
  return readFileSync(`${built}${name}.br`).byteLength;
}

describe('the built dashboard', () => {
  it(`is at most ${MAX_BYTES} bytes, compressed, before it shows anything`, () => {
    const files = ['index.html', ...initialFiles(page)];
    const bytes = files.map((name) => compressedBytes(name)).reduce((sum, one) => sum + one, 0);

    expect(files.some((name) => name.endsWith('.js'))).toBe(true);
    expect(files.some((name) => name.endsWith('.css'))).toBe(true);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('has both compressed forms of every script and style sheet', () => {
    const names = readdirSync(`${built}assets`).filter((name) => /\.(js|css)$/.test(name));
    const missing = names.flatMap((name) =>
      [`${name}.br`, `${name}.gz`].filter((form) => !existsSync(`${built}assets/${form}`)),
    );

    expect(missing).toEqual([]);
  });

  it('comes with the licences of the packages in it', () => {
    const licences = readFileSync(`${built}licenses.md`, 'utf8');

    expect(licences).toMatch(/^## preact - /m);
    expect(licences).toMatch(/^## @preact\/signals - /m);
  });

  it('names nothing outside of itself, and nothing inline', () => {
    const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);

    expect(addresses.filter((address) => !address?.startsWith('/dashboard/assets/'))).toEqual([]);
    expect(page).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)/);
  });
});

describe('initialFiles', () => {
  it('finds scripts, preloaded scripts and style sheets', () => {
    const html = `<script type="module" crossorigin src="/dashboard/assets/a-1.js"></script>
      <link rel="modulepreload" crossorigin href="/dashboard/assets/b-2.js">
      <link rel="stylesheet" crossorigin href="/dashboard/assets/c-3.css">
      <link rel="icon" href="/dashboard/assets/d-4.svg">`;

    expect(initialFiles(html)).toEqual(['assets/a-1.js', 'assets/b-2.js', 'assets/c-3.css']);
  });
});
