import { describe, expect, it } from 'vitest';
import { unusedExports } from './exports.ts';
import { readSources } from './sources.ts';

const of = (files: Readonly<Record<string, string>>) =>
  unusedExports(Object.entries(files).map(([path, text]) => ({ path, text })));

describe('unusedExports', () => {
  it.each([
    ['a function', 'export function a() {}'],
    ['a constant', 'export const a = 1;'],
    ['a type', 'export type a = 1;'],
    ['an interface', 'export interface a {}'],
    ['a class', 'export class a {}'],
  ])('finds %s', (_name, text) => {
    expect(of({ 'lib/x.ts': text })).toEqual(['lib/x.ts: a']);
  });

  it.each([
    ['by name', "import { a } from './x.ts';"],
    ['as a type', "import type { a } from './x.ts';"],
    ['under another name', "import { a as b } from './x.ts';"],
    ['whole', "import * as x from './x.ts';"],
    ['later', "const { a } = await import('./x.ts');"],
    ['inside a type', "type B = import('./x.ts').a;"],
  ])('finds nothing that another file imports %s', (_name, text) => {
    expect(of({ 'lib/x.ts': 'export const a = 1;', 'lib/y.ts': text })).toEqual([]);
  });

  it('does not report an export that its own file uses, for example in a signature', () => {
    const text = 'export interface a {} export const b = (a: a) => a;';

    expect(of({ 'lib/x.ts': text, 'lib/y.ts': "import { b } from './x.ts';" })).toEqual([]);
  });

  it('counts the imports of generators, which import compiled files', () => {
    const text = "import { a } from '../../dist/lib/x.js';";

    expect(of({ 'lib/x.ts': 'export const a = 1;', 'infra/generators/g.mjs': text })).toEqual([]);
  });
});

describe('the program', () => {
  it('has no export that only tests use', () => {
    const program = new Set(readSources().map(({ path }) => path));
    const unused = unusedExports([...readSources(), ...readSources(['infra/generators'])]);

    const pathOf = (name: string) => name.split(':')[0] ?? '';
    // The program starts threads by the name of their file.
    const isThread = (name: string) => pathOf(name).endsWith('-worker.ts');
    // The types that are written from the contract, and the configuration that a tool reads.
    const isForTools = (name: string) => /\.(d|config)\.ts$/.test(pathOf(name));
    // A platform for functions loads it by its name.
    const isFunction = (name: string) =>
      pathOf(name) === 'local-runtime/server/function-handler.ts';
    const isLoadedByName = (name: string) => isThread(name) || isForTools(name) || isFunction(name);
    expect(unused.filter((name) => program.has(pathOf(name)) && !isLoadedByName(name))).toEqual([]);
  });
});
