import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { toFailureReport } from '../../../lib/log/failure-report.ts';

const ROOT = join(import.meta.dirname, '../../..');

function errorWith(changes: Readonly<Record<string, unknown>>): Error {
  return Object.assign(new Error('a secret prompt'), changes);
}

const stackOf = (...frames: string[]) =>
  errorWith({ stack: ['Error: a secret prompt', ...frames].join('\n') });

describe('toFailureReport', () => {
  it('names the class and the system code of the first cause', () => {
    const cause = Object.assign(new TypeError('a secret path'), { code: 'ENOSPC' });
    const error = new BridgeError('artifact', 'the artifact folder is full', {
      cause: new Error('between', { cause }),
    });

    expect(toFailureReport(error)).toMatchObject({ errorClass: 'TypeError', systemCode: 'ENOSPC' });
  });

  it('does not contain the message', () => {
    expect(JSON.stringify(toFailureReport(errorWith({})))).not.toContain('secret');
  });

  it.each([
    ['a space', { name: 'a secret prompt', code: 'a secret path' }],
    ['nothing', { name: '', code: '' }],
    ['too many characters', { name: 'a'.repeat(65), code: 'A'.repeat(65) }],
    ['no text', { name: 7, code: {} }],
  ])('ignores a name and a code with %s', (_name, changes) => {
    expect(toFailureReport(errorWith(changes))).toMatchObject({ errorClass: 'Error' });
    expect(toFailureReport(errorWith(changes))).not.toHaveProperty('systemCode');
  });

  it.each([
    ['a text', 'a secret prompt', 'string'],
    ['nothing', undefined, 'undefined'],
    ['an object', { message: 'a secret prompt' }, 'object'],
  ])('reports the type of the thrown value %s', (_name, thrown, errorClass) => {
    expect(toFailureReport(thrown)).toEqual({ errorClass, stack: [] });
  });

  it('lists only frames of the program, relative to the package', () => {
    const url = pathToFileURL(ROOT).href;
    const error = stackOf(
      `    at open (${url}/dist/bundle/serve-D_w-1.js:12:34)`,
      `    at async ${url}/dist/lib/app.js:5:6`,
      `    at Database.prepare (${ROOT}/node_modules/better-sqlite3/lib/methods/wrappers.js:5:21)`,
      `    at Object.run [as handle] (${ROOT}/handlers/jobs/create-job.ts:7:8)`,
      `    at node:internal/process/task_queues:104:5`,
      '    at /elsewhere/lib/secret.js:1:2',
      `    at eval (eval at x (${ROOT}/lib/a b.ts:1:2), <anonymous>:1:1)`,
    );

    expect(toFailureReport(error).stack).toEqual([
      'dist/bundle/serve-D_w-1.js:12',
      'dist/lib/app.js:5',
      'handlers/jobs/create-job.ts:7',
    ]);
  });

  it('finds no frame in a message', () => {
    const message = `nothing\n    at ${ROOT}/lib/secret.ts:1:2`;
    const error = errorWith({ message, stack: `Error: ${message}\n    at ${ROOT}/lib/app.ts:3:4` });

    expect(toFailureReport(error).stack).toEqual(['lib/app.ts:3']);
  });

  it('uses the frames of the outer error if the cause has none', () => {
    const cause = errorWith({ stack: 'Error: ENOENT', code: 'ENOENT' });
    const error = new BridgeError('artifact', 'the artifact folder failed', { cause });
    error.stack = `BridgeError: ${error.message}\n    at ${ROOT}/lib/app.ts:3:4`;

    expect(toFailureReport(error)).toEqual({
      errorClass: 'Error',
      systemCode: 'ENOENT',
      stack: ['lib/app.ts:3'],
    });
  });

  it('terminates for circular causes', () => {
    const error = new Error('one');
    error.cause = new Error('two', { cause: error });

    expect(toFailureReport(error).errorClass).toBe('Error');
  });

  it('lists at most ten frames', () => {
    const frames = Array.from({ length: 30 }, (_, line) => `    at ${ROOT}/lib/app.ts:${line}:1`);

    expect(toFailureReport(stackOf(...frames)).stack).toHaveLength(10);
  });
});
