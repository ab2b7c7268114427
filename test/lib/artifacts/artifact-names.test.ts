import { describe, expect, test } from 'vitest';
import {
  artifactName,
  type PublicationTarget,
  sidecarName,
  takesSuffix,
} from '../../../lib/artifacts/artifact-names.ts';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';

const id = '0123456789abcdef0123456789abcdef';

describe('artifactName', () => {
  test.each<[Partial<PublicationTarget>, OutputFormat, string]>([
    [{}, 'png', `${id}.png`],
    [{}, 'jpeg', `${id}.jpg`],
    [{}, 'webp', `${id}.webp`],
    [{ directory: 'a/b' }, 'png', `a/b/${id}.png`],
    [{ filename_prefix: 'cat' }, 'jpeg', `cat-${id}.jpg`],
    [{ filename_prefix: 'cat', directory: 'a' }, 'png', `a/cat-${id}.png`],
    [{ filename: 'cat' }, 'png', 'cat.png'],
    [{ filename: 'cat' }, 'jpeg', 'cat.jpg'],
    [{ filename: 'cat.png' }, 'png', 'cat.png'],
    [{ filename: 'cat.jpg' }, 'jpeg', 'cat.jpg'],
    [{ filename: 'cat.jpeg' }, 'jpeg', 'cat.jpeg'],
    [{ filename: 'cat.PNG' }, 'png', 'cat.PNG'],
    [{ filename: 'v1.2' }, 'png', 'v1.2.png'],
    [{ filename: 'v1.2.webp' }, 'webp', 'v1.2.webp'],
    [{ filename: 'cat.tar.gz' }, 'webp', 'cat.tar.gz.webp'],
    [{ filename: 'cat.json' }, 'png', 'cat.json.png'],
    [{ filename: 'cat.png.txt' }, 'png', 'cat.png.txt.png'],
    [{ filename: 'cat.jpg' }, 'png', 'cat.png'],
    [{ filename: 'cat', directory: 'x/y' }, 'png', 'x/y/cat.png'],
  ])('names %j as %s: %s', (target, format, expected) => {
    const name = artifactName({ collision: 'error', ...target }, { id, format });

    expect(name).toBe(expected);
  });

  test.each<[string, number, string]>([
    ['cat', 1, 'cat.png'],
    ['cat', 2, 'cat-2.png'],
    ['cat.png', 3, 'cat-3.png'],
    ['v1.2', 2, 'v1.2-2.png'],
    ['cat.PNG', 12, 'cat-12.PNG'],
    ['cat-2', 2, 'cat-2-2.png'],
  ])('returns for %s, number %i, the name %s', (filename, nth, expected) => {
    const name = artifactName({ filename, collision: 'suffix' }, { id, format: 'png' }, nth);

    expect(name).toBe(expected);
  });
});

describe('sidecarName', () => {
  test.each([
    ['a.png', 'a.json'],
    ['v1.2.webp', 'v1.2.json'],
    ['x.y/a.jpeg', 'x.y/a.json'],
    ['cat.json.png', 'cat.json.json'],
    ['cat.PNG', 'cat.json'],
  ])('returns for %s the name %s', (image, expected) => {
    expect(sidecarName(image)).toBe(expected);
  });
});

describe('takesSuffix', () => {
  test.each<[PublicationTarget, boolean]>([
    [{ collision: 'suffix', filename: 'cat' }, true],
    [{ collision: 'error', filename: 'cat' }, false],
    [{ collision: 'suffix', filename_prefix: 'cat' }, false],
    [{ collision: 'suffix' }, false],
  ])('returns for %j: %s', (target, expected) => {
    expect(takesSuffix(target)).toBe(expected);
  });
});
