import {
  type Field,
  flag,
  integer,
  type Keyed,
  keyed,
  limit,
  type Section,
  section,
} from '../values/field.ts';

type Fields = Readonly<Record<string, Field<unknown>>>;

/** One operation's life: deadlines, admission, breakers, bounds of a request, replays. */
export const RUNTIME = section({
  default_timeout_ms: integer({
    default: 300_000,
    about: 'Deadline of one operation, end to end, when the request names none.',
  }),
  cancellation_grace_ms: integer({
    default: 1000,
    about: 'How long a cancelled provider may take to stop.',
  }),
  shutdown_grace_ms: integer({
    default: 45_000,
    about: 'How long running work may take to end at shutdown; a handoff needs 1860000.',
  }),
  global: section({
    max_concurrent: limit({
      default: 'unlimited',
      about: 'How many operations may run at once.',
    }),
    max_queued: limit({
      default: 'unlimited',
      min: 0,
      about: 'How many operations may wait for their turn; 0 refuses at once instead.',
    }),
  }),
  provider_default: gate('each provider'),
  providers: perProvider('runtime.provider_default', gate('this provider')),
  circuit_breaker: breaker('each provider'),
  circuit_breakers: perProvider('runtime.circuit_breaker', breaker('this provider')),
  request: section({
    max_outputs: integer({ default: 255, about: 'The most outputs that one request may ask for.' }),
    max_inputs: integer({
      default: 16,
      about: 'The most images that one request may bring: images, mask and references together.',
    }),
    max_timeout_ms: integer({
      default: 1_800_000,
      about: 'The longest deadline that a request may ask for.',
    }),
  }),
  idempotency: section({
    max_entries: integer({
      default: 10_000,
      about: 'How many synchronous requests with a key are remembered, in memory.',
    }),
    max_completed_bytes: integer({
      default: 268_435_456,
      about: 'Memory for the replies that repeated requests get again, in bytes.',
    }),
    completed_ttl_secs: integer({
      default: 86_400,
      about: 'How long such a reply is kept, in seconds.',
    }),
  }),
});

/**
 * The same settings once for each registered provider, under its name. What is not set for a provider has the value of
 * the field of the same name in the section `inherits`.
 */
function perProvider<const E extends Fields>(inherits: string, { entries }: Section<E>): Keyed<E> {
  const inheriting = Object.entries(entries).map(([key, field]) => [
    key,
    { ...field, inherits: `${inherits}.${key}` },
  ]);
  // `fromEntries` forgets the keys, which are those of `entries`.
  return keyed('registered', section(Object.fromEntries(inheriting) as E));
}

function gate(whose: string) {
  return section({
    max_concurrent: limit({
      default: 'unlimited',
      about: `How many operations of ${whose} may run at once.`,
    }),
    max_queued: limit({
      default: 'unlimited',
      min: 0,
      about: `How many operations of ${whose} may wait for their turn; 0 refuses at once instead.`,
    }),
  });
}

function breaker(whose: string) {
  return section({
    enabled: flag({
      default: true,
      about: `Whether a circuit breaker spares ${whose} calls while it fails; only failures of what it depends on count.`,
    }),
    failure_threshold: integer({
      default: 5,
      about: `How many failures open the breaker of ${whose}.`,
    }),
    open_duration_ms: integer({
      default: 180_000,
      about: `How long the breaker of ${whose} stays open before it lets calls try again.`,
    }),
    half_open_max_calls: integer({
      default: 1,
      about: `How many calls may try at once when the breaker of ${whose} is half open.`,
    }),
    success_threshold: integer({
      default: 1,
      about: `How many successes close the half-open breaker of ${whose}.`,
    }),
  });
}
