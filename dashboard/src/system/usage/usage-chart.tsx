import type { UsageReport } from '../../api/schemas.ts';
import { formatDollars } from '../../money/money.ts';
import { text } from '../../money/money-text.ts';
import { formatNumber, formatUtcDay } from '../../text/text.ts';
import { Chart, Legend } from '../chart/chart.tsx';
import { CHART_DAYS, toUsageBars, type UsageBar } from './usage-bars.ts';

const PLOT = { width: 560, height: 120 };
const LOOKS = ['first', 'second-most', 'rest'];

/** Shows the cost of each of the last days with the budget of a day, or the images if no cost is known. The table has the same numbers. */
export function UsageChart({ report: { caller, items } }: { readonly report: UsageReport }) {
  const { measure, names, hasOthers, bars } = toUsageBars(items, Date.now());
  const most = bars.reduce((one, two) => (two.total > one.total ? two : one));
  const [first] = bars;
  if (most.total === 0 || first === undefined) return null;
  const perDay = measure === 'cost' ? caller.budget?.per_day : undefined;
  const top = Math.max(most.total, Number(perDay ?? 0));
  const amount = (value: number) =>
    measure === 'cost' ? formatDollars(String(value)) : formatNumber(value);
  const label = text(`money.usage.chart.${perDay === undefined ? measure : 'costOf'}`, {
    first: formatUtcDay(first.day),
    last: formatUtcDay(bars.at(-1)?.day ?? first.day),
    most: amount(most.total),
    day: formatUtcDay(most.day),
    ...(perDay !== undefined && { budget: formatDollars(perDay) }),
  });
  return (
    <div class="usage-chart stack">
      <h3 class="soft">{text(`money.usage.chart.${measure}.title`)}</h3>
      <div class="plot">
        <Chart {...PLOT} label={label}>
          <path class="grid" d={`M0 0.5H${PLOT.width}M0 60H${PLOT.width}M0 119.5H${PLOT.width}`} />
          {bars.map((bar, index) => (
            <Bar
              key={bar.day}
              bar={bar}
              left={(index + 0.175) * (PLOT.width / CHART_DAYS)}
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
          <span>{text('money.usage.chart.today')}</span>
        </p>
      </div>
      {(names.length > 1 || perDay !== undefined) && (
        <Legend
          entries={[
            ...names.map((name, index) => ({ name, look: LOOKS[index] ?? '' })),
            ...(hasOthers ? [{ name: text('money.usage.chart.others'), look: 'rest' }] : []),
            ...(perDay === undefined
              ? []
              : [
                  {
                    name: text('money.usage.chart.budget', { budget: formatDollars(perDay) }),
                    look: 'second budget',
                  },
                ]),
          ]}
        />
      )}
    </div>
  );
}

interface BarProps {
  readonly bar: UsageBar;
  readonly left: number;
  /** The value of the upper edge. */
  readonly top: number;
}

/** Draws the parts of one day on each other. */
function Bar({ bar, left, top }: BarProps) {
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
              width={(PLOT.width / CHART_DAYS) * 0.65}
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
