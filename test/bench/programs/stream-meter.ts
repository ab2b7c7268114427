import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Number of images, in total and at a time. */
export interface ReaderTask {
  readonly images: number;
  readonly atOnce: number;
}

/** The resources that the images used. */
export interface ReaderResult {
  readonly elapsedMs: number;
  readonly cpuMs: number;
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  /** Greatest memory of the process so far. */
  readonly peakMb: number;
}

// Each sample includes the interval of the sampler itself.
const INTERVAL_MS = 1;

/** Reads images at each request of the parent, and reports their cost. Ends with the parent. */
export function meterOf(readOne: () => Promise<void>): void {
  const delay = monitorEventLoopDelay({ resolution: INTERVAL_MS });
  process.on('message', async ({ images, atOnce }: ReaderTask) => {
    let left = images;
    const reader = async () => {
      while (left > 0) {
        left -= 1;
        await readOne();
      }
    };
    delay.enable();
    delay.reset();
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    try {
      await Promise.all(Array.from({ length: atOnce }, reader));
    } catch (error) {
      process.send?.({ failed: String(error) });
      return;
    }
    const elapsedMs = performance.now() - startMs;
    const { user, system } = process.cpuUsage(cpu);
    delay.disable();
    const result: ReaderResult = {
      elapsedMs,
      cpuMs: (user + system) / 1000,
      loopP99Ms: Math.max(0, delay.percentile(99) / 1e6 - INTERVAL_MS),
      loopMaxMs: Math.max(0, delay.max / 1e6 - INTERVAL_MS),
      peakMb: process.resourceUsage().maxRSS / 1024,
    };
    process.send?.(result);
  });
  process.on('disconnect', () => process.exit());
  process.send?.({});
}
