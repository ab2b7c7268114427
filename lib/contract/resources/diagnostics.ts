import * as v from 'valibot';
import { BRIDGE_CODES } from '../../errors/codes.ts';
import { Count, DurationMs, documented, UnixSecs } from '../schema/fields.ts';
import { JOB_STATUSES } from './job.ts';

export const Liveness = v.strictObject({ status: v.literal('live') });

// The replies contain no details, because these routes are public.
export const Ready = v.strictObject({ status: v.literal('ready') });
export const NotReady = v.strictObject({ status: v.literal('not_ready') });

export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const;

/** The route label of a reply to a request that matched no route. The requested path itself is never stored. */
export const UNMATCHED_ROUTE = 'unmatched';

/** The methods that are reported by name. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export const OTHER_METHOD = 'OTHER';

export type ReportedMethod = (typeof METHODS)[number] | typeof OTHER_METHOD;

/** The maximum number of stored events. */
export const EVENT_CAPACITY = 256;

const Limit = v.union([Count, v.literal('unlimited')]);

const gateEntries = {
  active: Count,
  queued: Count,
  max_concurrent: Limit,
  max_queued: Limit,
};

const BreakerReport = v.strictObject({
  state: v.picklist(BREAKER_STATES),
  failures: Count,
  opens: documented(Count, 'The number of times the circuit breaker has opened since the start.'),
  retry_after_ms: v.optional(DurationMs),
});

const ProviderReport = v.strictObject({
  name: v.string(),
  ready: v.boolean(),
  checked: UnixSecs,
  error_code: v.optional(v.picklist(BRIDGE_CODES)),
  restarts: documented(Count, 'The number of restarts of the child process of the provider.'),
});

const JobsReport = v.strictObject({
  enabled: v.boolean(),
  by_status: v.strictObject(
    Object.fromEntries(JOB_STATUSES.map((status) => [status, Count])) as Record<
      (typeof JOB_STATUSES)[number],
      typeof Count
    >,
  ),
  hidden: Count,
  favorite: Count,
  active_workers: Count,
  limits: v.strictObject({
    max_pending: Count,
    max_running: documented(Count, 'The limit of this process. 0 if this replica runs no jobs.'),
    max_running_total: documented(Limit, 'The limit of all replicas together.'),
    max_database_bytes: Count,
  }),
  retention: v.strictObject({
    retention_secs: Count,
    max_retained: Count,
    max_retained_bytes: Count,
  }),
  reserved_bytes: documented(Count, 'Space reserved for the results of active jobs.'),
  logical_bytes: Count,
});

const WebhooksReport = v.strictObject({
  enabled: v.boolean(),
  pending: documented(Count, 'The number of ended jobs that have not been sent yet.'),
});

const TaskReport = v.strictObject({
  name: v.string(),
  last_success: documented(
    v.optional(UnixSecs),
    'The end of the last successful run; absent before the first successful run.',
  ),
  failures: documented(Count, 'The number of failed runs since the start.'),
});

const ApiEvent = v.strictObject({
  sequence: Count,
  timestamp_ms: Count,
  method: v.picklist([...METHODS, OTHER_METHOD]),
  route: documented(v.string(), 'A path of this document, or unmatched.'),
  status: v.pipe(v.number(), v.integer()),
  duration_ms: DurationMs,
});
export type ApiEvent = v.InferOutput<typeof ApiEvent>;

/** The state of the bridge for its operator: facts and counts, never the content of requests. */
export const Diagnostics = v.strictObject({
  service_version: v.string(),
  started: UnixSecs,
  uptime_ms: DurationMs,
  listener: v.strictObject({ scope: v.picklist(['loopback', 'remote']), port: Count }),
  authentication_required: v.boolean(),
  configuration: v.strictObject({
    version: Count,
    origins: documented(
      v.array(
        v.strictObject({
          field: v.string(),
          source: v.picklist(['default', 'file', 'environment', 'override']),
        }),
      ),
      'The source of each setting, without its value.',
    ),
  }),
  runtime: v.strictObject({
    global: v.strictObject(gateEntries),
    providers: v.record(v.string(), v.strictObject({ ...gateEntries, breaker: BreakerReport })),
  }),
  providers: v.array(ProviderReport),
  jobs: JobsReport,
  webhooks: WebhooksReport,
  tasks: documented(v.array(TaskReport), 'Background tasks that run at regular intervals.'),
  storage: v.strictObject({
    database_bytes_logical: Count,
    database_bytes_physical: Count,
    artifacts_count: Count,
    artifacts_bytes: Count,
  }),
  events: v.strictObject({
    capacity: v.literal(EVENT_CAPACITY),
    overwritten: Count,
    items: documented(
      v.array(ApiEvent),
      'The latest replies, newest first. Without the permission `admin`, only replies to the requesting token are listed and counted.',
    ),
  }),
});
export type Diagnostics = v.InferOutput<typeof Diagnostics>;
