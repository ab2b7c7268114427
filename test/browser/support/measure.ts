import type { CDPSession, Page } from 'playwright-core';

const sessions = new WeakMap<Page, CDPSession>();

/** Slows down the thread of the page by this factor, and measures its time from now on. */
export async function slowCpu(page: Page, times: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  sessions.set(page, session);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Emulation.setCPUThrottlingRate', { rate: times });
}

/** Returns the CPU time of the tasks of a slowed page in milliseconds. Other programs do not increase this time. */
export async function cpuMs(page: Page): Promise<number> {
  const reply = await sessions.get(page)?.send('Performance.getMetrics');
  const seconds = reply?.metrics.find(({ name }) => name === 'TaskDuration')?.value;
  return (seconds ?? Number.NaN) * 1000;
}

/** Returns the bytes that scripts of the page use after a garbage collection. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

interface LongTask {
  /** The time since the navigation. */
  readonly startMs: number;
  readonly durationMs: number;
}

/** Returns the tasks of more than 50 ms since the navigation, up to the 200 that the browser stores. */
export function longTasks(page: Page): Promise<readonly LongTask[]> {
  return page.evaluate(
    () =>
      new Promise<LongTask[]>((resolve) => {
        const tasks: LongTask[] = [];
        const observer = new PerformanceObserver((list) => {
          for (const { startTime, duration } of list.getEntries()) {
            tasks.push({ startMs: startTime, durationMs: duration });
          }
        });
        observer.observe({ type: 'longtask', buffered: true });
        // Buffered entries are delivered before the second next frame.
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            observer.disconnect();
            resolve(tasks);
          }),
        );
      }),
  );
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/**
 * Watches the tasks of the page's thread. `end` resolves with the CPU time of each task in milliseconds. Unlike elapsed
 * time, CPU time does not increase with the load of other programs.
 */
export async function traceTasks(page: Page) {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as TraceEvent[]) {
      if (event.name === 'RunTask' || event.name === 'thread_name') events.push(event);
    }
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'disabled-by-default-devtools.timeline'] },
  });
  return {
    async end(): Promise<readonly number[]> {
      const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
      await session.send('Tracing.end');
      await complete;
      await session.detach();
      const threads = events.filter(({ args }) => args.name === 'CrRendererMain');
      const isOfPage = (event: TraceEvent) =>
        threads.some(({ pid, tid }) => event.pid === pid && event.tid === tid);
      const tasks = events.filter((event) => event.name === 'RunTask' && isOfPage(event));
      return tasks.map(({ tdur = 0 }) => tdur / 1000);
    },
  };
}
