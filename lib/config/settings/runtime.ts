import {
  choice,
  type Field,
  flag,
  integer,
  integerOr,
  type Keyed,
  keyed,
  optionalText,
  type Section,
  section,
} from '../values/field.ts';
import { PATH } from '../values/text-rules.ts';

type Fields = Readonly<Record<string, Field<unknown>>>;

/** The settings for deadlines, admission, circuit breakers, limits of a request, and replays. */
export const RUNTIME = section({
  default_timeout_ms: integer({
    default: 300_000,
    about:
      'Deadline of an operation, from its start to its reply, unless the request sets another deadline.',
  }),
  cancellation_grace_ms: integer({
    default: 1000,
    about: 'Maximum time for a cancelled provider call to stop.',
  }),
  shutdown_grace_ms: integer({
    default: 45_000,
    about:
      'Maximum time for running work to end at shutdown. A deployment with handoffs needs 1860000.',
  }),
  gates: choice(['shared', 'replica'], {
    default: 'shared',
    about:
      'Scope of the limits `max_concurrent` and `max_parallel_outputs`, and of the simultaneous webhooks to a host, if `state.driver` is "postgres". With "shared", each limit holds for all replicas together. With "replica", each limit holds for each replica alone.',
  }),
  prices_file: optionalText({
    rule: PATH,
    unset: 'unset: the prices that the bridge ships',
    about:
      'Path of a TOML file with prices of models, which replace the prices of the bridge. The file is read once at start.',
  }),
  global: gate('all providers together'),
  provider_default: gate('each provider'),
  providers: perProvider('runtime.provider_default', gate('this provider')),
  circuit_breaker: breaker('each provider'),
  circuit_breakers: perProvider('runtime.circuit_breaker', breaker('this provider')),
  request: section({
    max_outputs: integer({ default: 255, about: 'Maximum number of outputs of one request.' }),
    max_inputs: integer({
      default: 16,
      about: 'Maximum number of input images of one request: images, mask and references together.',
    }),
    max_timeout_ms: integer({
      default: 1_800_000,
      about: 'Maximum deadline that a request may set.',
    }),
  }),
  idempotency: section({
    max_entries: integer({
      default: 10_000,
      about:
        'Maximum number of synchronous requests with an idempotency key that are kept in memory.',
    }),
    max_completed_bytes: integer({
      default: 268_435_456,
      about: 'Maximum memory for replies that are kept for replay, in bytes.',
    }),
    completed_ttl_secs: integer({
      default: 86_400,
      about: 'Time for which a reply is kept for replay, in seconds.',
    }),
  }),
});

/**
 * Returns a section with the same settings for each registered provider. A setting that is not set for a provider has the
 * value of the setting with the same key in the section `inherits`.
 */
function perProvider<const E extends Fields>(inherits: string, { entries }: Section<E>): Keyed<E> {
  const inheriting = Object.entries(entries).map(([key, field]) => [
    key,
    { ...field, inherits: `${inherits}.${key}` },
  ]);
  // The cast restores the keys of `entries`, which `fromEntries` loses.
  return keyed('registered', section(Object.fromEntries(inheriting) as E));
}

function gate(whose: string) {
  return section({
    max_concurrent: integerOr('unlimited', {
      default: 'unlimited',
      about: `Maximum number of operations of ${whose} that run at the same time.`,
    }),
    max_queued: integerOr('unlimited', {
      default: 'unlimited',
      min: 0,
      about: `Maximum number of operations of ${whose} that wait in the queue. With 0, an operation that cannot start immediately is rejected. Running jobs also wait, but do not count.`,
    }),
  });
}

function breaker(whose: string) {
  return section({
    enabled: flag({
      default: true,
      about: `Enables a circuit breaker that stops calls to ${whose} after repeated failures. Only failures of the services behind the provider count.`,
    }),
    failure_threshold: integer({
      default: 5,
      about: `Number of consecutive failures that open the circuit breaker of ${whose}.`,
    }),
    open_duration_ms: integer({
      default: 180_000,
      about: `Time for which the circuit breaker of ${whose} stays open before trial calls are admitted.`,
    }),
    half_open_max_calls: integer({
      default: 1,
      about: `Maximum number of simultaneous trial calls while the circuit breaker of ${whose} is half-open.`,
    }),
    success_threshold: integer({
      default: 1,
      about: `Number of successes that close the half-open circuit breaker of ${whose}.`,
    }),
  });
}
