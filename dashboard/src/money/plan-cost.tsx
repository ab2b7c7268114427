import { Wallet } from 'lucide';
import { useEffect } from 'preact/hooks';
import type { ImagePlan } from '../api/schemas.ts';
import { Icon } from '../controls/button.tsx';
import { isOpen } from '../jobs/job-state.ts';
import { usePage } from '../page-context.ts';
import { formatShortDay, formatTime } from '../text/text.ts';
import { formatDollars } from './money.ts';
import { text } from './money-text.ts';
import { type Left, type PlanMoney, resetsAt, toPlanMoney } from './plan-money.ts';
import './plan-cost.css';

/** Shows what the planned request would cost, what is left of the budget, and how to stay within the budget. */
export function PlanCost({ plan }: { readonly plan: ImagePlan }) {
  const { draft, usage } = usePage();
  const budget = usage.latest.value?.caller.budget;
  const count = draft.settings.value.parameters?.n ?? 1;
  const money = toPlanMoney(plan, count, budget);
  const isBeyond = money?.isBeyond === true;
  // The canvas and the panel may both show the same plan.
  useEffect(() => {
    usage.isBeyond.value = isBeyond;
  }, [usage, isBeyond]);
  useFreshBudget(budget !== undefined);
  if (money === undefined) return null;
  const { left, affordable } = money;
  return (
    <>
      <p class={isBeyond ? 'detail warn' : 'detail'}>{moneyText(money)}</p>
      {isBeyond && affordable > 0 && affordable < count && (
        <p class="detail">
          <button
            type="button"
            class="fix text-button"
            onClick={() =>
              draft.set('parameters', { n: affordable === 1 ? undefined : affordable })
            }
          >
            {text('money.fix.fewer', { count: affordable })}
          </button>
        </p>
      )}
      {left && <BudgetLeft left={left} isLow={isBeyond} />}
    </>
  );
}

/** Shows what the planned request would cost, in few words. */
export function DockCost() {
  const { plan, draft, usage } = usePage();
  const { value: planned } = plan;
  if (planned.state !== 'planned') return null;
  const count = draft.settings.value.parameters?.n ?? 1;
  const money = toPlanMoney(planned.plan, count, usage.latest.value?.caller.budget);
  return money ? <>{moneyText(money)}</> : null;
}

/** Returns the cost, and that the cost is more than is left. */
function moneyText(money: PlanMoney): string {
  const { isBeyond, left, counted } = money;
  const cost = costText(money);
  return isBeyond && left && counted !== 'refused' ? `${cost} ${beyondText(left)}` : cost;
}

function costText({ basis, amount = 0, other = 0, counted }: PlanMoney): string {
  if (counted === 'refused') return text('money.unknown.refused');
  if (basis === 'unknown' && counted !== undefined) {
    return text('money.unknown.counted', { amount: formatDollars(String(counted)) });
  }
  const [known, fallback] = [amount, other].map((each) => formatDollars(String(each)));
  return text(`money.${basis}`, { amount: known ?? '', other: fallback ?? '' });
}

/** Returns the text that a request costs more than is left of a budget, with the time at which the budget resets. */
export function beyondText({ period }: Left): string {
  const start = resetsAt(period, Date.now());
  const when =
    period === 'day'
      ? text('money.beyond.today', { time: formatTime(start) })
      : text('money.beyond.later', { day: formatShortDay(start * 1000) });
  return text('money.beyond', { when });
}

/** Shows what is left of the budget. */
export function BudgetLeft({
  left: { period, left, budget },
  isLow,
}: {
  readonly left: Left;
  readonly isLow: boolean;
}) {
  const used = budget === 0 ? 1 : 1 - left / budget;
  return (
    <div class="budget-left" data-low={isLow}>
      <p class="detail row">
        <Icon of={Wallet} small />
        {text(`money.left.${period}`, {
          left: formatDollars(String(left)),
          budget: formatDollars(String(budget)),
        })}
      </p>
      <span class="meter" aria-hidden="true">
        <i style={{ inlineSize: `${used * 100}%` }} />
      </span>
    </div>
  );
}

/** The time in milliseconds between the end of a job and the read of the budget. Jobs that end together need one read. */
const PAUSE_MS = 1000;

/** Reads the budget again when jobs of the page have started or ended. */
export function useFreshBudget(hasBudget: boolean): void {
  const { jobs, usage } = usePage();
  useEffect(() => {
    if (!hasBudget) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = jobs.subscribe((change) => {
      const isRunning = change.kind !== 'removed' && change.job.status === 'running';
      if (isRunning && isOpen(change.job)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void usage.read();
      }, PAUSE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [jobs, usage, hasBudget]);
}
