import { useEffect } from 'preact/hooks';
import type { UsageReport } from '../../api/schemas.ts';
import { ScrollRegion } from '../../controls/scroll-region.tsx';
import { usePage } from '../../page-context.ts';
import { formatDate, formatNumber, formatTime, formatUtcDay, text } from '../../text/text.ts';
import { usageColumns } from '../../usage/usage.ts';
import { Box } from '../box.tsx';
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
        <Days items={report.items} />
      )}
    </Box>
  );
}

function Caller({ caller }: { readonly caller: UsageReport['caller'] }) {
  const { name, permissions, expires, allowance } = caller;
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
    </dl>
  );
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
          </tr>
        </thead>
        <tbody class="num">
          {items.map(({ day, tokens, ...counts }) => (
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
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
