import { useEffect } from 'preact/hooks';
import type { UsageReport } from '../../api/schemas.ts';
import { ScrollRegion } from '../../controls/scroll-region.tsx';
import { toCostText } from '../../money/cost-text.ts';
import { formatDollars } from '../../money/money.ts';
import { text } from '../../money/money-text.ts';
import { usePage } from '../../page-context.ts';
import { formatDate, formatNumber, formatTime, formatUtcDay } from '../../text/text.ts';
import { sumByProvider } from '../../usage/sum-by-provider.ts';
import { usageColumns } from '../../usage/usage.ts';
import { Box } from '../box.tsx';
import { UsageChart } from './usage-chart.tsx';
import './usage-box.css';

const EVERY_MS = 30_000;

/** Shows the caller, the permissions and the image allowance of the caller, and the number of its images by day. */
export function UsageBox() {
  const { usage, connection } = usePage();
  const returns = connection.returns.value;
  useEffect(() => {
    void usage.read();
    const timer = setInterval(() => void usage.read(), EVERY_MS);
    return () => clearInterval(timer);
  }, [usage, returns]);
  const { value: report } = usage.latest;
  if (report === undefined) return null;
  return (
    <Box id="usage" class="usage-box" title={text('system.usage')}>
      <Caller caller={report.caller} />
      {report.items.length === 0 ? (
        <p class="hint">{text('system.usage.none')}</p>
      ) : (
        <>
          <UsageChart report={report} />
          <Days items={report.items} />
          <Providers items={report.items} />
        </>
      )}
    </Box>
  );
}

function Caller({ caller }: { readonly caller: UsageReport['caller'] }) {
  const { name, permissions, expires, allowance, budget } = caller;
  const hasToken = usePage().connection.token.value !== undefined;
  return (
    <dl class="pairs num">
      <dt>{text('system.usage.name')}</dt>
      <dd>{name ?? text(hasToken ? 'system.usage.noName' : 'system.usage.noToken')}</dd>
      <dt>{text('system.usage.permissions')}</dt>
      <dd>{permissions.join(text('list.separator'))}</dd>
      {expires !== undefined && (
        <>
          <dt>{text('system.usage.expires')}</dt>
          <dd>{formatDate(expires)}</dd>
        </>
      )}
      {allowance !== undefined && (
        <>
          <dt>{text('system.usage.today')}</dt>
          <dd>
            {text('system.usage.allowance', {
              used: allowance.used,
              most: allowance.images_per_day,
              time: formatTime(allowance.resets),
            })}
          </dd>
        </>
      )}
      {budget?.per_day !== undefined && (
        <>
          <dt>{text('money.usage.budget.day')}</dt>
          <dd>{spentText(budget.used_today, budget.per_day)}</dd>
        </>
      )}
      {budget?.per_month !== undefined && (
        <>
          <dt>{text('money.usage.budget.month')}</dt>
          <dd>{spentText(budget.used_this_month, budget.per_month)}</dd>
        </>
      )}
    </dl>
  );
}

function spentText(used: string, budget: string): string {
  return text('money.usage.spent', { used: formatDollars(used), budget: formatDollars(budget) });
}

function Days({ items }: Pick<UsageReport, 'items'>) {
  const columns = usageColumns(items);
  return (
    <ScrollRegion class="table-wrap days" label={text('system.usage.days')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{text('system.usage.day')}</th>
            {[...columns, 'tokens' as const].map((column) => (
              <th key={column} scope="col" class="end">
                {text(`system.usage.${column}`)}
              </th>
            ))}
            <th scope="col" class="end">
              {text('money.cost')}
            </th>
          </tr>
        </thead>
        <tbody class="num">
          {items.map(({ day, tokens, cost, unknown_images: unpriced, ...counts }) => (
            <tr key={day}>
              <td>
                <time dateTime={day}>{formatUtcDay(day)}</time>
              </td>
              {columns.map((column) => (
                <td key={column} class="end">
                  {formatNumber(counts[column])}
                </td>
              ))}
              <td class="end">{tokens === undefined ? '–' : formatNumber(tokens)}</td>
              <td class="end">{spent(cost, unpriced)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

type Spent = Pick<UsageReport['items'][number], 'cost' | 'unknown_images'>;

/** Returns a cost in words, with the number of images whose cost is not known beside a known part. */
function spent(cost: Spent['cost'], unpriced: number): string {
  const { known_amount: part } = cost;
  if (part === undefined || Number(part) === 0 || unpriced === 0) return toCostText(cost);
  return text('money.usage.some', { amount: formatDollars(part), count: unpriced });
}

/** Shows the images and the cost of each provider on all days. */
function Providers({ items }: Pick<UsageReport, 'items'>) {
  const sums = sumByProvider(items);
  return (
    <ScrollRegion class="table-wrap" label={text('money.usage.providers')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{text('money.usage.provider')}</th>
            <th scope="col" class="end">
              {text('system.usage.images')}
            </th>
            <th scope="col" class="end">
              {text('money.cost')}
            </th>
          </tr>
        </thead>
        <tbody class="num">
          {sums.map(({ provider, images, cost, unpriced }) => (
            <tr key={provider}>
              <td>{provider}</td>
              <td class="end">{formatNumber(images)}</td>
              <td class="end">{spent(cost, unpriced)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
