import { useEffect, useState } from 'preact/hooks';
import { unwrap } from '../../api/api.ts';
import type { QueueJobPage } from '../../api/schemas.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { usePage } from '../../page-context.ts';
import { useNow } from '../../shell/use-now.ts';
import { formatClock, text } from '../../text/text.ts';

/** The pause between two reads in milliseconds. */
const READ_MS = 5000;

/**
 * Lists the jobs of other tokens, with their owners, ages and states. Renders nothing if there are none, or if the token may not see
 * them.
 */
export function OtherJobs({ own }: { readonly own: Jobs }) {
  const { page, atMs } = useOtherJobs();
  const now = useNow(1000, page !== undefined);
  const others = page?.items.filter(({ id }) => own.get(id) === undefined) ?? [];
  if (others.length === 0) return null;
  return (
    <>
      <h3>{text('queue.others')}</h3>
      <ul>
        {others.map(({ id, owner, status, age_ms: ageMs }) => (
          <li key={id} class="queue-other row num">
            <span class="grow cut">{owner ?? text('queue.unnamed')}</span>
            <span class="soft">
              {text(status === 'running' ? 'queue.state.running' : 'queue.state.queued')}
            </span>
            <span class="faint">{formatClock(ageMs + now - atMs)}</span>
          </li>
        ))}
      </ul>
      {page?.next_cursor !== undefined && (
        <p class="queue-note faint">{text('queue.othersMore')}</p>
      )}
    </>
  );
}

/** Reads the queue of all tokens every five seconds, if the token has the permission `admin` and there are other jobs. */
function useOtherJobs() {
  const { api, usage, queue, jobs, connection } = usePage();
  const [read, setRead] = useState<{ page?: QueueJobPage; atMs: number }>({ atMs: 0 });
  const mayRead = usage.latest.value?.caller.permissions.includes('admin') === true;
  const { value: all } = queue.latest;
  const hasOthers = all !== undefined && all.queued + all.running > jobs.open.value.size;
  useEffect(() => {
    if (usage.latest.peek() === undefined) void usage.read();
  }, [usage]);
  useEffect(() => {
    if (!mayRead || !hasOthers || !connection.online.value) {
      setRead({ atMs: 0 });
      return;
    }
    const next = () =>
      unwrap(api.GET('/v1/queue/jobs', { params: { query: { limit: 100 } } })).then(
        (page) => setRead({ page, atMs: Date.now() }),
        () => setRead({ atMs: 0 }),
      );
    void next();
    const timer = setInterval(() => void next(), READ_MS);
    return () => clearInterval(timer);
  }, [api, mayRead, hasOthers, connection.online.value]);
  return read;
}
