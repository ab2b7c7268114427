import { useState } from 'preact/hooks';
import type { UsageReport } from '../../api/schemas.ts';
import { Segmented } from '../../controls/inputs.tsx';
import { formatDollars } from '../../money/money.ts';
import { usePage } from '../../page-context.ts';
import { formatDate, formatTime } from '../../text/text.ts';
import { Box } from '../box.tsx';
import type { Span } from './usage-bars.ts';
import { UsageChart } from './usage-chart.tsx';
import { DayTable, ModelTable, TokenTable } from './usage-tables.tsx';
import { text } from './usage-text.ts';
import { UsageToday } from './usage-today.tsx';
import { type UsageChoice, useUsageReport } from './use-usage-report.ts';
import './usage-box.css';

/**
 * Shows the caller and its limits, and the images and costs by day, model and token. A token with the permission `admin` can choose
 * between its own usage and the usage of all tokens.
 */
export function UsageBox() {
  const { connection } = usePage();
  const [choice, setChoice] = useState<UsageChoice>({ which: 'own', span: 'days' });
  const onRefused = () => setChoice((last) => ({ ...last, which: 'own' }));
  const { caller, shown, isCurrent } = useUsageReport(choice, onRefused);
  if (caller === undefined || shown === undefined) return null;
  const { which, span } = shown.choice;
  const { report } = shown;
  const isResting = !connection.online.value;
  return (
    <Box id="usage" class="usage-box" title={text('system.usage')}>
      <div class="use-head">
        <UsageToday report={report} which={which} />
        <div class="row wrap">
          {caller.permissions.includes('admin') && (
            <Segmented
              label={text('usage.which')}
              options={(['own', 'all'] as const).map((value) => {
                return { value, label: text(`usage.which.${value}`) };
              })}
              value={choice.which}
              disabled={isResting}
              onChange={(value) => setChoice({ ...choice, which: value })}
            />
          )}
          <Segmented<Span>
            label={text('usage.span')}
            options={(['days', 'weeks'] as const).map((value) => {
              return { value, label: text(`usage.span.${value}`) };
            })}
            value={choice.span}
            disabled={isResting}
            onChange={(value) => setChoice({ ...choice, span: value })}
          />
        </div>
      </div>
      {isResting && (
        <p class="hint" role="status">
          {text('usage.lastKnown')}
        </p>
      )}
      {which === 'own' && <Caller caller={caller} />}
      <div class="stack use-parts" aria-busy={!isCurrent}>
        {report.items.length === 0 ? (
          <p class="hint">{text(`usage.none.${span}`)}</p>
        ) : (
          <>
            <UsageChart report={report} which={which} span={span} />
            <div class="use-tables">
              <ModelTable items={report.items} span={span} />
              <TokenTable rows={report.by_token ?? []} span={span} />
            </div>
            <DayTable items={report.items} />
          </>
        )}
      </div>
    </Box>
  );
}

function Caller({ caller }: { readonly caller: UsageReport['caller'] }) {
  const { name, permissions, expires, allowance, budget } = caller;
  const hasToken = usePage().connection.token.value !== undefined;
  return (
    <dl class="pairs num">
      <dt>{text('usage.name')}</dt>
      <dd>{name ?? text(hasToken ? 'usage.noName' : 'usage.noToken')}</dd>
      <dt>{text('usage.permissions')}</dt>
      <dd>{permissions.join(text('list.separator'))}</dd>
      {expires !== undefined && (
        <>
          <dt>{text('usage.expires')}</dt>
          <dd>{formatDate(expires)}</dd>
        </>
      )}
      {allowance !== undefined && (
        <>
          <dt>{text('usage.allowance')}</dt>
          <dd>
            {text('usage.allowance.used', {
              used: allowance.used,
              most: allowance.images_per_day,
              time: formatTime(allowance.resets),
            })}
          </dd>
        </>
      )}
      {budget?.per_month !== undefined && (
        <>
          <dt>{text('usage.budget.month')}</dt>
          <dd>
            {text('usage.spent', {
              used: formatDollars(budget.used_this_month),
              budget: formatDollars(budget.per_month),
            })}
          </dd>
        </>
      )}
    </dl>
  );
}
