import type { EarlierCall, EarlierWork } from '../earlier-work-port.ts';
import type { AskPlan } from '../plan/plan.ts';

/** One call of a route. */
export interface RouteCall {
  readonly indices: readonly number[];
  /** The indices whose images are not published yet. */
  readonly unpublished: readonly number[];
  /** The call of an ended process that continues. Absent for a call that is sent. */
  readonly earlier?: EarlierCall & { readonly ticket: string };
}

interface RouteCalls {
  readonly calls: readonly RouteCall[];
  /** The outputs that an ended process may have sent and that have no ticket. These outputs are never sent again. */
  readonly unknown: readonly number[];
  /** The outputs whose images an ended process has published. */
  readonly published: ReadonlySet<number>;
}

/**
 * Returns the calls of a route. If an ended process worked on the route, its calls with tickets continue, and the outputs that it
 * had not sent are sent. Under `fail_fast`, an unknown output is a failure of the request, so nothing further is sent.
 */
export function toRouteCalls(
  { calls, isFailFast }: Pick<AskPlan, 'calls' | 'isFailFast'>,
  earlier: EarlierWork | undefined,
): RouteCalls {
  const published = new Set(earlier?.images.map(({ facts }) => facts.index));
  const opened = earlier?.calls ?? [];
  const continued = opened.flatMap((call) => {
    const { ticket, indices } = call;
    const unpublished = indices.filter((index) => !published.has(index));
    if (ticket === undefined || unpublished.length === 0) return [];
    return [{ indices, unpublished, earlier: { ...call, ticket } }];
  });
  const isOpened = new Set(opened.flatMap(({ indices }) => indices));
  const isContinued = new Set(continued.flatMap(({ indices }) => indices));
  const unknown = [...isOpened].filter((index) => !published.has(index) && !isContinued.has(index));
  const isOver = isFailFast && unknown.length > 0;
  const unsent = calls.flatMap((all) => {
    const indices = all.filter((index) => !isOpened.has(index));
    return isOver || indices.length === 0 ? [] : [{ indices, unpublished: indices }];
  });
  return { calls: [...continued, ...unsent], unknown, published };
}
