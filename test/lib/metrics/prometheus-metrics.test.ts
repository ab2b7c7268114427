import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CREDENTIALS, FOUND, MARK_RESULTS } from '../../../lib/contract/reply/provenance.ts';
import { METHODS, OTHER_METHOD } from '../../../lib/contract/resources/diagnostics.ts';
import { JOB_STATUSES } from '../../../lib/contract/resources/job.ts';
import { BRIDGE_CODES, type BridgeCode } from '../../../lib/errors/codes.ts';
import { REFUSAL_REASONS } from '../../../lib/errors/refusals.ts';
import { METRICS, type MetricRow, PREFIX } from '../../../lib/metrics/metric-table.ts';
import {
  CREDENTIAL_FAILURES,
  type Metrics,
  WEBHOOK_RESULTS,
} from '../../../lib/metrics/metrics.ts';
import { createPrometheusMetrics } from '../../../lib/metrics/prometheus-metrics.ts';
import { parseExposition } from './exposition.ts';
import { countedElsewhere } from './runtime-report.ts';

const PROVIDERS = ['agent-responses', 'sandbox'];
const ROUTES = [
  { method: 'POST', path: '/v1/images' },
  { method: 'GET', path: '/v1/artifacts/{id}' },
  { method: 'DELETE', path: '/v1/artifacts/{id}' },
] as const;
const ROWS: readonly MetricRow[] = Object.values(METRICS);

const open = () =>
  createPrometheusMetrics({ version: '1.2.3', providers: PROVIDERS, routes: ROUTES });

/** Records one event of each kind. */
function recordAll(metrics: Metrics): void {
  metrics.httpRequestEnded({ route: '/v1/images', method: 'POST', status: 200, durationMs: 20 });
  const refused = { status: 503, durationMs: 1, refusal: 'queue_full' } as const;
  metrics.httpRequestEnded({ route: '/v1/images', method: 'POST', ...refused });
  metrics.replyStalled();
  metrics.operationEnded({
    provider: 'sandbox',
    operation: 'generate',
    result: 'succeeded',
    code: 'ok',
    durationMs: 700,
  });
  metrics.providerCallEnded({
    durationMs: 400,
    provider: 'sandbox',
    cost: { amount: 25_000_000_000n, basis: 'priced' },
    unpriced: 2,
  });
  metrics.queued({ durationMs: 0 });
  metrics.imageGenerated({ provider: 'sandbox', format: 'png', bytes: 1000 });
  metrics.normalized(3);
  metrics.artifactVerified('succeeded');
  metrics.circuitTransition();
  metrics.circuitRejected();
  metrics.taskFailed({ task: 'job-retention' });
  metrics.webhookSent('retried');
  metrics.imageDescribed({ found: 'valid', credentials: 'resigned', mark: 'written' });
  metrics.signed({ durationMs: 30 });
  metrics.credentialsFailed('timed_out');
}

async function read(metrics: Metrics, now = countedElsewhere()) {
  return parseExposition(await metrics.exposition(now));
}

/** Returns the samples of one metric with their labels and values. */
async function samples(metrics: Metrics, name: string, now = countedElsewhere()) {
  const family = (await read(metrics, now)).get(PREFIX + name);
  return (family?.samples ?? []).map(({ labels, value }) => ({ ...labels, value }));
}

/** Returns the samples of one metric that are not zero. */
async function counted(metrics: Metrics, name: string) {
  return (await samples(metrics, name)).filter(({ value }) => value !== 0);
}

