import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT, readSources } from './sources.ts';

/** A test that is skipped over PostgreSQL and a bucket, or through a balancer, with its title. */
const SKIPPED = /\.skipIf\(IS_(?:SCALED|BALANCED)\)\(\s*'([^']+)'/g;

describe('test/scaled.md', () => {
  it('gives a reason for each test that is skipped with replicas, and for no other', () => {
    const page = readFileSync(`${ROOT}test/scaled.md`, 'utf8');
    const listed = [...page.matchAll(/^\| (?!test \|)([^|-][^|]*) \| [^|]+ \|$/gm)];
    const skipped = readSources(['test']).flatMap(({ text }) => [...text.matchAll(SKIPPED)]);

    expect(listed.map(([, title]) => title).sort()).toEqual(
      skipped.map(([, title]) => title).sort(),
    );
  });
});
