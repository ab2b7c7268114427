import { useMemo } from 'preact/hooks';
import type { PlanBatchResult } from '../../api/schemas.ts';
import { bytesOver } from '../../make/to-request.ts';
import { type Budget, countedOf, type Left, leftOf } from '../../money/plan-money.ts';
import { usePage } from '../../page-context.ts';
import { mayCreate } from '../../usage/usage.ts';
import { isSame, type Racer } from '../race-state.ts';
import { type Expansion, expandPrompt, MAX_PROMPTS } from './expand-prompt.ts';

/** The reason why a race cannot be started. */
interface Problem {
  readonly kind:
    | 'noPrompt'
    | 'fewModels'
    | 'prompts'
    | 'tooLong'
    | 'queue'
    | 'notReady'
    | 'permission';
  readonly values?: Readonly<Record<string, string | number>>;
}

/** The race that the draft describes. */
export interface NextRace {
  readonly expansion: Expansion;
  /** The chosen models that the bridge still lists. */
  readonly racers: readonly Racer[];
  /** The number of images of each request. */
  readonly images: number;
  readonly requests: number;
  readonly problem: Problem | undefined;
  /** The part of the budget that is left. Undefined if the token has no budget. */
  readonly left: Left | undefined;
  /** The reason why the budget of the token does not permit the race: too little is left, or a price is not known. */
  readonly beyond: 'budget' | 'unpriced' | undefined;
}

export function useNextRace(): NextRace {
  const page = usePage();
  const { draft, race, providers, diagnostics, queue, usage } = page;
  const { value: settings } = draft.settings;
  const { value: isList } = race.isList;
  const expansion = useMemo(
    () => expandPrompt(settings.prompt ?? '', isList),
    [settings.prompt, isList],
  );
  const { value: list = [] } = providers.list;
  const racers = race.racers.value.filter(({ provider, model }) =>
    list.some((each) => each.name === provider && each.models.includes(model)),
  );
  const requests = expansion.prompts.length * racers.length;
  const limit = diagnostics.latest.value?.report.jobs.limits.max_pending;
  const waiting = queue.latest.value?.queued ?? 0;
  const free = limit === undefined ? undefined : Math.max(0, limit - waiting);
  const reports = diagnostics.latest.value?.report.providers ?? [];
  const unready = racers.find(({ provider }) =>
    reports.some((report) => report.name === provider && !report.ready),
  );
  const { value: plan } = race.plan;
  const budget = usage.latest.value?.caller.budget;
  return {
    expansion,
    racers,
    images: settings.parameters?.n ?? 1,
    requests,
    problem: findProblem(),
    left: budget && leftOf(budget),
    beyond: budget && plan?.state === 'planned' ? toBeyond(plan.plan, budget) : undefined,
  };

  function findProblem(): Problem | undefined {
    if (!mayCreate(usage.latest.value)) return { kind: 'permission' };
    if (expansion.count === 0) return { kind: 'noPrompt' };
    if (expansion.count > MAX_PROMPTS) {
      const count = Number.isFinite(expansion.count) ? expansion.count : Number.MAX_SAFE_INTEGER;
      return { kind: 'prompts', values: { count, limit: MAX_PROMPTS } };
    }
    if (expansion.prompts.some((prompt) => bytesOver({ ...settings, prompt }) > 0)) {
      return { kind: 'tooLong' };
    }
    if (racers.length === 0) return { kind: 'fewModels' };
    if (unready) return { kind: 'notReady', values: { model: unready.model } };
    const refused =
      race.plan.value?.state === 'planned' &&
      race.plan.value.plan.routes.find(
        (route) => route.requests === 0 && racers.some((racer) => isSame(racer, route)),
      );
    if (refused) return { kind: 'notReady', values: { model: refused.model } };
    if (free !== undefined && requests > free) {
      return { kind: 'queue', values: { count: requests, limit: free } };
    }
    return undefined;
  }
}

/** Compares a plan with a budget. The cost of each job is reserved when the job is accepted. */
function toBeyond({ total }: PlanBatchResult, budget: Budget): NextRace['beyond'] {
  const left = leftOf(budget);
  if (left === undefined) return undefined;
  const counted = countedOf(budget);
  if (counted === 'refused' && total.unpriced > 0) return 'unpriced';
  const each = total.requests === 0 ? 0 : total.images / total.requests;
  const unpriced = counted === 'refused' ? 0 : total.unpriced * each * counted;
  const known = Number(total.cost?.amount ?? total.cost?.known_amount ?? 0);
  return known + unpriced > left.left ? 'budget' : undefined;
}
