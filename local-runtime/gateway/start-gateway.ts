import { createGatewayMetrics, silentGatewayMetrics } from '../../lib/metrics/gateway-metrics.ts';
import { createForwarder } from '../../lib/net/forwarder.ts';
import { createHttpClient } from '../../lib/net/http-client.ts';
import { systemClock as clock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { isFresh, recordPath } from '../handoff/handoff-record.ts';
import type { ListenAddress } from '../listener/listen.ts';
import { packageVersion } from '../package-version.ts';
import { startTasks } from '../task-loop.ts';
import { openCoordination } from './coordination.ts';
import type { Slot, Target } from './coordination-file.ts';
import { createGateway, type GatewaySettings } from './gateway.ts';
import { openMetricsListener } from './metrics-listener.ts';
import { createReadiness } from './readiness.ts';

export interface GatewayStart extends GatewaySettings {
  readonly bind: ListenAddress;
  /** Where the metrics are served, if anywhere. */
  readonly metricsBind: ListenAddress | undefined;
  /** The path of the coordination file. */
  readonly coordination: string;
  readonly origins: Readonly<Record<Slot, string>>;
  /** How often the file is read and the active slot is asked whether it is ready. */
  readonly probeMs: number;
  /** Is notified of the first target and of every change. */
  readonly onTarget: (target: Target) => void;
}

interface RunningGateway {
  readonly port: number;
  /** Refuses what is held, waits for the replies that a slot still owes, then closes everything. */
  stop(): Promise<void>;
}

/** Starts a gateway. When a step fails, the steps before it are undone. Throws `configuration` with one sentence. */
export async function startGateway(start: GatewayStart): Promise<RunningGateway> {
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
    const forwarder = await createForwarder(start);
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
