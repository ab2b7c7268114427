import { X } from 'lucide';
import type { JobSummary } from '../../api/schemas.ts';
import { Button, IconButton } from '../../controls/button.tsx';
import type { JobActions } from '../../gallery/actions/job-actions.ts';
import { usePartialImage } from '../../images/use-image.ts';
import { Elapsed, StageBar, stageText } from '../../jobs/progress.tsx';
import { usePage } from '../../page-context.ts';
import { formatClock, text } from '../../text/text.ts';
import type { QueuePlaces } from './queue-places.ts';

interface Props {
  readonly places: QueuePlaces;
  readonly actions: JobActions;
}

/** Lists the running jobs of the caller. */
export function RunningList({ places, actions }: Props) {
  const { jobs } = usePage();
  const running = [...jobs.open.value.values()]
    .filter(({ status }) => status === 'running')
    .toSorted((a, b) => (a.started ?? 0) - (b.started ?? 0) || (a.id < b.id ? -1 : 1));
  if (running.length === 0) return null;
  const facts = new Map(places.latest.value?.running.map((one) => [one.id, one] as const));
  return (
    <>
      <h3>{text('queue.running')}</h3>
      <ul>
        {running.map((job) => (
          <RunningRow key={job.id} job={job} actions={actions} {...facts.get(job.id)} />
        ))}
      </ul>
    </>
  );
}

interface RowProps {
  readonly job: JobSummary;
  readonly actions: JobActions;
  readonly owner?: string;
  readonly usual_ms?: number;
}

function RunningRow({ job, actions, owner, usual_ms: usualMs }: RowProps) {
  const image = usePartialImage(job);
  const isAsking = actions.cancelling.value === job.id;
  const label = text('queue.cancel', { prompt: job.prompt.slice(0, 60) });
  return (
    <li class="queue-run row">
      {image.state === 'ready' ? (
        <img src={image.url} alt={text('queue.partial')} />
      ) : (
        <i class="queue-blank" aria-hidden="true" />
      )}
      <div class="grow">
        <p class="cut" dir="auto">
          {job.prompt}
        </p>
        <p class="soft cut num">
          {[job.model ?? job.provider, owner].filter(Boolean).join(text('list.separator'))}
        </p>
        <StageBar job={job} />
        <p class="queue-line row num">
          <span class="grow">{stageText(job, job.outputs)}</span>
          <b>
            <Elapsed job={job} running />
          </b>
          {usualMs !== undefined && (
            <span class="faint">
              {text('queue.usually', { time: formatClock(Math.max(1000, usualMs)) })}
            </span>
          )}
        </p>
      </div>
      {isAsking ? (
        <Button
          size="small"
          look="danger"
          aria-label={label}
          onClick={() => actions.cancel(job.id)}
        >
          {text('queue.cancelAgain')}
        </Button>
      ) : (
        <IconButton
          small
          icon={X}
          label={job.cancel_requested ? text('card.cancelling') : label}
          disabled={job.cancel_requested}
          onClick={() => actions.cancel(job.id)}
        />
      )}
    </li>
  );
}
