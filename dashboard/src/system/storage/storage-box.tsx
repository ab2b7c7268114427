import type { Diagnostics } from '../../api/schemas.ts';
import { formatBytes, formatDuration, text } from '../../text/text.ts';
import { Box } from '../box.tsx';
import './storage-box.css';

/** Shows the disk usage, the disk budgets and the retention periods. */
export function StorageBox({ report }: { readonly report: Diagnostics }) {
  const { storage, jobs, tasks } = report;
  const { retention, limits } = jobs;
  return (
    <Box id="storage" title={text('system.storage')}>
      <Meter
        name={text('system.storage.images', { count: storage.artifacts_count })}
        bytes={storage.artifacts_bytes}
      />
      <Meter
        name={text('system.storage.history')}
        bytes={jobs.logical_bytes}
        most={retention.max_retained_bytes}
      />
      <Meter name={text('system.storage.reserved')} bytes={jobs.reserved_bytes} />
      <Meter
        name={text('system.storage.budget')}
        bytes={jobs.logical_bytes + jobs.reserved_bytes}
        most={limits.max_database_bytes}
      />
      <Meter name={text('system.storage.database')} bytes={storage.database_bytes_physical} />
      <p class="hint num">
        {text('system.storage.retention', {
          duration: formatDuration(retention.retention_secs * 1000),
          count: retention.max_retained,
        })}
      </p>
      {tasks
        .filter(({ failures }) => failures > 0)
        .map(({ name, failures }) => (
          <p key={name} class="warn num">
            {text('system.storage.task', { name, count: failures })}
          </p>
        ))}
    </Box>
  );
}

interface MeterProps {
  readonly name: string;
  readonly bytes: number;
  /** The budget in bytes. Undefined if there is no budget. */
  readonly most?: number;
}

/** The fraction of a budget from which the budget is shown as nearly used up. */
const NEARLY = 0.9;

/** Shows the used part of a budget, or the used bytes if there is no budget. */
function Meter({ name, bytes, most }: MeterProps) {
  const used = formatBytes(bytes);
  const share = most ? Math.min(1, bytes / most) : 0;
  return (
    <p class="meter num">
      <span>{name}</span>
      <span>
        {most === undefined ? used : text('system.usedOf', { used, most: formatBytes(most) })}
      </span>
      {most !== undefined && (
        <i class={share >= NEARLY ? 'nearly' : undefined} aria-hidden="true">
          <i style={{ inlineSize: `${share * 100}%` }} />
        </i>
      )}
    </p>
  );
}
