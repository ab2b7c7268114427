import { afterAll, describe, expect, it, vi } from 'vitest';
import { cleanUp } from '../support/start-bridge.ts';
import { runFuzzer } from './fuzzer.ts';
import { FUZZERS } from './fuzzers.ts';

const SEED = 31;
const RUNS = 200;

vi.setConfig({ testTimeout: 180_000 });

afterAll(cleanUp);

describe('the readers of foreign bytes', () => {
  it.each(FUZZERS)(
    'keep their promises for the corpus of $name and changed inputs',
    async (fuzzer) => {
      const { runs, violation } = await runFuzzer(fuzzer, { seed: SEED, runs: RUNS });

      expect(violation).toBeUndefined();
      expect(runs).toBe(RUNS);
    },
  );
});

describe('runFuzzer', () => {
  it('finds an input that a reader does not accept, and names the command that repeats it', async () => {
    const opened = {
      check: async ({ bytes }: { bytes: Buffer }) => {
        if (bytes.includes('<!DOCTYPE')) throw new Error('a document type');
      },
      close: async () => {},
    };
    const fuzzer = { name: 'xmp', tokens: ['<!DOCTYPE'], open: async () => opened } as const;

    const { violation } = await runFuzzer(fuzzer, { seed: 1, runs: 1000 });

    expect(violation).toMatch(/a document type.*to replay: npm run fuzz -- --only xmp --input /s);
  });
});
