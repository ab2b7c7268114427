import type { UsageReport } from '../../api/schemas.ts';
import { formatDollars } from '../../money/money.ts';
import { formatNumber, formatUtcDay } from '../../text/text.ts';
import type { ModelName } from '../../usage/sum-by-model.ts';
import { Chart, Legend } from '../chart/chart.tsx';
import { type Span, toUsageBars, type UsageBar } from './usage-bars.ts';
import { text } from './usage-text.ts';

const PLOT = { width: 560, height: 120 };
const LOOKS = ['first', 'second-most', 'rest'];

interface Props {
  readonly report: UsageReport;
  readonly which: 'own' | 'all';
  readonly span: Span;
}

/**
 * Shows the cost of each day or week by model, or the images if no cost is known. Days of the token itself are compared with its
 * budget of a day. The tables have the same numbers.
 */
export function UsageChart({ report: { caller, items }, which, span }: Props) {
  const { measure, names, hasOthers, bars } = toUsageBars(items, span, Date.now());
  const most = bars.reduce((one, two) => (two.total > one.total ? two : one));
  const [first] = bars;
  if (most.total === 0 || first === undefined) return null;
  const hasBudget = measure === 'cost' && which === 'own' && span === 'days';
  const perDay = hasBudget ? caller.budget?.per_day : undefined;
  const kind = span === 'days' ? measure : (`weeks.${measure}` as const);
  const step = PLOT.width / bars.length;
  const top = Math.max(most.total, Number(perDay ?? 0));
  const amount = (value: number) =>
    measure === 'cost' ? formatDollars(String(value)) : formatNumber(value);
  const label = text(`usage.chart.${perDay === undefined ? kind : 'costOf'}`, {
    first: formatUtcDay(first.day),
    last: formatUtcDay(new Date().toISOString().slice(0, 10)),
    most: amount(most.total),
    day: formatUtcDay(most.day),
    ...(perDay !== undefined && { budget: formatDollars(perDay) }),
  });
  return (
    <div class="usage-chart stack">
      <h3 class="soft">{text(`usage.chart.${kind}.title`)}</h3>
      <div class="plot">
        <Chart {...PLOT} label={label}>
          <path class="grid" d={`M0 0.5H${PLOT.width}M0 60H${PLOT.width}M0 119.5H${PLOT.width}`} />
          {bars.map((bar, index) => (
            <Bar
              key={bar.day}
              bar={bar}
              left={(index + 0.175) * step}
              width={step * 0.65}
              top={top}
            />
          ))}
          {perDay !== undefined && (
            <path class="budget-line" d={`M0 ${toY(Number(perDay), top)}H${PLOT.width}`} />
          )}
        </Chart>
        <span class="num" aria-hidden="true">
          {amount(top)}
        </span>
        <p class="num" aria-hidden="true">
          <span>{formatUtcDay(first.day)}</span>
          <span>{text('usage.chart.today')}</span>
        </p>
      </div>
      {(names.length + Number(hasOthers) > 1 || perDay !== undefined) && (
        <Legend
          entries={[
            ...names.map((name, index) => ({
              name: toName(name, names),
              look: LOOKS[index] ?? '',
            })),
            ...(hasOthers ? [{ name: text('usage.chart.others'), look: 'rest' }] : []),
            ...(perDay === undefined
              ? []
              : [
                  {
                    name: text('usage.chart.budget', { budget: formatDollars(perDay) }),
                    look: 'second budget',
                  },
                ]),
          ]}
        />
      )}
    </div>
  );
}

/** Returns the name of a model, with its provider if another model has the same name. */
function toName(name: ModelName, names: readonly ModelName[]): string {
  const { provider = '', model = '' } = name;
  return names.some((other) => other !== name && other.model === model)
    ? [model, provider].join(text('list.separator'))
    : model;
}

interface BarProps {
  readonly bar: UsageBar;
  readonly left: number;
  readonly width: number;
  /** The value of the upper edge. */
  readonly top: number;
}

/** Draws the parts of one day or week on each other. */
function Bar({ bar, left, width, top }: BarProps) {
  let below = 0;
  return (
    <>
      {bar.parts.map((part, index) => {
        const [from, to] = [toY(below, top), toY(below + part, top)];
        below += part;
        return (
          part > 0 && (
            <rect
              key={LOOKS[index]}
              class={LOOKS[index]}
              x={left}
              width={width}
              y={to}
              height={Math.max(1, from - to)}
            />
          )
        );
      })}
    </>
  );
}

function toY(value: number, top: number): number {
  return Math.round((PLOT.height - (value / top) * PLOT.height) * 10) / 10;
}
