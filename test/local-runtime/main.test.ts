import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cleanUp, freshFolder, PROGRAM, runProgram } from '../support/start-bridge.ts';

const COMPILED = join(PROGRAM, '..', '..', 'compile-cache');

afterAll(cleanUp);

describe('the program', () => {
  it.each(['serve', 'quickstart'])(
    'ends if the options of %s are invalid, although its storage thread has started',
    async (command) => {
      const ended = await runProgram([command, '--speed'], await freshFolder());

      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain("unknown option '--speed'");
    },
  );

  it('stores its compiled code beside the program for the next start', async () => {
    await runProgram(['--version'], await freshFolder());

    expect(await readdir(COMPILED)).toContainEqual(expect.stringContaining(process.version));
  });
});
