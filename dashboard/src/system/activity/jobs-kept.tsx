import type { Diagnostics } from '../../api/schemas.ts';
import { Link } from '../../controls/link.tsx';
import { formatNumber, text } from '../../text/text.ts';
import { Box } from '../box.tsx';
import './jobs-kept.css';

const STATUSES = ['succeeded', 'failed', 'cancelled', 'interrupted', 'running', 'queued'] as const;

/** The jobs that the bridge has, by status; each leads to those images. */
export function JobsKept({ jobs }: { readonly jobs: Diagnostics['jobs'] }) {
  const { by_status: counts } = jobs;
  const total = STATUSES.reduce((sum, status) => sum + counts[status], 0);
  const shown = STATUSES.filter((status) => counts[status] > 0);
  return (
    <Box
      class="jobs-kept"
      title={text('system.jobs')}
      end={<span class="num soft">{formatNumber(total)}</span>}
    >
      <div class={total === 0 ? 'share none' : 'share'} aria-hidden="true">
        {shown.map((status) => (
          <i key={status} class={status} style={{ flexGrow: counts[status] }} />
        ))}
      </div>
      <ul class="num">
        {STATUSES.map((status) => (
          <li key={status}>
            <i class={status} />
            {counts[status] > 0 ? (
              <Link to={`?status=${status}`}>{text(`system.jobs.${status}`)}</Link>
            ) : (
              text(`system.jobs.${status}`)
            )}
            <span>{formatNumber(counts[status])}</span>
          </li>
        ))}
      </ul>
      {jobs.favorite + jobs.hidden > 0 && (
        <p class="hint num">
          {text('system.jobs.marked', { favourite: jobs.favorite, hidden: jobs.hidden })}
        </p>
      )}
    </Box>
  );
}
