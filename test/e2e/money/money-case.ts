import fc from 'fast-check';

/** The codes of errors before any work began. `quota` is a `rate_limited` that is not retryable. */
const REFUSALS = [
  'rate_limited',
  'quota',
  'overloaded',
  'provider_authentication',
  'unsupported_capability',
  'configuration',
] as const;
/**
 * The codes of failures after which certainly no image was generated. `transient` is an `upstream` that may be retried at
 * once.
 */
const NOTHING_MADE = ['transient', 'upstream', 'upstream_retryable', 'safety_rejected'] as const;
const UNKNOWN = ['upstream', 'rate_limited', 'overloaded', 'timeout', 'protocol', 'bug'] as const;

/** The outcome of one attempt of a provider call. */
export type CallEnd =
  /** Fails before the dispatch, so it never has an effect. */
  | { readonly type: 'refused'; readonly code: (typeof REFUSALS)[number] }
  /** Fails after the dispatch, and the provider reports that it has begun no work. */
  | { readonly type: 'not_begun'; readonly code: (typeof REFUSALS)[number] }
  | { readonly type: 'nothing_made'; readonly code: (typeof NOTHING_MADE)[number] }
  /** All images of the call were generated, and none of them can be used. */
  | { readonly type: 'made' }
  /** `sold` images of the call were generated, and the error does not report the number. */
  | {
      readonly type: 'unknown';
      readonly code: (typeof UNKNOWN)[number];
      readonly sold: number;
      readonly isPartial: boolean;
    }
  /**
   * Replies with images, of which those in `bad` do not verify. `more`: the number of images above or below the requested
   * number.
   */
  | { readonly type: 'images'; readonly bad: readonly number[]; readonly more: number }
  /** Ends only when its signal aborts. */
  | { readonly type: 'hang'; readonly sold: number };

export interface CallPlan {
  readonly end: CallEnd;
  /** Turns of the event loop before the dispatch, and before the end of the call. */
  readonly turns: readonly [number, number];
  /** True if the call ignores the abort of its signal. */
  readonly isDeaf: boolean;
}

export interface RoutePlan {
  /** Number of images that one call generates. */
  readonly native: number;
  /** Plans by the number of the call, then by its attempt. Further attempts repeat the last plan. */
  readonly calls: readonly (readonly CallPlan[])[];
}

export interface RequestPlan {
  readonly kind: 'synchronous' | 'job';
  readonly n: number;
  readonly isFailFast: boolean;
  readonly isSequential: boolean;
  readonly fallbackPolicy: 'on_error' | 'on_unavailable';
  readonly form: 'b64_json' | 'artifact' | 'url' | 'metadata';
  /** True if the request has an idempotency key. Then a synchronous request continues without its client. */
  readonly isKeyed: boolean;
  readonly routes: readonly RoutePlan[];
}

/** A fault that happens after this many steps of stores and providers. */
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
  /** Number of writes for which a disk is full. */
  readonly writes: number;
}

/** A token of its own, and the requests and faults under this token. */
export interface MoneyCase {
  /** Images a day. `null` means no allowance. */
  readonly allowance: number | null;
  readonly requests: readonly RequestPlan[];
  readonly faults: readonly Fault[];
}

const weighted = <T>(rows: readonly (readonly [number, fc.Arbitrary<T>])[]) =>
  fc.oneof(...rows.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** `noNullPrototype`, because otherwise each printed object would have a note about its prototype. */
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
