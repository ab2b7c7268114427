import fc from 'fast-check';

/** The codes of refusals before anything was begun; `quota` is a `rate_limited` that is not retryable. */
const REFUSALS = [
  'rate_limited',
  'quota',
  'overloaded',
  'provider_authentication',
  'unsupported_capability',
  'configuration',
] as const;
/** The codes of failures after which certainly nothing was made; `transient` is an `upstream` that may be repeated at once. */
const NOTHING_MADE = ['transient', 'upstream', 'upstream_retryable', 'safety_rejected'] as const;
const UNKNOWN = ['upstream', 'rate_limited', 'overloaded', 'timeout', 'protocol', 'bug'] as const;

/** How one try of a provider call ends. */
export type CallEnd =
  /** Before the dispatch: it never has an effect. */
  | { readonly type: 'refused'; readonly code: (typeof REFUSALS)[number] }
  /** After the dispatch, and the provider says that it has begun nothing. */
  | { readonly type: 'not_begun'; readonly code: (typeof REFUSALS)[number] }
  | { readonly type: 'nothing_made'; readonly code: (typeof NOTHING_MADE)[number] }
  /** All of its images were made, and none of them can be used. */
  | { readonly type: 'made' }
  /** `sold` of its images were made, and the error does not say how many. */
  | {
      readonly type: 'unknown';
      readonly code: (typeof UNKNOWN)[number];
      readonly sold: number;
      readonly isPartial: boolean;
    }
  /** Replies with images; of `bad` those that do not verify. `more`: how many more, or fewer, than it was asked for. */
  | { readonly type: 'images'; readonly bad: readonly number[]; readonly more: number }
  /** Never ends until its signal aborts. */
  | { readonly type: 'hang'; readonly sold: number };

export interface CallPlan {
  readonly end: CallEnd;
  /** Turns of the event loop before its dispatch, and before its end. */
  readonly turns: readonly [number, number];
  /** Does not notice that its signal aborts. */
  readonly isDeaf: boolean;
}

export interface RoutePlan {
  /** How many images one call makes, and how many calls may run at the same time. */
  readonly native: number;
  readonly parallel: number;
  /** By the number of the call, then by its try; further tries repeat the last one. */
  readonly calls: readonly (readonly CallPlan[])[];
}

export interface RequestPlan {
  readonly kind: 'synchronous' | 'job';
  readonly n: number;
  readonly isFailFast: boolean;
  readonly isSequential: boolean;
  readonly fallbackPolicy: 'on_error' | 'on_unavailable';
  readonly form: 'b64_json' | 'artifact' | 'url' | 'metadata';
  /** With an idempotency key a synchronous request outlives its client. */
  readonly isKeyed: boolean;
  readonly routes: readonly RoutePlan[];
}

/** What happens when so many steps of stores and providers were taken. */
export interface Fault {
  readonly at: number;
  readonly type:
    | 'lost'
    | 'unheard'
    | 'state_full'
    | 'files_full'
    | 'files_failed'
    | 'cut'
    | 'deadline'
    | 'midnight'
    | 'stop';
  /** For how many writes a disk is full. */
  readonly writes: number;
}

/** A token of its own, and what is done under it. */
export interface MoneyCase {
  /** Images a day; `null` is no allowance. */
  readonly allowance: number | null;
  readonly requests: readonly RequestPlan[];
  readonly faults: readonly Fault[];
}

const weighted = <T>(rows: readonly (readonly [number, fc.Arbitrary<T>])[]) =>
  fc.oneof(...rows.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Without a prototype each object would be printed with a note of that. */
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T>(model, { noNullPrototype: true });

const images: fc.Arbitrary<CallEnd> = record({
  type: fc.constant('images' as const),
  bad: weighted<number[]>([
    [4, fc.constant([])],
    [1, fc.uniqueArray(fc.nat(3), { maxLength: 4 })],
  ]),
  more: weighted([
    [12, fc.constant(0)],
    [1, fc.integer({ min: -2, max: 2 })],
  ]),
});

const end: fc.Arbitrary<CallEnd> = weighted<CallEnd>([
  [6, images],
  [1, record({ type: fc.constant('refused' as const), code: fc.constantFrom(...REFUSALS) })],
  [1, record({ type: fc.constant('not_begun' as const), code: fc.constantFrom(...REFUSALS) })],
  [
    2,
    record({
      type: fc.constant('nothing_made' as const),
      code: fc.constantFrom(...NOTHING_MADE),
    }),
  ],
  [1, fc.constant({ type: 'made' as const })],
  [
    1,
    record({
      type: fc.constant('unknown' as const),
      code: fc.constantFrom(...UNKNOWN),
      sold: fc.nat(4),
      isPartial: fc.boolean(),
    }),
  ],
  [1, record({ type: fc.constant('hang' as const), sold: fc.nat(4) })],
]);

const call: fc.Arbitrary<CallPlan> = record({
  end,
  turns: fc.tuple(fc.nat(2), fc.nat(3)),
  isDeaf: weighted([
    [5, fc.constant(false)],
    [1, fc.constant(true)],
  ]),
});

const route: fc.Arbitrary<RoutePlan> = record({
  native: fc.integer({ min: 1, max: 4 }),
  parallel: fc.integer({ min: 1, max: 3 }),
  calls: fc.array(fc.array(call, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 4 }),
});

const request: fc.Arbitrary<RequestPlan> = record({
  kind: fc.constantFrom('synchronous' as const, 'job' as const),
  n: fc.integer({ min: 1, max: 6 }),
  isFailFast: fc.boolean(),
  isSequential: fc.boolean(),
  fallbackPolicy: fc.constantFrom('on_error' as const, 'on_unavailable' as const),
  form: fc.constantFrom(
    'b64_json' as const,
    'artifact' as const,
    'url' as const,
    'metadata' as const,
  ),
  isKeyed: weighted([
    [4, fc.constant(false)],
    [1, fc.constant(true)],
  ]),
  routes: fc.array(route, { minLength: 1, maxLength: 3 }),
});

const fault: fc.Arbitrary<Fault> = record({
  at: fc.nat(60),
  type: fc.constantFrom(
    'lost' as const,
    'unheard' as const,
    'state_full' as const,
    'files_full' as const,
    'files_failed' as const,
    'cut' as const,
    'deadline' as const,
    'midnight' as const,
    'stop' as const,
  ),
  writes: fc.integer({ min: 1, max: 5 }),
});

export const moneyCases: fc.Arbitrary<MoneyCase> = record({
  allowance: weighted<number | null>([
    [1, fc.constant(null)],
    [2, fc.integer({ min: 0, max: 20 })],
  ]),
  requests: fc.array(request, { minLength: 1, maxLength: 3 }),
  faults: weighted<Fault[]>([
    [2, fc.constant<Fault[]>([])],
    [3, fc.array(fault, { minLength: 1, maxLength: 3 })],
  ]),
});
