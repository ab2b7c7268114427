import type { Row, Tools } from './bench.ts';
import type { LoadResult, LoadTask } from './load.ts';
import type { ServerProcess, Span } from './server-process.ts';
import { inMs, median, perSecond, withRange } from './statistics.ts';

/** One server under one load. */
export interface Side {
  readonly server: ServerProcess;
  readonly task: Omit<LoadTask, 'port'>;
}

interface Measure extends LoadResult, Span {
  readonly perSecond: number;
  /** CPU time of one request in the process of the server. */
  readonly cpuEachMs: number;
}

export interface Comparison {
  readonly ours: readonly Measure[];
  readonly theirs: readonly Measure[];
}

const WARM_UP_PART = 0.5;

/** Measures both sides in turns, because other work on the machine then affects both. */
export async function compare(
  { rounds, load }: Pick<Tools, 'rounds' | 'load'>,
  our: Side,
  their: Side,
): Promise<Comparison> {
  const ours: Measure[] = [];
  const theirs: Measure[] = [];
  const once = async ({ server, task }: Side): Promise<Measure> => {
    await server.begin();
    const result = await load({ ...task, port: server.port });
    const span = await server.end();
    return {
      ...result,
      ...span,
      perSecond: result.completed / (result.elapsedMs / 1000),
      cpuEachMs: span.cpuMs / result.completed,
    };
  };
  for (const { server, task } of [our, their]) {
    await load({ ...task, port: server.port, forMs: task.forMs * WARM_UP_PART });
  }
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      ours.push(await once(our));
      theirs.push(await once(their));
    } else {
      theirs.push(await once(their));
      ours.push(await once(our));
    }
  }
  return { ours, theirs };
}

/** The texts of a row beside its numbers. */
export interface Words {
  readonly what: string;
  readonly against: string;
  readonly budget: string;
}

/** Compares the requests a second of both sides. More is better. */
export function rateRow({ ours, theirs }: Comparison, words: Words): Row {
  return {
    ...words,
    ours: perSecond(median(ours.map((it) => it.perSecond))),
    theirs: perSecond(median(theirs.map((it) => it.perSecond))),
    ratio: withRange(pairs(ours, theirs, (it) => it.perSecond)),
    cpuRatio: withRange(pairs(theirs, ours, (it) => it.cpuEachMs)),
    ...loopOf({ ours, theirs }),
  };
}

/** Compares the time of one request on both sides. Less is better. */
export function timeRow({ ours, theirs }: Comparison, words: Words): Row {
  // With several concurrent clients, the relevant time is that of the server for one request, without the queue.
  return {
    ...words,
    ours: timeOf(ours),
    theirs: timeOf(theirs),
    ratio: withRange(pairs(theirs, ours, (it) => it.perSecond)),
    cpuRatio: withRange(pairs(ours, theirs, (it) => it.cpuEachMs)),
    ...loopOf({ ours, theirs }),
  };
}

function timeOf(measures: readonly Measure[]): string {
  const each = inMs(median(measures.map((it) => 1000 / it.perSecond)));
  return `${each} each, p50 ${inMs(median(measures.map(({ p50Ms }) => p50Ms)))}`;
}

function pairs(
  above: readonly Measure[],
  below: readonly Measure[],
  of: (measure: Measure) => number,
): readonly number[] {
  return above.flatMap((measure, round) => {
    const other = below[round];
    return other ? [of(measure) / of(other)] : [];
  });
}

/** Undefined if the delay of one side cannot be observed. */
function loopOf({ ours, theirs }: Comparison): { readonly loop?: string } {
  const delays = [delayOf(ours), delayOf(theirs)];
  return delays.some((delay) => delay.includes('NaN')) ? {} : { loop: delays.join(', against ') };
}

function delayOf(measures: readonly Measure[]): string {
  const p99 = median(measures.map(({ loopP99Ms }) => loopP99Ms));
  const worst = Math.max(...measures.map(({ loopMaxMs }) => loopMaxMs));
  return `${p99.toFixed(1)} / ${worst.toFixed(0)} ms`;
}
