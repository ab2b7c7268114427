import { CircleAlert, ListOrdered, PencilLine, Trophy, Unplug } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { PlanBatchResult } from '../../api/schemas.ts';
import { Button } from '../../controls/button.tsx';
import { keepDraft } from '../../make/keep-draft.ts';
import { FanOut, Line, type LineProps, toWords } from '../../make/make-foot.tsx';
import { MakeDock, MakeGo } from '../../make/make-go.tsx';
import { formatDollars } from '../../money/money.ts';
import { text } from '../../money/money-text.ts';
import { BudgetLeft, beyondText, useFreshBudget } from '../../money/plan-cost.tsx';
import { usePage } from '../../page-context.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { type NextRace, useNextRace } from './next-race.ts';
import { useRacePlan } from './race-plan.ts';
import { startRace } from './send-race.ts';
import './race-panel.css';

/** The number of alternatives that are shown below the prompt. */
const MAX_VALUES = 8;

/** Shows the prompts into which the text expands, and uses each line as a prompt if the user asks for a list. */
export function RaceExpansion() {
  const { race } = usePage();
  const { expansion } = useNextRace();
  const { count, values } = expansion;
  return (
    <div class="race-expansion row">
      <b class="num" role="status">
        {text('race.prompts', { count })}
      </b>
      {values.slice(0, MAX_VALUES).map((value, index) => (
        <mark key={index} class="cut">
          {value === '' ? text('race.nothing') : value}
        </mark>
      ))}
      {values.length > MAX_VALUES && <span class="faint">…</span>}
      <Button
        look="quiet"
        size="small"
        icon={ListOrdered}
        class="as-list"
        aria-pressed={race.isList.value}
        title={text('race.list.hint')}
        onClick={() => {
          race.isList.value = !race.isList.peek();
        }}
      >
        {text('race.list')}
      </Button>
    </div>
  );
}

/** Shows the plan of the race and starts it. */
export function RaceFoot() {
  const { usage } = usePage();
  const next = useNextRace();
  useRacePlan(next);
  const { canStart, start } = useStart(next);
  useEffect(() => {
    void usage.read();
  }, [usage]);
  const { left } = next;
  useFreshBudget(left !== undefined);
  return (
    <div class="make-foot stack">
      <Line {...useRaceWords(next)} />
      {left && <BudgetLeft left={left} isLow={next.beyond === 'budget'} />}
      <MakeGo
        send={text('race.start', { count: next.requests })}
        canSend={canStart}
        onSend={start}
      />
    </div>
  );
}

/** Shows the cost of the next race, or what is missing, below the results while the panel is hidden. */
export function RaceDock() {
  const next = useNextRace();
  const { canStart, start } = useStart(next);
  const { title, detail } = useRaceWords(next);
  return (
    <MakeDock
      icon={Trophy}
      line={text('race.change')}
      send={text('race.start', { count: next.requests })}
      canSend={canStart}
      onSend={start}
    >
      {detail?.trim() || title}
    </MakeDock>
  );
}

function useStart({ problem, beyond, expansion, racers }: NextRace) {
  const page = usePage();
  const { connection, router, toasts, draft } = page;
  const [isStarting, setStarting] = useState(false);
  const mayStart = problem === undefined && beyond === undefined;
  const canStart = mayStart && connection.state.value !== 'offline' && !isStarting;

  async function run(): Promise<void> {
    setStarting(true);
    await draft.settled();
    const restore = keepDraft(page);
    try {
      if (router.layer.peek() === 'make') await router.back('/race');
      await startRace(page, expansion.prompts, racers);
    } catch (error) {
      const action = { label: text('make.restore'), run: restore };
      toasts.show({ kind: 'failed', ...toWords(error), action });
    } finally {
      setStarting(false);
    }
  }

  return { canStart, start: () => void (canStart && run()) };
}

/** Returns what the race will send and cost, or what is missing. */
function useRaceWords(next: NextRace): LineProps {
  const { race, connection } = usePage();
  if (connection.state.value === 'offline') {
    return { icon: Unplug, title: text('plan.offline'), detail: text('plan.offline.text') };
  }
  const { problem } = next;
  if (problem) {
    const { kind, values } = problem;
    if (kind === 'noPrompt' || kind === 'fewModels') {
      return { icon: PencilLine, title: text(`race.problem.${kind}`) };
    }
    return { icon: CircleAlert, bad: true, title: text(`race.problem.${kind}`, values) };
  }
  const { value: plan } = race.plan;
  if (plan?.state === 'refused') {
    const { title, text: detail } = toFailureText(plan.error, Date.now());
    return { icon: CircleAlert, bad: true, title, detail: plan.error.message || detail };
  }
  const title = text('race.calls', {
    prompts: text('race.prompts', { count: next.expansion.prompts.length }),
    models: text('race.models.count', { count: next.racers.length }),
    images: text('race.images.each', { count: next.images }),
    count: next.requests,
  });
  const detail = plan?.state === 'planned' ? toMoney(plan.plan.total, next.requests) : ' ';
  if (next.beyond) {
    const isSpent = next.beyond === 'budget' && next.left !== undefined;
    const why = isSpent ? beyondText(next.left) : text('race.cost.unpriced');
    return { icon: CircleAlert, bad: true, title, detail: `${detail} ${why}` };
  }
  return { image: <FanOut calls={next.requests} />, title, detail };
}

interface Money {
  readonly requests: number;
  readonly unpriced: number;
  readonly free: number;
  readonly cost?: PlanBatchResult['total']['cost'];
}

/** Describes the cost: what is known, what is not, and what costs nothing. */
function toMoney({ requests, unpriced, free, cost }: Money, asked: number): string {
  const priced = requests - unpriced - free;
  const amount = cost?.amount ?? cost?.known_amount;
  const parts = [
    priced > 0 &&
      amount !== undefined &&
      text(cost?.bound === 'at_most' ? 'race.cost.atMost' : 'race.cost.known', {
        count: priced,
        amount: formatDollars(amount),
      }),
    unpriced > 0 && text('race.cost.unknown', { count: unpriced }),
    free > 0 && text('race.cost.free', { count: free }),
    requests < asked && text('race.cost.refused', { count: asked - requests }),
  ].filter((part) => typeof part === 'string');
  return `${parts.join(text('list.separator'))}.`;
}
