import type { AddressInfo, Server } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Span } from '../measure/server-process.ts';

// Each sample includes the interval of the sampler itself.
const INTERVAL_MS = 1;

/** The options with which the bench started this program. */
export function programOptions<T>(): T {
  // The cast is safe because this project writes both ends of the command line.
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** Listens on a free loopback port and reports it to the parent. */
export function listenForBench(server: Server): void {
  server.listen({ host: '127.0.0.1', port: 0 }, () => {
    // A server that listens on a TCP port has an address of this form.
    reportPort((server.address() as AddressInfo).port);
  });
}

/**
 * Reports the port to the parent, and then the resource use of this process at each request of the parent. Ends with the
 * parent.
 */
export function reportPort(port: number): void {
  const delay = monitorEventLoopDelay({ resolution: INTERVAL_MS });
  let cpu = process.cpuUsage();
  process.on('message', (message) => {
    if (message === 'begin') {
      delay.enable();
      delay.reset();
      cpu = process.cpuUsage();
      process.send?.({});
      return;
    }
    const { user, system } = process.cpuUsage(cpu);
    delay.disable();
    const span: Span = {
      cpuMs: (user + system) / 1000,
      loopP99Ms: delayMs(delay.percentile(99)),
      loopMaxMs: delayMs(delay.max),
      residentMb: process.memoryUsage.rss() / 2 ** 20,
      // Node returns kilobytes.
      peakMb: process.resourceUsage().maxRSS / 1024,
    };
    process.send?.(span);
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ port });
}

function delayMs(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - INTERVAL_MS);
}
