import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { residentMb } from '../bench/measure/process-use.ts';
import { percentile } from '../bench/measure/statistics.ts';
import type { StartedBridge } from '../support/start-bridge.ts';

/** The state of the program at one time. The latencies are those since the previous sample. */
export interface Sample {
  readonly minute: number;
  readonly residentMb: number;
  readonly descriptors: number;
  readonly walMb: number;
  readonly stretchMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Creates the function that takes a sample. `latenciesMs` returns and forgets the latencies so far. */
export function createSampler(
  { child, cwd }: StartedBridge,
  loopFile: string,
  latenciesMs: () => readonly number[],
) {
  const beganMs = performance.now();
  const pid = child.pid ?? 0;
  const wal = join(cwd, 'data', 'state', 'bridge.sqlite-wal');
  return (): Sample => {
    const latencies = latenciesMs();
    return {
      minute: (performance.now() - beganMs) / 60_000,
      residentMb: residentMb(pid),
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      walMb: (statSync(wal, { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20,
      stretchMs: Number(readFileSync(loopFile, 'utf8')),
      p50Ms: latencies.length === 0 ? 0 : percentile(latencies, 0.5),
      p99Ms: latencies.length === 0 ? 0 : percentile(latencies, 0.99),
    };
  };
}
