import type { ComponentChildren } from 'preact';
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
  const names = [...columns, 'tokens' as const].map((column) => text(`system.usage.${column}`));
  return (
    <UsageTable
      class="days"
      label={text('system.usage.days')}
      headings={[text('system.usage.day'), ...names]}
      rows={items.map(({ day, tokens, cost, unknown_images: unpriced, ...counts }) => ({
        key: day,
        name: <time dateTime={day}>{formatUtcDay(day)}</time>,
        cells: [
          ...columns.map((column) => formatNumber(counts[column])),
          tokens === undefined ? '–' : formatNumber(tokens),
        ],
        cost: spent(cost, unpriced),
      }))}
    />
  );
}

/** Shows the images and the cost of each provider on all days. */
function Providers({ items }: Pick<UsageReport, 'items'>) {
  return (
    <UsageTable
      label={text('money.usage.providers')}
      headings={[text('money.usage.provider'), text('system.usage.images')]}
      rows={sumByProvider(items).map(({ provider, images, cost, unpriced }) => ({
        key: provider,
        name: provider,
        cells: [formatNumber(images)],
        cost: spent(cost, unpriced),
      }))}
    />
  );
}

interface TableProps {
  readonly class?: string;
  readonly label: string;
  /** The headings of the names and of the cells. The cost is the last column of each table. */
  readonly headings: readonly string[];
  readonly rows: readonly {
    readonly key: string;
    readonly name: ComponentChildren;
    readonly cells: readonly string[];
    readonly cost: string;
  }[];
}

function UsageTable({ class: look, label, headings: [first, ...others], rows }: TableProps) {
  return (
    <ScrollRegion class={look === undefined ? 'table-wrap' : `table-wrap ${look}`} label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {[...others, text('money.cost')].map((heading) => (
              <th key={heading} scope="col" class="end">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody class="num">
          {rows.map(({ key, name, cells, cost }) => (
            <tr key={key}>
              <td>{name}</td>
              {[...cells, cost].map((cell, index) => (
                // The columns of a table never change their order.
                <td key={index} class="end">
                  {cell}
                </td>
              ))}
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
