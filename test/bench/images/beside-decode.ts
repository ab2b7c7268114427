import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import sharp from 'sharp';
import type { Row } from '../measure/bench.ts';
import { durationOf } from '../measure/durations.ts';
import { inMs, median, withRange } from '../measure/statistics.ts';

const RUNS_A_ROUND = 5;
const LOOP_RESOLUTION_MS = 1;

/** Ways to process one PNG. Each returns its time in milliseconds. */
type Ways<Name extends string> = Readonly<Record<Name, () => Promise<number>>>;

/**
 * Returns the times of each way and of a raw decode of the same PNG by sharp, round by round, and the delay of the event
 * loop.
 */
export async function besideDecode<Name extends string>(
  bytes: Buffer,
  ways: Ways<Name>,
  rounds: number,
) {
  const all: [string, () => Promise<number>][] = [
    ['decode', () => durationOf(() => sharp(bytes).raw().toBuffer())],
    ...Object.entries<() => Promise<number>>(ways),
  ];
  const times = new Map(all.map(([name]) => [name, [] as number[]]));
  // The first run of a thread is slow, because the thread has to start and to compile its code.
  for (const [, way] of all) await medianOf(way);
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, way] of all) times.get(name)?.push(await medianOf(way));
  }
  loop.disable();
  const theirs = times.get('decode') ?? [];
  return {
    row: (what: string, name: Name, budget: string): Row => {
      const ours = times.get(name) ?? [];
      return {
        what,
        ours: inMs(median(ours)),
        against: 'sharp’s raw decode of the same PNG',
        theirs: inMs(median(theirs)),
        ratio: withRange(ours.map((time, round) => time / (theirs[round] ?? Number.NaN))),
        budget,
        loop: delaysOf(loop),
      };
    },
  };
}

async function medianOf(way: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < RUNS_A_ROUND; nth += 1) times.push(await way());
  return median(times);
}

function delaysOf(loop: IntervalHistogram): string {
  const ms = (nanoseconds: number) => (nanoseconds / 1e6 - LOOP_RESOLUTION_MS).toFixed(1);
  return `${ms(loop.percentile(99))} / ${ms(loop.max)} ms`;
}
