import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { mutationsOf } from '../lib/images/mutations.ts';
import { StretchError } from './stretches.ts';

/** A reader of hostile bytes that is tested with changed copies of the files of its corpus. */
export interface Fuzzer {
  /** The name of the fuzzer, and of the folder of its corpus. */
  readonly name: string;
  /** Texts that are inserted at random positions. */
  readonly tokens: readonly [string, ...string[]];
  open(): Promise<OpenFuzzer>;
}

export interface OpenFuzzer {
  /** Inputs in addition to the files of the corpus. */
  readonly inputs?: readonly Buffer[];
  /** Reads one input. Rejects with the promise that was broken. */
  check(input: Input): Promise<void>;
  close(): Promise<void>;
}

/** The bytes of one case, and the lengths of the chunks in which they arrive. The lengths are used in turn. */
export interface Input {
  readonly bytes: Buffer;
  readonly sizes: readonly number[];
}

/** The end of a run. `violation` tells how to repeat a failure. */
export interface FuzzReport {
  readonly runs: number;
  readonly violation?: string;
}

interface Run {
  readonly seed: number;
  readonly runs: number;
  /** The time after which no further case begins. Without it only `runs` counts. */
  readonly maxMs?: number;
}

const CORPUS = fileURLToPath(new URL('corpus', import.meta.url));
const FAILED = 'test-results/fuzz';
const MAX_BYTES = 512 * 1024;
const MAX_MS = 3_600_000;
const SHRINK_MS = 20_000;
// The times that one input must block the event loop in succession.
const TRIES = 3;
const SIZES = [65_536];

/** Checks the unchanged corpus, and then changed inputs until a case fails, the time is over or all runs are done. */
export async function runFuzzer(
  fuzzer: Fuzzer,
  { seed, runs, maxMs = MAX_MS }: Run,
): Promise<FuzzReport> {
  const opened = await fuzzer.open();
  try {
    const corpus = [...(await readCorpus(fuzzer.name)), ...(opened.inputs ?? [])];
    for (const bytes of corpus) {
      const broken = await brokenPromise(opened, { bytes, sizes: SIZES });
      if (broken)
        return { runs: 0, violation: await explain(fuzzer, { bytes, sizes: SIZES }, broken) };
    }
    const endsMs = performance.now() + maxMs;
    let failedMs: number | undefined;
    const property = fc.asyncProperty(hostileInputs(fuzzer, corpus), async (input) => {
      // A failure is made smaller for a limited time.
      if (failedMs !== undefined && performance.now() - failedMs > SHRINK_MS) return;
      if (failedMs === undefined && performance.now() > endsMs) fc.pre(false);
      const broken = await brokenPromise(opened, input);
      if (broken === undefined) return;
      failedMs ??= performance.now();
      throw new Error(broken);
    });
    const details = await fc.check(property, {
      seed,
      numRuns: runs,
      interruptAfterTimeLimit: maxMs + SHRINK_MS,
      markInterruptAsFailure: false,
      maxSkipsPerRun: 1,
    });
    const [input] = details.counterexample ?? [];
    if (input === undefined) return { runs: details.numRuns };
    const broken = String(details.errorInstance).replace(/^Error: /, '');
    return { runs: details.numRuns, violation: await explain(fuzzer, input, broken, seed) };
  } finally {
    await opened.close();
  }
}

/** Checks one input that failed before. */
export async function replayInput(fuzzer: Fuzzer, input: Input): Promise<FuzzReport> {
  const opened = await fuzzer.open();
  try {
    const violation = await brokenPromise(opened, input);
    return { runs: 1, ...(violation === undefined ? {} : { violation }) };
  } finally {
    await opened.close();
  }
}

/** Returns the reason why an input fails. */
async function brokenPromise(
  opened: OpenFuzzer,
  input: Input,
  tries = TRIES,
): Promise<string | undefined> {
  try {
    await opened.check(input);
    return undefined;
  } catch (error) {
    if (error instanceof StretchError && tries > 1) return brokenPromise(opened, input, tries - 1);
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

/** Writes the input into a file, and returns the text of a failure with the command that repeats it. */
async function explain({ name }: Fuzzer, input: Input, broken: string, seed?: number) {
  const hash = createHash('sha256').update(input.bytes).digest('hex').slice(0, 12);
  const file = join(FAILED, `${name}-${hash}`);
  await mkdir(FAILED, { recursive: true });
  await writeFile(file, input.bytes);
  return [
    broken,
    `seed: ${seed ?? 'none, a file of the corpus'}`,
    `input: ${JSON.stringify(input.bytes.toString('latin1', 0, 2000))}`,
    `to replay: npm run fuzz -- --only ${name} --input ${file} --sizes ${input.sizes.join()}`,
  ].join('\n');
}

async function readCorpus(name: string): Promise<Buffer[]> {
  const folder = join(CORPUS, name);
  const names = (await readdir(folder)).toSorted();
  return Promise.all(names.map((file) => readFile(join(folder, file))));
}

/** A change of a text: a token at a position, or a repeated part. */
const insertion = (tokens: readonly [string, ...string[]]) =>
  fc.record({
    at: fc.nat(2 ** 30),
    token: fc.constantFrom(...tokens),
    times: fc.oneof({ arbitrary: fc.constant(1), weight: 40 }, fc.integer({ min: 2, max: 20_000 })),
  });

function hostileInputs({ tokens }: Fuzzer, corpus: readonly Buffer[]): fc.Arbitrary<Input> {
  const changed = mutationsOf(corpus).map(({ bytes }) => bytes);
  const bytes = fc
    .tuple(
      fc.oneof(changed, fc.constantFrom(...corpus)),
      fc.array(insertion(tokens), { maxLength: 3 }),
    )
    .map(([first, insertions]) =>
      insertions.reduce((before, { at, token, times }) => {
        const from = at % (before.length + 1);
        const inserted = Buffer.from(token.repeat(times), 'latin1');
        return Buffer.concat([before.subarray(0, from), inserted, before.subarray(from)]);
      }, first),
    )
    .map((long) => long.subarray(0, MAX_BYTES));
  return fc.record({
    bytes,
    sizes: fc.array(fc.integer({ min: 1, max: 4096 }), { minLength: 1, maxLength: 4 }),
  });
}

/** Splits bytes into chunks with buffers of their own, as a network does. */
export function chunksOf({ bytes, sizes }: Input): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = sizes[chunks.length % sizes.length] ?? 1;
    chunks.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return chunks;
}

/** Throws if `read` returns another text for the bytes in chunks than for the bytes in one chunk. */
export function checkChunks(read: (input: Input) => string, input: Input): void {
  const whole = read({ ...input, sizes: [input.bytes.length + 1] });
  const parts = read(input);
  if (whole !== parts) {
    throw new Error(`the result depends on the chunks:\n  ${whole}\n  ${parts}`);
  }
}
