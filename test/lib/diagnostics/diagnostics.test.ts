import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { Diagnostics } from '../../../lib/contract/resources/diagnostics.ts';
import { createDiagnostics } from '../../../lib/diagnostics/diagnostics.ts';
import { createEventRing } from '../../../lib/diagnostics/event-ring.ts';
import type { ProviderReport } from '../../../lib/diagnostics/readiness.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { runtimeReport } from '../metrics/runtime-report.ts';

const clock = createManualClock();

function diagnosticsWith(providers: readonly ProviderReport[] = []) {
  const events = createEventRing({ clock });
  events.replied({
    route: '/v1/images',
    method: 'POST',
    status: 200,
    durationMs: 4,
    callerId: 'bob',
  });
  return createDiagnostics({
    clock,
    events,
    facts: {
      version: '1.2.3',
      listener: { scope: 'loopback', port: 8787 },
      authenticationRequired: true,
      origins: [{ field: 'server.bind', source: 'file' }],
    },
    config: {
      version: 1,
      replica: { work: true },
      server: {
        jobs: {
          enabled: true,
          max_pending: 1,
          max_running: 2,
          max_running_total: 'unlimited',
          retention_secs: 3,
          max_retained: 4,
          max_retained_bytes: 5,
          max_database_bytes: 6,
        },
        webhooks: { enabled: false },
      },
    },
    runtime: runtimeReport,
    tasks: () => [{ name: 'job-retention', last_success: 1, failures: 2 }],
    providers: () => providers,
    database: { sizes: async () => ({ logicalBytes: 8192, physicalBytes: 4096 }) },
    artifacts: { totals: async () => ({ count: 7, bytes: 700 }) },
    jobs: {
      totals: async () => ({
        byStatus: { queued: 1, running: 2, succeeded: 3, failed: 4, cancelled: 5, interrupted: 6 },
        hidden: 7,
        favorite: 8,
        logicalBytes: 900,
        reservedBytes: 10,
      }),
      active: () => 2,
    },
    webhooks: { countPending: async () => 11 },
  });
}

const ADMIN = unnamedCaller('anonymous');

describe('createDiagnostics', () => {
  it.each([
    ['bob', 1],
    ['alice', 0],
  ])('shows %s, who has no admin permission, %i replies', async (id, count) => {
    const report = await diagnosticsWith().report({ id, permissions: ['diagnostics'] });

    expect(report.events.items).toHaveLength(count);
  });

  it('reports every documented field from its source', async () => {
    const report = await diagnosticsWith().report(ADMIN);

    expect(v.parse(Diagnostics, report)).toEqual(report);
    expect(report).toMatchObject({
      service_version: '1.2.3',
      started: Math.floor(clock.nowMs() / 1000),
      listener: { scope: 'loopback', port: 8787 },
      authentication_required: true,
      configuration: { version: 1, origins: [{ field: 'server.bind', source: 'file' }] },
      runtime: runtimeReport(),
      storage: {
        database_bytes_logical: 8192,
        database_bytes_physical: 4096,
        artifacts_count: 7,
        artifacts_bytes: 700,
      },
      tasks: [{ name: 'job-retention', last_success: 1, failures: 2 }],
      webhooks: { enabled: false, pending: 11 },
      events: { capacity: 256, overwritten: 0, items: [{ sequence: 1, route: '/v1/images' }] },
    });
  });

  it('measures the uptime since its creation', async () => {
    const diagnostics = diagnosticsWith();

    await clock.advance(1500);

    expect((await diagnostics.report(ADMIN)).uptime_ms).toBe(1500);
  });

  it('reports an error code only for a provider that is not ready', async () => {
    const report = await diagnosticsWith([
      {
        name: 'agent-responses',
        ready: false,
        checkedSecs: 9,
        errorCode: 'authentication',
        restarts: 0,
      },
      { name: 'sandbox', ready: true, checkedSecs: 8, restarts: 3 },
    ]).report(ADMIN);

    expect(report.providers).toEqual([
      {
        name: 'agent-responses',
        ready: false,
        checked: 9,
        error_code: 'authentication',
        restarts: 0,
      },
      { name: 'sandbox', ready: true, checked: 8, restarts: 3 },
    ]);
    expect(v.is(Diagnostics, report)).toBe(true);
  });

  it('reports the limits and the numbers of jobs', async () => {
    const { jobs } = await diagnosticsWith().report(ADMIN);

    expect(jobs).toMatchObject({
      enabled: true,
      by_status: { queued: 1, running: 2, succeeded: 3, failed: 4, cancelled: 5, interrupted: 6 },
      hidden: 7,
      favorite: 8,
      active_workers: 2,
      logical_bytes: 900,
      reserved_bytes: 10,
      limits: {
        max_pending: 1,
        max_running: 2,
        max_running_total: 'unlimited',
        max_database_bytes: 6,
      },
      retention: { retention_secs: 3, max_retained: 4, max_retained_bytes: 5 },
    });
  });
});
