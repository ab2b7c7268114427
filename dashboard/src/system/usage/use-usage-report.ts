import { useEffect, useState } from 'preact/hooks';
import { ApiError, unwrap } from '../../api/api.ts';
import type { UsageReport } from '../../api/schemas.ts';
import { usePage } from '../../page-context.ts';
import { firstDay, SPANS, type Span } from './usage-bars.ts';

/** The usage that is shown. */
export interface UsageChoice {
  readonly which: 'own' | 'all';
  readonly span: Span;
}

interface Read {
  readonly choice: UsageChoice;
  readonly report: UsageReport;
}

const EVERY_MS = 30_000;

/**
 * Reads the usage every 30 seconds, and when the connection returns. The usage of the token itself on the last days is read with the
 * caller, which other parts of the page also need. `shown` is the last report that was read, until the chosen one has been read.
 * Calls `onRefused` if the token may not see the chosen usage.
 */
export function useUsageReport(choice: UsageChoice, onRefused: () => void) {
  const { api, usage, connection } = usePage();
  const { which, span } = choice;
  const [read, setRead] = useState<Read>();
  const isPlain = which === 'own' && span === 'days';
  const returns = connection.returns.value;
  const token = connection.token.value;
  useEffect(() => setRead(undefined), [token]);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const next = async () => {
      void usage.read();
      if (isPlain) return;
      const { bars, days } = SPANS[span];
      const params = { query: { days: bars * days, tokens: which } };
      try {
        const report = await unwrap(api.GET('/v1/usage', { params, signal }));
        if (!signal.aborted) setRead({ choice: { which, span }, report });
      } catch (error) {
        // Without a connection, the last usage stays.
        if (!signal.aborted && ApiError.of(error).code === 'permission_denied') onRefused();
      }
    };
    void next();
    const timer = setInterval(() => void next(), EVERY_MS);
    return () => {
      ending.abort();
      clearInterval(timer);
    };
  }, [api, usage, returns, token, which, span]);

  const { value: latest } = usage.latest;
  const plain = latest && { choice: { which: 'own', span: 'days' } as const, report: latest };
  const shown = isPlain ? plain : (read ?? plain);
  const isCurrent = shown?.choice.which === which && shown.choice.span === span;
  return { caller: latest?.caller, shown: shown && ofSpan(shown), isCurrent };
}

/** Leaves out the days before the span. */
function ofSpan({ choice, report }: Read): Read {
  const first = firstDay(choice.span, Date.now());
  return { choice, report: { ...report, items: report.items.filter(({ day }) => day >= first) } };
}
