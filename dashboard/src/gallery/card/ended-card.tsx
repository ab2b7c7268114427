import { Ban, CircleAlert, Pencil, Repeat2, TriangleAlert } from 'lucide';
import type { BridgeError, JobSummary } from '../../api/schemas.ts';
import { Button } from '../../controls/button.tsx';
import { usePage } from '../../page-context.ts';
import { useNow } from '../../shell/use-now.ts';
import { type FailureText, toFailureText } from '../../text/failure-text.ts';
import { formatClock, text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';
import { CardNote } from './card-note.tsx';

interface Props {
  readonly job: JobSummary;
  readonly tabIndex: number;
}

const LOOKS = {
  failed: { icon: CircleAlert, tone: 'bad' },
  interrupted: { icon: TriangleAlert, tone: 'warn' },
  cancelled: { icon: Ban, tone: 'faint' },
  succeeded: { icon: CircleAlert, tone: 'faint' },
} as const;

/** A job that ended without an image: what happened, whether anything was made or paid, and the one thing to do. */
export function EndedCard({ job, tabIndex }: Props) {
  const { state } = useGallery();
  const { icon, tone } = LOOKS[job.status as keyof typeof LOOKS];
  const error = state.errors.get(job.id).value;
  const failure = toFailureText(error ?? assumed(job), (job.completed ?? job.updated) * 1000);
  const wait = useWait(failure.after);
  const isPlain = job.status === 'cancelled' && error?.details['outcome'] !== 'unknown';
  const say = wait > 0 ? text('card.safeIn', { wait: formatClock(wait + 999) }) : failure.text;
  return (
    <CardNote
      icon={icon}
      tone={tone}
      title={failure.title}
      say={isPlain ? job.prompt : say}
      asked={isPlain ? undefined : job.prompt}
    >
      <Ways job={job} failure={failure} waits={wait > 0} tabIndex={tabIndex} />
    </CardNote>
  );
}

interface WaysProps extends Props {
  readonly failure: FailureText;
  readonly waits: boolean;
}

function Ways({ job, failure, waits, tabIndex }: WaysProps) {
  const { router } = usePage();
  const { actions, state } = useGallery();
  const error = state.errors.get(job.id).value;
  const isUnknown = error?.details['outcome'] === 'unknown' || job.status === 'interrupted';
  const details = (
    <Button
      size="small"
      look={isUnknown ? 'plain' : 'quiet'}
      tabIndex={tabIndex}
      onClick={() => router.navigate(`/jobs/${job.id}`)}
    >
      {text('action.details')}
    </Button>
  );
  if (isUnknown) return details;
  return (
    <>
      {failure.mayRepeat ? (
        <Button
          size="small"
          icon={Repeat2}
          disabled={waits}
          tabIndex={tabIndex}
          onClick={() => void actions.makeAgain([job.id])}
        >
          {text('card.makeAgain')}
        </Button>
      ) : (
        <Button
          size="small"
          icon={Pencil}
          tabIndex={tabIndex}
          onClick={() => void actions.change(job.id)}
        >
          {text(job.error_code === 'safety_rejected' ? 'card.changePrompt' : 'card.change')}
        </Button>
      )}
      {job.status !== 'cancelled' && details}
    </>
  );
}

/** Milliseconds until `after`; 0 from then on. */
function useWait(after: number | undefined): number {
  const waits = after !== undefined && after > Date.now();
  const now = useNow(1000, waits);
  return after === undefined ? 0 : Math.max(0, after - Math.max(now, Date.now()));
}

/** What is certain before the whole error has been read. */
function assumed({
  status,
  error_code,
}: JobSummary): Pick<BridgeError, 'code' | 'details' | 'retryable' | 'message'> {
  const reason = status === 'interrupted' ? { reason: 'interrupted', outcome: 'unknown' } : {};
  const code = (error_code ?? 'cancelled') as BridgeError['code'];
  return { code, details: reason, retryable: false, message: '' };
}
