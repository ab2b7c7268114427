import type { Amount } from '../../lib/contract/reply/cost.ts';
import { createSeeded, type Seeded } from '../support/seeded.ts';
import type { StoreStep, Verdict } from '../support/simulation/faulty-stores.ts';
import { CENT, hashOf, modelOf, SERVICES } from './services.ts';

/** The request of a client. */
export interface RequestPlan {
  readonly token: string;
  readonly n: number;
  readonly isFailFast: boolean;
  readonly isSequential: boolean;
  readonly fallbackPolicy: 'on_error' | 'on_unavailable';
  /** The services of the routes, in their order. */
  readonly routes: readonly string[];
  readonly isKeyed: boolean;
  /** The images to edit, by their numbers. Empty if the request generates images. */
  readonly inputs: readonly number[];
  /** The time after which the client disconnects or cancels. */
  readonly leavesAfterMs: number | undefined;
  /** The times after which the client sends the same request again. */
  readonly repeatsAfterMs: readonly number[];
}

/** One action of the schedule. */
export type Action = {
  /** The name of the action, which is also its prompt. The name is kept when other actions are dropped. */
  readonly name: string;
  readonly atMs: number;
  /** The number of the replica that a fault concerns. Undefined if there is only one. */
  readonly replica?: number;
} & (
  | {
      readonly type: 'job';
      readonly request: RequestPlan;
      readonly webhookEvents: readonly string[] | undefined;
      readonly priority: number;
      readonly inFlight: 'stop' | 'finish';
      readonly isRetried: boolean;
      readonly mark: 'favorite' | 'deleted' | undefined;
    }
  | {
      readonly type: 'images';
      readonly request: RequestPlan;
      readonly form: 'b64_json' | 'artifact' | 'url' | 'metadata';
      /** True if the client prefers a job. */
      readonly isAsync: boolean;
    }
  | { readonly type: 'openai'; readonly request: RequestPlan; readonly retryCount: boolean }
  /** Reads what belongs to other tokens. */
  | { readonly type: 'intrude'; readonly token: string }
  | { readonly type: 'remove_token'; readonly token: string }
  | { readonly type: 'pause'; readonly forMs: number }
  | {
      readonly type: 'disk';
      readonly disk: StoreStep['disk'];
      readonly verdicts: readonly Verdict[];
    }
  | { readonly type: 'kill'; readonly downMs: number }
  | { readonly type: 'stop' | 'upgrade'; readonly graceMs: number; readonly downMs: number }
  | { readonly type: 'suspend' | 'wall_clock'; readonly byMs: number }
  /** A machine stops, does not reach the state, or receives no notices for a time. */
  | { readonly type: 'freeze' | 'cut' | 'deafen'; readonly forMs: number }
);

export interface Schedule {
  readonly seed: number;
  readonly replicas: number;
  readonly actions: readonly Action[];
}

/** The token of a simulated client. Each token has its own scope. */
export interface SimulatedToken {
  readonly name: string;
  readonly imagesPerDay?: number;
  readonly budgetPerDay?: Amount;
}

/** The token that the schedule may remove. */
const REMOVABLE = { name: 'dune' };

export const TOKENS: readonly [SimulatedToken, ...SimulatedToken[]] = [
  { name: 'amber' },
  { name: 'birch', imagesPerDay: 40, budgetPerDay: 100n * CENT },
  { name: 'cedar', imagesPerDay: 12, budgetPerDay: 40n * CENT },
  REMOVABLE,
];

/** The number of actions of a schedule. */
const LENGTH = 100;
/** The number of requests of a day without faults. */
export const ACTIONS_A_DAY = 3;
/** The number of different input images. */
export const INPUTS = 12;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

interface Size {
  /** The number of actions. */
  readonly length?: number;
  readonly replicas?: number;
}

/** Returns the schedule of a seed. */
export function createSchedule(
  seed: number,
  { length = LENGTH, replicas = 1 }: Size = {},
): Schedule {
  const random = createSeeded(hashOf(seed, 'schedule'));
  let atMs = 1000;
  const actions = Array.from({ length }, (_, nth) => {
    atMs += random.next(random.pick([2, 200, 5000, 20_000]));
    const action = replicas === 1 ? actionOf(random) : actionOfReplicas(random, replicas);
    return { name: `a${nth}`, atMs, ...action } as Action;
  });
  return { seed, replicas, actions };
}

/** Returns requests for a number of days, without faults. The machine is suspended for nearly all of each day. */
export function createDays(seed: number, days: number): Schedule {
  const { actions } = createSchedule(seed, { length: days * ACTIONS_A_DAY * 2 });
  const requests = actions.filter((action) => 'request' in action).slice(0, days * ACTIONS_A_DAY);
  const scheduled = requests.flatMap((action, nth): Action[] => {
    const atMs = (nth + 1) * MINUTE_MS;
    const endsDay = nth % ACTIONS_A_DAY === ACTIONS_A_DAY - 1;
    const night: Action = {
      name: `night${nth}`,
      atMs: atMs + MINUTE_MS / 2,
      type: 'suspend',
      byMs: 24 * HOUR_MS,
    };
    // A favourite is kept for ever.
    const unmarked = action.type === 'job' ? { ...action, mark: undefined } : action;
    return [{ ...unmarked, atMs }, ...(endsDay ? [night] : [])];
  });
  return { seed, replicas: 1, actions: scheduled };
}

