import { Ban, CircleAlert, ImageOff, Pencil, Repeat2, TriangleAlert } from 'lucide';
import type { Job } from '../../api/schemas.ts';
import { Button } from '../../controls/button.tsx';
import { Icon } from '../../controls/icon.tsx';
import { useNow } from '../../shell/use-now.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { formatClock, text } from '../../text/text.ts';
import { useJobActions } from '../state/actions-context.ts';
import './ended-stage.css';

const ICONS = { failed: CircleAlert, cancelled: Ban, interrupted: TriangleAlert } as const;

/** A job that ended without an image: what happened, whether anything was made or paid, and what can be done. */
export function EndedStage({ job }: { readonly job: Job }) {
  const { error, status } = job;
  const failure = error && toFailureText(error, (job.completed ?? job.updated) * 1000);
  const icon = status in ICONS ? ICONS[status as keyof typeof ICONS] : ImageOff;
  return (
    <div class="ended-stage">
      <Icon of={icon} class={status} />
      <h2>{failure?.title ?? text('job.noImages')}</h2>
      <p class="soft">{failure?.text ?? text('job.noImages.text')}</p>
      <Ways job={job} mayRepeat={failure?.mayRepeat ?? true} after={failure?.after} />
    </div>
  );
}

interface WaysProps {
  readonly job: Job;
  readonly mayRepeat: boolean;
  /** Unix milliseconds before which the same request would fail again. */
  readonly after: number | undefined;
}

function Ways({ job, mayRepeat, after = 0 }: WaysProps) {
  const { makeAgain, change } = useJobActions();
  const now = useNow(1000, after > Date.now());
  const wait = Math.max(0, after - Math.max(now, Date.now()));
  return (
    <>
      {wait > 0 && <p class="soft num">{text('card.safeIn', { wait: formatClock(wait + 999) })}</p>}
      <p class="ways">
        {mayRepeat && (
          <Button icon={Repeat2} disabled={wait > 0} onClick={() => makeAgain(job)}>
            {text('card.makeAgain')}
          </Button>
        )}
        <Button icon={Pencil} onClick={() => void change(job)}>
          {text(job.error?.code === 'safety_rejected' ? 'card.changePrompt' : 'card.change')}
        </Button>
      </p>
    </>
  );
}
