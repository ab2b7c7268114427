import type { UsageReport } from '../../api/schemas.ts';
import { toCostText } from '../../money/cost-text.ts';
import { formatDollars, knownDollars } from '../../money/money.ts';
import { formatTime } from '../../text/text.ts';
import { Meter } from './meter.tsx';
import { text } from './usage-text.ts';

interface Props {
  readonly report: UsageReport;
  readonly which: 'own' | 'all';
}

const DAY_MS = 86_400_000;

/** Shows the cost and the images of the current day (UTC), beside the budget of the day if only the token itself is shown. */
export function UsageToday({ report: { caller, items }, which }: Props) {
  const now = Date.now();
  const today = items.find(({ day }) => day === new Date(now).toISOString().slice(0, 10));
  const budget = which === 'own' ? caller.budget : undefined;
  const perDay = budget?.per_day;
  const cost = today?.cost ?? { basis: 'free', amount: '0' };
  const unpriced = today?.unknown_images ?? 0;
  const facts = [
    text('usage.today.images', { count: today?.images ?? 0 }),
    ...(today && today.failed > 0 ? [text('usage.today.failed', { count: today.failed })] : []),
    ...(unpriced > 0 ? [text('usage.today.unpriced', { count: unpriced })] : []),
  ];
  return (
    <div class="use-today num">
      <p class="soft">{text(`usage.today.${which}`)}</p>
      <p class="use-amount">
        {perDay === undefined || budget === undefined ? (
          <b>
            {knownDollars(cost) === 0 && unpriced === 0 ? formatDollars('0') : toCostText(cost)}
          </b>
        ) : (
          <>
            <b>{formatDollars(budget.used_today)}</b>{' '}
            {text('usage.ofBudget', { budget: formatDollars(perDay) })}
          </>
        )}
      </p>
      {perDay !== undefined && budget !== undefined && (
        <Meter used={Number(budget.used_today)} most={Number(perDay)} />
      )}
      <p class="hint">
        {facts.join(text('list.separator'))}
        {perDay !== undefined &&
          `. ${text('usage.today.resets', { time: formatTime((Math.floor(now / DAY_MS) + 1) * (DAY_MS / 1000)) })}`}
      </p>
    </div>
  );
}