/** Returns an action of several replicas. Many faults last longer than a lease. */
function actionOfReplicas(random: Seeded, replicas: number) {
  const replica = random.next(replicas);
  const chance = random.next(100);
  const forMs = random.next(random.pick([5000, MINUTE_MS, 2 * MINUTE_MS]));
  if (chance < 5) return { type: 'freeze', forMs, replica };
  if (chance < 8) return { type: 'cut', forMs, replica };
  if (chance < 11) return { type: 'deafen', forMs, replica };
  if (chance < 12) {
    return { type: 'upgrade', graceMs: random.next(random.pick([5000, MINUTE_MS])), downMs: 1000 };
  }
  const action = { ...actionOf(random), replica };
  // Replicas keep their clocks by a time server.
  return action.type === 'wall_clock' ? { ...action, byMs: random.next(1000) - 500 } : action;
}

function actionOf(random: Seeded) {
  const chance = random.next(100);
  if (chance < 40) {
    const isMarked = random.next(5) === 0;
    return {
      type: 'job',
      request: requestOf(random),
      webhookEvents: random.pick([
        undefined,
        ['succeeded', 'failed', 'cancelled', 'interrupted'],
        ['succeeded'],
        ['failed', 'interrupted'],
      ]),
      priority: random.pick([0, 0, 5, -5]),
      inFlight: random.pick(['stop', 'finish'] as const),
      isRetried: random.next(3) === 0,
      mark: isMarked ? random.pick(['favorite', 'deleted'] as const) : undefined,
    };
  }
  if (chance < 58) {
    const form = random.pick(['b64_json', 'artifact', 'url', 'metadata'] as const);
    return { type: 'images', request: requestOf(random), form, isAsync: random.next(4) === 0 };
  }
  if (chance < 68) {
    return { type: 'openai', request: requestOf(random), retryCount: random.next(2) === 0 };
  }
  if (chance < 73) return { type: 'intrude', token: random.pick(TOKENS).name };
  if (chance < 75) return { type: 'pause', forMs: random.next(MINUTE_MS) };
  if (chance < 84) return diskOf(random);
  if (chance < 92) return { type: 'kill', downMs: random.next(random.pick([1, 5000])) };
  if (chance < 96) {
    const graceMs = random.next(random.pick([2, 5000, 60_000]));
    return { type: 'stop', graceMs, downMs: random.next(2000) };
  }
  if (chance < 98) {
    return { type: 'suspend', byMs: random.next(random.pick([MINUTE_MS, HOUR_MS, 30 * HOUR_MS])) };
  }
  if (chance < 99) return { type: 'remove_token', token: REMOVABLE.name };
  return { type: 'wall_clock', byMs: random.pick([-1, 1]) * random.next(2 * HOUR_MS) };
}

function requestOf(random: Seeded): RequestPlan {
  const [first, ...others] = SERVICES;
  const isKeyed = random.next(2) === 0;
  const routes = Array.from({ length: random.pick([1, 1, 2, 3]) }, () =>
    random.pick([first, ...others]),
  );
  const leaves = random.next(4) === 0;
  const repeats = isKeyed && random.next(2) === 0;
  return {
    token: random.pick(TOKENS).name,
    n: 1 + random.next(5),
    isFailFast: random.next(2) === 0,
    isSequential: random.next(3) === 0,
    fallbackPolicy: random.pick(['on_error', 'on_unavailable'] as const),
    routes: [...new Set(routes.map(({ name }) => name))],
    isKeyed,
    inputs:
      random.next(3) === 0
        ? Array.from({ length: 1 + random.next(3) }, () => random.next(INPUTS))
        : [],
    leavesAfterMs: leaves ? random.next(random.pick([50, 5000, 30_000])) : undefined,
    repeatsAfterMs: repeats
      ? Array.from({ length: 1 + random.next(2) }, () => random.next(random.pick([50, 20_000])))
      : [],
  };
}

function diskOf(random: Seeded) {
  const disk = random.pick(['state', 'files'] as const);
  const verdict = random.pick(['full', 'full', 'failed', 'lost', 'unheard'] as const);
  const passes = Array.from({ length: random.next(12) }, () => 'pass' as const);
  const isEnd = verdict === 'lost' || verdict === 'unheard';
  const count = isEnd ? 1 : 1 + random.next(random.pick([2, 20]));
  const failures = Array.from({ length: count }, () => verdict);
  return { type: 'disk', disk, verdicts: [...passes, ...failures] };
}

/** Returns the body of a native request. `images` has the input images of the simulation. */
export function bodyOf(
  action: string,
  request: RequestPlan,
  form: string,
  images: readonly Buffer[],
): object {
  const [first, ...fallbacks] = request.routes.map((name) => ({
    provider: name,
    model: modelOf({ name }),
  }));
  const inputs = request.inputs.map((nth) => ({
    type: 'base64',
    data: images[nth]?.toString('base64'),
  }));
  return {
    prompt: action,
    ...(inputs.length === 0 ? {} : { operation: 'edit', images: inputs }),
    parameters: {
      n: request.n,
      failure_policy: request.isFailFast ? 'fail_fast' : 'best_effort',
    },
    output: { response_format: form },
    routing: { ...first, fallbacks, fallback_policy: request.fallbackPolicy },
    policies: { batch_execution: request.isSequential ? 'sequential' : 'auto' },
  };
}
