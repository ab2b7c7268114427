import { bytes } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /metrics: returns the metrics for Prometheus. */
export const handler = operation<'metrics'>()({
  id: 'getMetrics',
  summary: 'Read the metrics',
  protection: 'metrics',
  request: { ignoresQuery: true },
  reply: {
    status: 200,
    description: 'The metrics in the Prometheus text format.',
    mediaTypes: ['text/plain'],
  },
  errors: ['not_found'],
  async handle({ services }) {
    return bytes(Buffer.from(await services.metrics.exposition()), {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    });
  },
});
