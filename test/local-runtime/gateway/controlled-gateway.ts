import { silentGatewayMetrics } from '../../../lib/metrics/gateway-metrics.ts';
import { createForwarder } from '../../../lib/net/forwarder.ts';
import { systemClock as clock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import type { Target } from '../../../local-runtime/gateway/coordination.ts';
import { createGateway } from '../../../local-runtime/gateway/gateway.ts';
import { cleanUpLater, type FakeSlot } from './gateway-rig.ts';

interface CountedReply {
  readonly source: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Starts a gateway whose target is changed by the test, with its metrics. `stopAll` stops the gateway. */
export async function startControlled(
  slots: { readonly blue?: FakeSlot; readonly green?: FakeSlot },
  first: Target,
  { holdMs = 60_000 } = {},
) {
  const nowhere = 'http://127.0.0.1:1';
  const listeners: ((target: Target) => void)[] = [];
  let target = first;
  const counted = { replies: [] as CountedReply[], disconnects: 0 };
  /** The promise for which a read of the file waits. */
  const reading = { of: async () => {} };
  const coordination = {
    target: () => target,
    onChange: (listener: (target: Target) => void) => void listeners.push(listener),
    async refresh() {
      await reading.of();
      return target;
    },
    close: async () => {},
  };
  const forwarder = await createForwarder(60_000);
  const gateway = createGateway({
    settings: { holdMs, maxHeld: 100, idleMs: 60_000, forwardMs: 60_000, maxBodyBytes: 1_000_000 },
    origins: { blue: slots.blue?.url ?? nowhere, green: slots.green?.url ?? nowhere },
    coordination,
    forwarder,
    metrics: {
      ...silentGatewayMetrics,
      replied: (reply) => void counted.replies.push(reply),
      disconnected: () => {
        counted.disconnects += 1;
      },
    },
    isReady: () => true,
    clock,
    ids: createIds(clock.nowMs),
  });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  cleanUpLater(forwarder.close, () => gateway.stop(1000));
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    state: gateway.state,
    counted,
    reading,
    point(to: Target) {
      target = to;
      for (const listener of listeners) listener(to);
    },
  };
}
