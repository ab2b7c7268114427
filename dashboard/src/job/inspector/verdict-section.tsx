import {
  Ban,
  CircleAlert,
  CircleCheck,
  Clock,
  EyeOff,
  FlaskConical,
  Loader,
  TriangleAlert,
} from 'lucide';
import type { Job } from '../../api/schemas.ts';
import { Button } from '../../controls/button.tsx';
import { Icon } from '../../controls/icon.tsx';
import { isOpen, stageOf } from '../../jobs/job-state.ts';
import { Elapsed } from '../../jobs/progress.tsx';
import { usePage } from '../../page-context.ts';
import { formatDay, formatTime, text } from '../../text/text.ts';
import { useJobActions } from '../job-actions.ts';

const ICONS = {
  queued: Clock,
  running: Loader,
  succeeded: CircleCheck,
  failed: CircleAlert,
  cancelled: Ban,
  interrupted: TriangleAlert,
} as const;

/** Shows how the job ended, which model made the images, and when. */
export function VerdictSection({ job }: { readonly job: Job }) {
  const { today } = usePage();
  const actions = useJobActions();
  const isRehearsal = job.result?.warnings.includes('sandbox_output') === true;
  const isHidden = job.deleted !== undefined;
  return (
    <section class="verdict-section">
      <p class="verdict">
        <Icon of={ICONS[job.status]} class={job.status} />
        <span>{verdictText(job)}</span>
        {isOpen(job) ? (
          <Elapsed job={job} running />
        ) : (
          <time class="num" dateTime={new Date(job.created * 1000).toISOString()}>
            {formatDay(job.created, new Date(today.value))}
            {text('list.separator')}
            {formatTime(job.created)}
          </time>
        )}
      </p>
      <p class="soft">{originText(job)}</p>
      {isRehearsal && (
        <p class="note">
          <Icon of={FlaskConical} class="warn" />
          {text('job.rehearsal')}
        </p>
      )}
      {isHidden && (
        <p class="note">
          <Icon of={EyeOff} />
          <span class="grow">{text('job.isHidden')}</span>
          <Button size="small" onClick={() => actions.setHidden(false)}>
            {text('job.restore')}
          </Button>
        </p>
      )}
      {isOpen(job) && <CancelButton job={job} />}
    </section>
  );
}

function CancelButton({ job }: { readonly job: Job }) {
  const actions = useJobActions();
  const isWaiting = actions.waiting.value === 'cancel';
  return (
    <Button
      look={isWaiting ? 'danger' : 'plain'}
      disabled={job.cancel_requested}
      onClick={actions.cancel}
    >
      {text(
        job.cancel_requested ? 'job.cancelling' : isWaiting ? 'job.cancelAgain' : 'action.cancel',
      )}
    </Button>
  );
}

function verdictText(job: Job): string {
  if (isOpen(job)) return text(`card.stage.${stageOf(job)}`);
  const count = job.result?.data.length ?? 0;
  if (job.status !== 'succeeded') return text(`gallery.status.${job.status}`);
  const asked = job.request.parameters.n;
  return count < asked ? text('job.imagesOf', { count, asked }) : text('card.images', { count });
}

/** Returns a text that says which model made or edited the image, and the name of the source if it has one. */
function originText({ request, result }: Job): string {
  const model = result?.model ?? request.routing.model ?? request.routing.provider;
  const source = request.images[0]?.filename ?? text('job.anImage');
  const isEdit = request.operation === 'edit';
  if (model === null) return isEdit ? text('job.editOf', { source }) : text('job.made');
  if (result === undefined) return text('job.asked', { model });
  return isEdit ? text('job.editOf.by', { source, model }) : text('job.made.by', { model });
}
