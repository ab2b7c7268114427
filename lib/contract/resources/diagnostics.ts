import * as v from 'valibot';
import { BRIDGE_CODES } from '../../errors/codes.ts';
import { documented } from '../schema/documented.ts';
import { Count, DurationMs, UnixSecs } from '../schema/fields.ts';
import { JOB_STATUSES } from './job.ts';

export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const;

/** The route of a reply that no route gave; the path of a caller is never kept. */
export const UNMATCHED_ROUTE = 'unmatched';

/** The methods that are reported by their names. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export const OTHER_METHOD = 'OTHER';

export type ReportedMethod = (typeof METHODS)[number] | typeof OTHER_METHOD;

/** How many events the ring holds. */
export const EVENT_CAPACITY = 256;

const Limit = v.union([Count, v.literal('unlimited')]);

const gateEntries = {
  active: Count,
  queued: Count,
  max_concurrent: Limit,
  max_queued: Limit,
};

export const BreakerReport = v.strictObject({
  state: v.picklist(BREAKER_STATES),
  failures: Count,
  opens: documented(Count, 'How often it has opened since the start.'),
  retry_after_ms: v.optional(DurationMs),
});

const ProviderReport = v.strictObject({
  name: v.string(),
  ready: v.boolean(),
  checked: UnixSecs,
  error_code: v.optional(v.picklist(BRIDGE_CODES)),
  restarts: documented(Count, 'How often its child process was started again.'),
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
  limits: v.strictObject({ max_pending: Count, max_running: Count, max_database_bytes: Count }),
  retention: v.strictObject({
    retention_secs: Count,
    max_retained: Count,
    max_retained_bytes: Count,
  }),
  reserved_bytes: documented(Count, 'Kept free for the results of active jobs.'),
  logical_bytes: Count,
});

const WebhooksReport = v.strictObject({
  enabled: v.boolean(),
  pending: documented(Count, 'Ends of jobs that are still to be sent.'),
});

const TaskReport = v.strictObject({
  name: v.string(),
  last_success: documented(
    v.optional(UnixSecs),
    'When its last successful run ended; absent before the first one.',
  ),
  failures: documented(Count, 'How many of its runs have failed since the start.'),
});

const ApiEvent = v.strictObject({
  sequence: Count,
  timestamp_ms: Count,
  method: v.picklist([...METHODS, OTHER_METHOD]),
  route: documented(v.string(), 'A route of this document, or unmatched.'),
  status: v.pipe(v.number(), v.integer()),
  duration_ms: DurationMs,
});
export type ApiEvent = v.InferOutput<typeof ApiEvent>;

/** The state of the bridge for its operator: facts and counts, never content (contract.md 12). */
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
      'Where each setting comes from; never its value.',
    ),
  }),
  runtime: v.strictObject({
    global: v.strictObject(gateEntries),
    providers: v.record(v.string(), v.strictObject({ ...gateEntries, breaker: BreakerReport })),
  }),
  providers: v.array(ProviderReport),
  jobs: JobsReport,
  webhooks: WebhooksReport,
  tasks: documented(v.array(TaskReport), 'What the bridge runs at regular intervals.'),
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
      'The newest first. Without the permission `admin` only the replies to the token that asks, and only they are counted.',
    ),
  }),
});
export type Diagnostics = v.InferOutput<typeof Diagnostics>;
