import type { ArtifactStore } from '../artifacts/artifact-store-port.ts';
import type { FieldOrigin } from '../config/resolve-config.ts';
import type { Config } from '../config/settings.ts';
import type { Diagnostics } from '../contract/diagnostics.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { EventRing } from './event-ring.ts';
import type { ProviderState } from './readiness.ts';

/** What stays the same for the life of the process, but for the configuration's version. */
export interface HouseFacts {
  /** Of the package. */
  readonly version: string;
  readonly listener: Diagnostics['listener'];
  readonly authenticationRequired: boolean;
  /** Every setting; whoever reads them gets no value. */
  readonly origins: readonly FieldOrigin[];
}

interface Deps {
  readonly facts: HouseFacts;
  readonly config: Pick<Config, 'version'> & { readonly server: Pick<Config['server'], 'jobs'> };
  readonly clock: Clock;
  /** Gates and breakers as they are now. */
  readonly runtime: () => Diagnostics['runtime'];
  readonly providers: () => readonly ProviderState[];
  readonly database: { sizes(): Promise<{ logicalBytes: number; physicalBytes: number }> };
  readonly artifacts: Pick<ArtifactStore, 'totals'>;
  readonly events: Pick<EventRing, 'report'>;
}

export type DiagnosticsReporter = ReturnType<typeof createDiagnostics>;

/** Tells whoever runs the bridge how it is: facts and counts, never content (contract.md 12). */
export function createDiagnostics(deps: Deps) {
  const { facts, config, clock } = deps;
  const started = nowSecs(clock);
  const startedMs = clock.monotonicMs();
  const { version: service_version, listener, authenticationRequired, origins } = facts;
  const configuration = {
    version: config.version,
    origins: origins.map(({ field, source }) => ({ field, source })),
  };
  const jobs = toJobsReport(config.server.jobs);

  return {
    /** Throws `overloaded` when the bridge is stopping. */
    async report(): Promise<Diagnostics> {
      return {
        service_version,
        started,
        uptime_ms: Math.round(clock.monotonicMs() - startedMs),
        listener,
        authentication_required: authenticationRequired,
        configuration,
        runtime: deps.runtime(),
        providers: deps.providers().map(toProviderReport),
        jobs,
        storage: await storageReport(deps),
        events: deps.events.report(),
      };
    },
  };
}

function toProviderReport({
  name,
  ready,
  checkedSecs: checked,
  errorCode,
}: ProviderState): Diagnostics['providers'][number] {
  // No provider of this version has a child process that could be started again.
  const report = { name, ready, checked, restarts: 0 };
  return errorCode === undefined ? report : { ...report, error_code: errorCode };
}

/** The settings of the jobs. This version takes none, whatever the settings say, so that there is nothing to count. */
function toJobsReport(settings: Config['server']['jobs']): Diagnostics['jobs'] {
  const { max_pending, max_running, max_database_bytes } = settings;
  const { retention_secs, max_retained, max_retained_bytes } = settings;
  return {
    enabled: false,
    by_status: { queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0, interrupted: 0 },
    hidden: 0,
    favorite: 0,
    active_workers: 0,
    limits: { max_pending, max_running, max_database_bytes },
    retention: { retention_secs, max_retained, max_retained_bytes },
    reserved_bytes: 0,
    logical_bytes: 0,
  };
}

async function storageReport({
  database,
  artifacts,
}: Pick<Deps, 'database' | 'artifacts'>): Promise<Diagnostics['storage']> {
  const [{ logicalBytes, physicalBytes }, { count, bytes }] = await Promise.all([
    database.sizes(),
    artifacts.totals(),
  ]);
  return {
    database_bytes_logical: logicalBytes,
    database_bytes_physical: physicalBytes,
    artifacts_count: count,
    artifacts_bytes: bytes,
  };
}
