import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createReloadedFiles } from '../../../lib/platform/reloaded-files.ts';

const LATER_MS = 3_600_000;

let folder: string;
let paths: readonly [string, string];
let reads: number;
let reports: unknown[];
let duringRead: () => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reloaded-files-'));
  paths = [join(folder, 'one'), join(folder, 'two')];
  for (const path of paths) writeFileSync(path, 'a');
  [reads, reports, duringRead] = [0, [], () => {}];
});
afterEach(() => rm(folder, { recursive: true }));

/** Opens the files with a clock that is an hour ahead, for which every file was changed long ago. */
function open(clock = { nowMs: () => Date.now() + LATER_MS }) {
  return createReloadedFiles({
    ...{ paths, clock },
    read() {
      reads += 1;
      const text = paths.map((path) => readFileSync(path, 'utf8')).join('');
      if (text.includes('!')) throw new Error(text);
      duringRead();
      return text;
    },
    onUnusable: (error) => reports.push(error),
  });
}

describe('createReloadedFiles', () => {
  test('reads files once while they are unchanged', () => {
    const files = open();

    expect([files.current(), files.current()]).toEqual(['aa', 'aa']);
    expect(reads).toBe(1);
  });

  test('reads all files again after a change of one file', () => {
    const files = open();

    writeFileSync(paths[1], 'bc');

    expect(files.current()).toBe('abc');
  });

  test('notices a change that happens while the files are read', () => {
    duringRead = () => writeFileSync(paths[0], 'later');
    const files = open();
    duringRead = () => {};

    expect(files.current()).toBe('latera');
  });

  test('notices a change that happens while changed files are read', () => {
    const files = open();
    writeFileSync(paths[0], 'next');
    duringRead = () => writeFileSync(paths[0], 'later');
    files.current();
    duringRead = () => {};

    expect(files.current()).toBe('latera');
  });

  test('reads files again whose next change could have the same stamp', () => {
    const files = open({ nowMs: () => Date.now() });
    utimesSync(paths[0], new Date(), new Date());
    files.current();

    files.current();

    expect(reads).toBe(3);
  });

  test('keeps the content of files that become unusable, and reports each change once', () => {
    const files = open();

    writeFileSync(paths[0], '!');
    const contents = [files.current(), files.current()];
    writeFileSync(paths[0], '!!');
    contents.push(files.current());

    expect(contents).toEqual(['aa', 'aa', 'aa']);
    expect(reports).toEqual([new Error('!a'), new Error('!!a')]);
  });

  test('reports an unusable file once, even while its next change could have the same stamp', () => {
    const files = open({ nowMs: () => Date.now() });

    writeFileSync(paths[0], '!');
    const contents = [files.current(), files.current()];

    expect(contents).toEqual(['aa', 'aa']);
    expect(reports).toHaveLength(1);
  });

  test('reads files again after they were repaired, and reports when they are removed again', () => {
    const files = open();
    rmSync(paths[0]);
    files.current();
    writeFileSync(paths[0], 'b');
    const repaired = files.current();

    rmSync(paths[0]);

    expect([repaired, files.current()]).toEqual(['ba', 'ba']);
    expect(reports).toHaveLength(2);
  });

  test('throws the error of files that are unusable at first', () => {
    writeFileSync(paths[0], '!');

    expect(() => open()).toThrow('!a');
    expect(reports).toEqual([]);
  });
});
