// npm run fuzz -- [--minutes N] [--seed N] [--only NAME]...: runs each fuzzer, and the generator of requests from the OpenAPI
// document, for an equal part of the time. With `--input FILE` checks one input.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { cleanUp } from '../support/start-bridge.ts';
import { type FuzzReport, replayInput, runFuzzer } from './fuzzer.ts';
import { FUZZERS } from './fuzzers.ts';
import { runSchemathesis, SCHEMATHESIS } from './schemathesis.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    only: { type: 'string', multiple: true },
    input: { type: 'string' },
    sizes: { type: 'string', default: '65536' },
  },
});

const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
const isChosen = (name: string) => values.only?.includes(name) ?? true;
const fuzzers = FUZZERS.filter(({ name }) => isChosen(name));
const count = fuzzers.length + (isChosen(SCHEMATHESIS) ? 1 : 0);
if (count === 0) {
  throw new Error(`--only: ${[...FUZZERS.map(({ name }) => name), SCHEMATHESIS].join(', ')}`);
}
const maxMs = (Number(values.minutes) * 60_000) / count;

function print(name: string, { runs, violation }: FuzzReport): void {
  console.log(`${name}: ${runs} inputs, ${violation ?? 'no violation'}`);
  if (violation !== undefined) process.exitCode = 1;
}

try {
  for (const fuzzer of fuzzers) {
    print(
      fuzzer.name,
      values.input === undefined
        ? await runFuzzer(fuzzer, { seed, runs: 2 ** 30, maxMs })
        : await replayInput(fuzzer, {
            bytes: await readFile(values.input),
            sizes: values.sizes.split(',').map(Number),
          }),
    );
  }
  if (values.input === undefined && isChosen(SCHEMATHESIS)) {
    print(SCHEMATHESIS, await runSchemathesis({ seed, maxMs }));
  }
} finally {
  await cleanUp();
}
