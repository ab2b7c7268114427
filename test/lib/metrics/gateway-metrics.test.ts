import { describe, expect, it } from 'vitest';
import { createGatewayMetrics } from '../../../lib/metrics/gateway-metrics.ts';
import { PREFIX } from '../../../lib/metrics/metric-table.ts';
import { parseExposition } from './exposition.ts';

describe('createGatewayMetrics', () => {
  it('starts the series of alerts at zero', async () => {
    const metrics = await createGatewayMetrics('1.2.3');

    const text = await metrics.exposition({
      held: 0,
      inFlight: 0,
      target: 'hold',
      isHandingOff: false,
    });

    const replies = parseExposition(text).get(`${PREFIX}gateway_replies_total`)?.samples ?? [];
    expect(replies.map(({ labels, value }) => ({ ...labels, value }))).toEqual(
      ['502', '503', '504'].map((status) => ({ source: 'gateway', status, value: 0 })),
    );
  });
});
