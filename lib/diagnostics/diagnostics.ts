import type { ArtifactStore } from '../artifacts/artifact-store-port.ts';
import type { FieldOrigin } from '../config/resolve-config.ts';
import type { Config } from '../config/settings/settings.ts';
import type { Caller } from '../contract/request/caller.ts';
import type { Diagnostics } from '../contract/resources/diagnostics.ts';
import type { JobTotals } from '../jobs/job-store-port.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { WebhookStore } from '../webhooks/webhook-store-port.ts';
import type { EventRing } from './event-ring.ts';
import type { ProviderReport } from './readiness.ts';

/** The facts that do not change while the process runs. */
export interface ServiceFacts {
  /** The version of the package. */
  readonly version: string;
  readonly listener: Diagnostics['listener'];
  readonly authenticationRequired: boolean;
  /** The source of every setting, without its value. */
  readonly origins: readonly FieldOrigin[];
}

interface Deps {
  readonly facts: ServiceFacts;
  readonly config: Pick<Config, 'version'> & {
    readonly replica: Pick<Config['replica'], 'work'>;
    readonly server: Pick<Config['server'], 'jobs'> & {
      readonly webhooks: Pick<Config['server']['webhooks'], 'enabled'>;
    };
  };
  readonly clock: Clock;
  /** Returns the current state of gates and circuit breakers. */
  readonly runtime: () => Diagnostics['runtime'];
  readonly providers: () => readonly ProviderReport[];
  readonly tasks: () => Diagnostics['tasks'];
  readonly database: { sizes(): Promise<{ logicalBytes: number; physicalBytes: number }> };
  readonly artifacts: Pick<ArtifactStore, 'totals'>;
  readonly jobs: {
    totals(): Promise<JobTotals>;
    /** Returns the number of jobs that run in this process. */
    active(): number;
  };
  readonly webhooks: Pick<WebhookStore, 'countPending'>;
  readonly events: Pick<EventRing, 'report'>;
}

export type DiagnosticsReporter = ReturnType<typeof createDiagnostics>;

/** Reports the state of the bridge to its operator: facts and counts, never the content of requests. */
export function createDiagnostics(deps: Deps) {
  const { facts, config, clock } = deps;
  const started = nowSecs(clock);
  const startedMs = clock.monotonicMs();
  const { version: service_version, listener, authenticationRequired, origins } = facts;
  const configuration = {
    version: config.version,
    origins: origins.map(({ field, source }) => ({ field, source })),
  };

  return {
    /**
     * Resolves with the diagnostics. Requests of other tokens are shown only to a caller with the permission `admin`. Throws
     * `overloaded` if the bridge is stopping.
     */
    async report({ id, permissions }: Pick<Caller, 'id' | 'permissions'>): Promise<Diagnostics> {
      const isAdmin = permissions.includes('admin');
      const { logicalBytes, physicalBytes } = await deps.database.sizes();
      const { count, bytes } = await deps.artifacts.totals();
      return {
        service_version,
        started,
        uptime_ms: Math.round(clock.monotonicMs() - startedMs),
        listener,
        authentication_required: authenticationRequired,
        configuration,
        runtime: deps.runtime(),
        providers: deps.providers().map(toProviderReport),
        jobs: toJobsReport(config, await deps.jobs.totals(), deps.jobs.active()),
        webhooks: {
          enabled: config.server.webhooks.enabled,
          pending: await deps.webhooks.countPending(),
        },
        storage: {
          database_bytes_logical: logicalBytes,
          database_bytes_physical: physicalBytes,
          artifacts_count: count,
          artifacts_bytes: bytes,
        },
        tasks: deps.tasks(),
        events: deps.events.report(isAdmin ? undefined : id),
      };
    },
  };
}

function toProviderReport(found: ProviderReport): Diagnostics['providers'][number] {
  const { name, ready, checkedSecs: checked, errorCode, restarts } = found;
  const report = { name, ready, checked, restarts };
  return errorCode === undefined ? report : { ...report, error_code: errorCode };
}

function toJobsReport(
  { server: { jobs: settings }, replica }: Deps['config'],
  { byStatus, hidden, favorite, reservedBytes, logicalBytes }: JobTotals,
  active: number,
): Diagnostics['jobs'] {
  const { enabled, max_pending, max_running, max_running_total, max_database_bytes } = settings;
  const { retention_secs, max_retained, max_retained_bytes } = settings;
  return {
    enabled,
    by_status: byStatus,
    hidden,
    favorite,
    active_workers: active,
    limits: {
      max_pending,
      max_running: replica.work ? max_running : 0,
      max_running_total,
      max_database_bytes,
    },
    retention: { retention_secs, max_retained, max_retained_bytes },
    reserved_bytes: reservedBytes,
    logical_bytes: logicalBytes,
  };
}
