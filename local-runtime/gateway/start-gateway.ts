import { createServer } from 'node:http';
import { createGatewayMetrics, silentGatewayMetrics } from '../../lib/metrics/gateway-metrics.ts';
import { createForwarder } from '../../lib/net/forwarder.ts';
import { createHttpClient } from '../../lib/net/http-client.ts';
import { systemClock as clock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { type ListenAddress, listen } from '../server/listener/http-server.ts';
import { packageVersion } from '../server/package-version.ts';
import { startTasks } from '../server/task-loop.ts';
import { openCoordination, type Slot, type Target } from './coordination.ts';
import { createGateway, type GatewaySettings } from './gateway.ts';
import { isFresh, recordPath } from './handoff/handoff-record.ts';
import { createReadiness } from './readiness.ts';

export interface GatewayStart extends GatewaySettings {
  readonly bind: ListenAddress;
  /** The listen address of the metrics. Undefined disables the metrics. */
  readonly metricsBind: ListenAddress | undefined;
  /** The path of the coordination file. */
  readonly coordination: string;
  readonly origins: Readonly<Record<Slot, string>>;
  /** The interval at which the file is read and the active slot is probed, in milliseconds. */
  readonly probeMs: number;
  /** Called with the first target and after every change. */
  readonly onTarget: (target: Target) => void;
}

/**
 * Starts a gateway. If a step fails, undoes the earlier steps. Throws `configuration` with one sentence. The function `stop`
 * rejects held requests, waits for the replies of the slots, then closes everything.
 */
export async function startGateway(start: GatewayStart) {
  const { origins, probeMs, metricsBind, forwardMs } = start;
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const one of closers.reverse()) await one();
  };
  try {
    const path = start.coordination;
    const coordination = await openCoordination({ path, clock, pollMs: probeMs });
    closers.push(coordination.close);
    start.onTarget(coordination.target());
    coordination.onChange(start.onTarget);
    const forwarder = await createForwarder(start.idleMs);
    const client = createHttpClient();
    closers.push(forwarder.close, client.close);
    const readiness = createReadiness({ coordination, origins, client, clock, everyMs: probeMs });
    const metrics = metricsBind
      ? await createGatewayMetrics(packageVersion())
      : silentGatewayMetrics;
    const gateway = createGateway({
      settings: start,
      origins,
      coordination,
      forwarder,
      metrics,
      isReady: readiness.isReady,
      clock,
      ids: createIds(clock.nowMs),
    });
    if (metricsBind) {
      const record = recordPath(start.coordination);
      const exposition = async () => {
        const { target, held, in_flight: inFlight } = gateway.state();
        const isHandingOff = await isFresh(record, clock);
        return metrics.exposition({ target, held, inFlight, isHandingOff });
      };
      closers.push((await openMetricsListener(metricsBind, exposition)).close);
    }
    const port = await gateway.listen(start.bind);
    closers.push(startTasks([readiness.task], clock).stop);
    closers.push(() => gateway.stop(forwardMs));
    return { port, stop: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Serves only `GET /metrics`. Throws `configuration` if the address cannot be bound. */
async function openMetricsListener(
  address: ListenAddress,
  exposition: () => Promise<string>,
): Promise<{ close(): void }> {
  const server = createServer(async ({ url, method }, reply) => {
    if (url?.split('?', 1)[0] !== '/metrics' || method !== 'GET') {
      reply.writeHead(404).end();
      return;
    }
    const text = await exposition();
    reply.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  });
  await listen(server, address, '--metrics-bind');
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