describe('createPrometheusMetrics', () => {
  it('exposes exactly the metrics of the table', async () => {
    const metrics = await open();
    recordAll(metrics);

    const families = await read(metrics);

    expect(
      [...families].map(([name, { help, type }]) => ({ name, help, type })).sort(byName),
    ).toEqual(
      ROWS.map(({ kind, name, help }) => ({ name: PREFIX + name, help, type: kind })).sort(byName),
    );
  });

  it('counts a refusal by its reason, and shows every reason from the start', async () => {
    const metrics = await open();
    recordAll(metrics);

    expect(await counted(metrics, 'refusals_total')).toEqual([{ reason: 'queue_full', value: 1 }]);
    expect((await samples(metrics, 'refusals_total')).map((it) => Object.values(it)[0])).toEqual(
      REFUSAL_REASONS,
    );
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('shows readiness %s as %i', async (isReady, value) => {
    const now = { ...countedElsewhere(), isReady };

    expect(await samples(await open(), 'ready', now)).toEqual([{ value }]);
  });

  it.each(ROWS)('exposes $name with exactly its labels', async ({ kind, name, labels = [] }) => {
    const metrics = await open();
    recordAll(metrics);

    const found = (await read(metrics)).get(PREFIX + name)?.samples ?? [];

    expect(found).not.toEqual([]);
    for (const sample of found) {
      const isBucket = kind === 'histogram' && sample.name.endsWith('_bucket');
      const expected = isBucket ? [...labels, 'le'] : [...labels];
      expect(Object.keys(sample.labels).sort()).toEqual(expected.sort());
    }
  });

  it('exposes only zero totals, the gates and the build before the first event', async () => {
    const metrics = await open();

    expect(await samples(metrics, 'generated_images_total')).toEqual([]);
    expect(await samples(metrics, 'normalizations_total')).toEqual([{ value: 0 }]);
    expect(await samples(metrics, 'build_info')).toEqual([{ version: '1.2.3', value: 1 }]);
  });

  it('starts the series of alerts at zero', async () => {
    const metrics = await open();

    expect(await samples(metrics, 'webhook_deliveries_total')).toEqual(
      WEBHOOK_RESULTS.map((result) => ({ result, value: 0 })),
    );
    expect(await samples(metrics, 'artifact_verifications_total')).toEqual([
      { result: 'succeeded', value: 0 },
      { result: 'failed', value: 0 },
    ]);
    expect(await samples(metrics, 'requests_total')).toEqual(
      PROVIDERS.flatMap((provider) =>
        ['generate', 'edit'].map((operation) => ({
          ...{ provider, operation, result: 'failed', code: 'authentication' },
          value: 0,
        })),
      ),
    );
    expect(await samples(metrics, 'http_requests_total')).toEqual(
      ROUTES.map(({ method, path }) => ({ route: path, method, status: '500', value: 0 })),
    );
  });

  it('counts durations in the documented buckets, in seconds', async () => {
    const metrics = await open();
    metrics.queued({ durationMs: 700 });

    const buckets = (await samples(metrics, 'queue_duration_seconds')).filter(
      (sample) => 'le' in sample,
    );

    expect(buckets).toEqual(
      [0.1, 0.5, 1, 5, 10, 30, 60, 120, 180, 300, 600, 1800, '+Inf'].map((le) => ({
        le: String(le),
        value: le === 0.1 || le === 0.5 ? 0 : 1,
      })),
    );
  });

  it('adds up requests by route, method and status', async () => {
    const metrics = await open();
    const get = { route: '/v1/images', method: 'GET', status: 405, durationMs: 1 };

    metrics.httpRequestEnded(get);
    metrics.httpRequestEnded({ ...get, method: 'POST', status: 200 });
    metrics.httpRequestEnded(get);

    expect(await counted(metrics, 'http_requests_total')).toEqual([
      { route: '/v1/images', method: 'GET', status: '405', value: 2 },
      { route: '/v1/images', method: 'POST', status: '200', value: 1 },
    ]);
  });

  it('shows the current state of gates and circuit breakers', async () => {
    const metrics = await open();
    await metrics.exposition(countedElsewhere('open'));

    const now = countedElsewhere('half_open');

    expect(await samples(metrics, 'queue_depth', now)).toEqual([
      { scope: 'global', value: 5 },
      { scope: 'sandbox', value: 3 },
    ]);
    expect(await samples(metrics, 'active_operations', now)).toEqual([
      { scope: 'global', value: 2 },
      { scope: 'sandbox', value: 1 },
    ]);
    expect(await samples(metrics, 'circuit_state', now)).toEqual([
      { provider: 'sandbox', state: 'closed', value: 0 },
      { provider: 'sandbox', state: 'open', value: 0 },
      { provider: 'sandbox', state: 'half_open', value: 1 },
    ]);
  });

  it('counts an operation without a chosen provider under none', async () => {
    const metrics = await open();

    metrics.operationEnded({
      provider: undefined,
      operation: 'edit',
      result: 'failed',
      code: 'invalid_request',
      durationMs: 1,
    });

    expect(await counted(metrics, 'requests_total')).toEqual([
      { provider: 'none', operation: 'edit', result: 'failed', code: 'invalid_request', value: 1 },
    ]);
  });

  it('never uses an unregistered name, path, method or code as a label', async () => {
    const statuses: ReadonlySet<string> = new Set(['200', '500', ...JOB_STATUSES]);
    const allowed = new Set([
      ...['none', 'global', 'unmatched', 'ok', 'generate', 'edit', 'succeeded', 'failed'],
      ...['png', 'closed', 'open', 'half_open', '1.2.3', OTHER_METHOD],
      ...[
        ...PROVIDERS,
        ...ROUTES.map(({ path }) => path),
        ...METHODS,
        ...BRIDGE_CODES,
        ...REFUSAL_REASONS,
        ...WEBHOOK_RESULTS,
        ...CREDENTIAL_FAILURES,
        ...MARK_RESULTS,
        ...FOUND,
        ...CREDENTIALS,
      ],
    ]);
    const metrics = await open();

    await fc.assert(
      fc.asyncProperty(anything, anything, anything, anything, async (name, path, method, code) => {
        metrics.httpRequestEnded({ route: path, method, status: 200, durationMs: 1 });
        metrics.operationEnded({
          provider: name,
          operation: 'generate',
          result: 'failed',
          // A code without a translation must not become a label.
          code: code as BridgeCode,
          durationMs: 1,
        });
        metrics.imageGenerated({ provider: name, format: 'png', bytes: 1 });
        metrics.circuitTransition();
        metrics.circuitRejected();
        const cost = { amount: 1n, basis: 'reported' } as const;
        metrics.providerCallEnded({ durationMs: 1, provider: name, cost, unpriced: 1 });
        await metrics.exposition(countedElsewhere('open', name));
      }),
    );

    const strange = [...(await read(metrics)).values()]
      .flatMap((family) => family.samples)
      .flatMap(({ labels }) => Object.entries(labels))
      .filter(([label, value]) => {
        if (label === 'le') return false;
        if (label === 'basis') return !['reported', 'priced'].includes(value);
        return label === 'status' ? !statuses.has(value) : !allowed.has(value);
      });
    expect(strange).toEqual([]);
  });

  it('separates two instances', async () => {
    const [one, other] = [await open(), await open()];

    one.normalized(2);

    expect(await samples(other, 'normalizations_total')).toEqual([{ value: 0 }]);
  });
});

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', '', '/v1/images/../x', 'sandbox '),
);

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
