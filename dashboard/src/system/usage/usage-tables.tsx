import type { ComponentChildren } from 'preact';
import type { UsageReport } from '../../api/schemas.ts';
import { ScrollRegion } from '../../controls/scroll-region.tsx';
import { toCostText } from '../../money/cost-text.ts';
import { formatDollars } from '../../money/money.ts';
import { formatNumber, formatUtcDay } from '../../text/text.ts';
import { type ModelSum, modelKey, sumByModel } from '../../usage/sum-by-model.ts';
import { usageColumns } from '../../usage/usage.ts';
import { Meter } from './meter.tsx';
import type { Span } from './usage-bars.ts';
import { text } from './usage-text.ts';

type Cost = UsageReport['items'][number]['cost'];
type TokenRow = NonNullable<UsageReport['by_token']>[number];

/** Shows the images, the average cost of an image and the cost of each model in the span. */
export function ModelTable({ items, span }: Pick<UsageReport, 'items'> & { readonly span: Span }) {
  return (
    <UsageTable
      label={text('usage.models')}
      headings={[
        text('usage.model'),
        text('usage.images'),
        text('usage.each'),
        text(`usage.span.${span}`),
      ]}
      rows={sumByModel(items).map((sum) => ({
        key: modelKey(sum),
        name: <ModelLabel {...sum} />,
        cells: [formatNumber(sum.images), eachText(sum), spentText(sum.cost, sum.unpriced)],
      }))}
    />
  );
}

function ModelLabel({ provider, model }: Pick<ModelSum, 'provider' | 'model'>) {
  if (provider === undefined) return <>{text('usage.model.others')}</>;
  return (
    <>
      {model ?? text('usage.model.unknown')} <span class="faint">{provider}</span>
    </>
  );
}

function eachText({ cost, each }: ModelSum): string {
  return each === undefined ? toCostText(cost) : formatDollars(String(each));
}

/**
 * Shows the images and the cost of each token in the span, its cost today, and what is left of its limits. Renders nothing if the
 * report has only one token.
 */
export function TokenTable({
  rows,
  span,
}: {
  readonly rows: readonly TokenRow[];
  readonly span: Span;
}) {
  if (rows.length < 2) return null;
  return (
    <UsageTable
      label={text('usage.tokensTable')}
      headings={[
        text('usage.name'),
        text('usage.images'),
        text(`usage.span.${span}`),
        text('usage.token.today'),
        text('usage.token.left'),
      ]}
      rows={rows.map((row, index) => ({
        // Two tokens may have the same name, and each reply has its own order.
        key: `${row.kind} ${row.name} ${index}`,
        name: tokenLabel(row),
        cells: [
          formatNumber(row.images),
          spentText(row.cost, row.unknown_images),
          spentText(row.today.cost, row.today.unknown_images),
          <Left key="left" {...row} />,
        ],
      }))}
    />
  );
}

function tokenLabel({ kind, name = '', own }: TokenRow): string {
  if (own) return name === '' ? text('usage.token.own') : text('usage.token.ownName', { name });
  if (kind === 'named') return name;
  return text(`usage.token.${kind}`, { name });
}

function Left({ kind, budget, allowance }: TokenRow) {
  if (kind !== 'named' && kind !== 'unnamed') return null;
  if (budget?.per_day !== undefined) {
    const [used, most] = [Number(budget.used_today), Number(budget.per_day)];
    return (
      <>
        <Meter used={used} most={most} /> {formatDollars(String(Math.max(0, most - used)))}
      </>
    );
  }
  if (budget?.per_month !== undefined) {
    const left = Math.max(0, Number(budget.per_month) - Number(budget.used_this_month));
    return <>{text('usage.token.left.month', { amount: formatDollars(String(left)) })}</>;
  }
  if (allowance === undefined) {
    return <span class="soft">{text('usage.token.left.none')}</span>;
  }
  const count = Math.max(0, allowance.images_per_day - allowance.used);
  return <>{text('usage.token.left.images', { count })}</>;
}

/** Shows the counts and the cost of each day. */
export function DayTable({ items }: Pick<UsageReport, 'items'>) {
  const columns = usageColumns(items);
  const names = [...columns, 'tokens' as const].map((column) => text(`usage.${column}`));
  return (
    <UsageTable
      class="days"
      label={text('usage.days')}
      headings={[text('usage.day'), ...names, text('usage.cost')]}
      rows={items.map(({ day, tokens, cost, unknown_images: unpriced, ...counts }) => ({
        key: day,
        name: <time dateTime={day}>{formatUtcDay(day)}</time>,
        cells: [
          ...columns.map((column) => formatNumber(counts[column])),
          tokens === undefined ? '–' : formatNumber(tokens),
          spentText(cost, unpriced),
        ],
      }))}
    />
  );
}

interface TableProps {
  readonly class?: string;
  readonly label: string;
  readonly headings: readonly string[];
  readonly rows: readonly {
    readonly key: string;
    readonly name: ComponentChildren;
    readonly cells: readonly ComponentChildren[];
  }[];
}

function UsageTable({ class: look, label, headings: [first, ...others], rows }: TableProps) {
  return (
    <ScrollRegion class={look === undefined ? 'table-wrap' : `table-wrap ${look}`} label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {others.map((heading) => (
              <th key={heading} scope="col" class="end">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody class="num">
          {rows.map(({ key, name, cells }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              {cells.map((cell, index) => (
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

/** Returns a cost in words, with the number of images whose cost is not known beside a known part. */
function spentText(cost: Cost, unpriced: number): string {
  const { known_amount: part } = cost;
  if (part === undefined || Number(part) === 0 || unpriced === 0) return toCostText(cost);
  return text('usage.some', { amount: formatDollars(part), count: unpriced });
}
