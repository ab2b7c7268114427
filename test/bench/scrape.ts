import { routes } from '../../handlers/routes.ts';
import { BRIDGE_CODES } from '../../lib/errors/codes.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import { createPrometheusMetrics } from '../../lib/metrics/prometheus-metrics.ts';
import { countedElsewhere } from '../lib/metrics/runtime-report.ts';
import type { Bench } from './measure/bench.ts';
import { p50AndP99 } from './measure/statistics.ts';

const PROVIDERS = ['sandbox', 'agent-responses', 'agent-app-server', 'own', 'azure', 'local'];
const STATUSES = [200, 400, 401, 403, 404, 409, 413, 429, 500, 502, 503, 504];
const SCRAPES_A_ROUND = 200;

/** The text of all metrics of a bridge with all possible series, generated again and again. */
export const scrape: Bench = {
  name: 'scrape',
  async run({ rounds }) {
    const metrics = await createPrometheusMetrics({
      version: '1.0.0',
      providers: PROVIDERS,
      routes,
    });
    fill(metrics);
    const times: number[] = [];
    let text = '';
    for (let nth = 0; nth < rounds * SCRAPES_A_ROUND; nth += 1) {
      const startMs = performance.now();
      text = await metrics.exposition(countedElsewhere());
      times.push(performance.now() - startMs);
    }
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
    return [
      {
        what: `the text of \`GET /metrics\`, ${series} series`,
        ours: p50AndP99(times),
        budget: '< 10 ms',
      },
    ];
  },
};

/** Records each route with each status, and each provider with each error. */
function fill(metrics: Metrics): void {
  const durationMs = 20;
  for (const { method, path } of routes) {
    for (const status of STATUSES) {
      metrics.httpRequestEnded({ route: path, method, status, durationMs });
    }
  }
  for (const provider of PROVIDERS) {
    for (const operation of ['generate', 'edit'] as const) {
      for (const code of BRIDGE_CODES) {
        metrics.operationEnded({ provider, operation, result: 'failed', code, durationMs });
      }
      metrics.operationEnded({ provider, operation, result: 'succeeded', code: 'ok', durationMs });
    }
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      metrics.imageGenerated({ provider, format, bytes: 1000 });
    }
  }
}
