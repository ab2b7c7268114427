import { Check, Copy, EyeOff, FlaskConical, Repeat2, TriangleAlert, X } from 'lucide';
import { Fragment } from 'preact';
import type { BridgeError, Family, ImageResponse, Job } from '../../api/schemas.ts';
import { Button, Icon, IconButton } from '../../controls/button.tsx';
import { Link } from '../../controls/link.tsx';
import { isMadeHere, isOpen } from '../../jobs/job-state.ts';
import { Elapsed, STATUS_LOOKS, stageText } from '../../jobs/progress.tsx';
import { usePage } from '../../page-context.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/job-text.ts';
import { formatDay, formatSeconds, formatTime, hasText, type TextKey } from '../../text/text.ts';
import { CredentialsSection } from '../credentials/credentials-section.tsx';
import { useJobActions } from '../job-actions.ts';
import { useLook } from '../state/look-context.ts';
import { ChangesSection } from './changes-section.tsx';
import { CodeSection } from './code-section.tsx';
import { CostSection } from './cost-section.tsx';
import { toWebhookText } from './facts.ts';
import { FactsSection } from './facts-section.tsx';
import { LabelsSection } from './labels-section.tsx';
import { NoteSection } from './note-section.tsx';
import { toPromptParts } from './prompt-changes.ts';
import { Prose } from './prose.tsx';
import { WaySection } from './way-section.tsx';
import './inspector.css';

interface InspectorProps {
  readonly job: Job;
  /** Undefined until the family has been read. */
  readonly family: Family | undefined;
}

export function Inspector({ job, family }: InspectorProps) {
  return (
    <aside class="inspector scroll" aria-label={text('job.about')} tabIndex={-1}>
      <VerdictSection job={job} />
      <FailureSection job={job} />
      <WarningsSection job={job} />
      {family && <WaySection id={job.id} family={family} />}
      <ChangesSection job={job} />
      <PromptSection job={job} />
      <NoteSection job={job} />
      <LabelsSection job={job} />
      <FactsSection job={job} />
      <CredentialsSection />
      <CostSection job={job} />
      {!isOpen(job) && job.result && <TimeSection result={job.result} />}
      <WebhookSection job={job} />
      <MetadataSection job={job} />
      {!isMadeHere(job) && <CodeSection job={job} />}
    </aside>
  );
}

/** Shows the warnings of the result that no other section shows. */
function WarningsSection({ job }: { readonly job: Job }) {
  const warnings = (job.result?.warnings ?? []).filter(
    (warning) => warning !== 'sandbox_output' && warning !== 'partial_output_failure',
  );
  if (warnings.length === 0) return null;
  return (
    <section class="warnings-section stack">
      <h2 class="sr">{text('job.warnings')}</h2>
      <ul>
        {warnings.map((warning) => (
          <li key={warning} class="note row">
            <Icon of={TriangleAlert} class="warn" />
            {text(`job.warning.${warning}`)}
          </li>
        ))}
      </ul>
    </section>
  );
}

const WEBHOOK_LOOKS = {
  pending: STATUS_LOOKS.queued,
  delivered: STATUS_LOOKS.succeeded,
  failed: STATUS_LOOKS.failed,
} as const;

/** Shows whether the webhook about the end of the job was delivered. */
function WebhookSection({ job }: { readonly job: Job }) {
  const words = toWebhookText(job);
  if (job.webhook === undefined || words === undefined) return null;
  const { icon, tone } = WEBHOOK_LOOKS[job.webhook.status];
  return (
    <section class="webhook-section stack">
      <h2>{text('job.webhook')}</h2>
      <p class="note row" role="status">
        <Icon of={icon} class={tone} />
        {words}
      </p>
    </section>
  );
}

/** Shows the metadata of the request: names and values that the caller chose. */
function MetadataSection({ job }: { readonly job: Job }) {
  const pairs = Object.entries(job.request.metadata);
  if (pairs.length === 0) return null;
  return (
    <section class="metadata-section stack">
      <h2>{text('make.metadata')}</h2>
      <dl class="pairs">
        {pairs.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

/** Explains why there are no images, or fewer than requested. */
function FailureSection({ job }: { readonly job: Job }) {
  const failures = job.result?.failures ?? [];
  if (job.error === undefined && failures.length === 0) return null;
  return (
    <section class="failure-section stack" role="alert">
      {job.error && <Failure error={job.error} job={job} />}
      {failures.map(({ index, error }) => (
        <Failure key={index} error={error} job={job} number={index + 1} />
      ))}
    </section>
  );
}

interface Props {
  readonly error: BridgeError;
  readonly job: Job;
  /** The number of the output that failed. Undefined for a failure of the whole job. */
  readonly number?: number;
}

function Failure({ error, job, number }: Props) {
  const words = toFailureText(error, (job.completed ?? job.updated) * 1000);
  const facts = [
    ['job.failure.code', error.code],
    ['job.failure.provider', error.provider],
    ['job.failure.job', job.id],
    ['job.failure.request', error.upstream_request_id],
  ] as const;
  return (
    <div class="failure stack">
      <h2>
        {number === undefined
          ? words.title
          : text('job.failure.ofOutput', { number, title: words.title })}
      </h2>
      <p>{words.text}</p>
      <details>
        <summary>{text('action.details')}</summary>
        <p>{error.message}</p>
        {error.suggestions.length > 0 && (
          <ul>
            {error.suggestions.map((suggestion) => (
              <li key={suggestion}>{suggestion}</li>
            ))}
          </ul>
        )}
        <dl class="pairs">
          {facts.map(
            ([key, value]) =>
              value !== undefined && (
                <Fragment key={key}>
                  <dt>{text(key)}</dt>
                  <dd class="mono">{value}</dd>
                </Fragment>
              ),
          )}
        </dl>
      </details>
    </div>
  );
}

const PARTS = ['queue', 'input', 'provider', 'artifact'] as const;

/** Shows how long each phase took, and which models were tried. */
function TimeSection({ result }: { readonly result: ImageResponse }) {
  const { timings, attempts = [], usage } = result;
  const seconds = (ms: number) => text('job.seconds', { seconds: formatSeconds(ms) });
  const parts = PARTS.map((part) => ({ part, ms: timings[`${part}_ms`] }));
  const label = parts
    .map(({ part, ms }) => `${text(`job.time.${part}`)} ${seconds(ms)}`)
    .join(text('list.separator'));
  return (
    <section class="time-section stack">
      <h2>
        {text('job.time')}
        <span class="num">{seconds(timings.total_ms)}</span>
      </h2>
      <div class="shares" role="img" aria-label={label}>
        {parts.map(({ part, ms }) => (
          <i key={part} class={part} style={{ flexGrow: ms }} />
        ))}
      </div>
      <p class="legend num" aria-hidden="true">
        {parts.map(({ part, ms }) => (
          <span key={part}>
            <i class={`swatch ${part}`} />
            {text(`job.time.${part}`)} {formatSeconds(ms)}
          </span>
        ))}
      </p>
      {attempts.length > 0 && (
        <ol class="attempts stack" aria-label={text('job.attempts')}>
          {attempts.map((attempt, index) => (
            // Attempts of a job that has ended never change their order.
            <li key={index} class={attempt.outcome}>
              <Icon of={attempt.outcome === 'failed' ? X : Check} small />
              <span>{attemptText(attempt)}</span>
              <span class="faint num">{seconds(attempt.duration_ms)}</span>
            </li>
          ))}
        </ol>
      )}
      {usage?.total_tokens !== undefined && (
        <p class="hint num">{text('job.tokens', { count: usage.total_tokens })}</p>
      )}
    </section>
  );
}

type Attempt = NonNullable<ImageResponse['attempts']>[number];

function attemptText({ provider, model, outcome, error_code: code }: Attempt): string {
  const name = model ?? provider;
  if (outcome === 'succeeded') return name;
  const key = `failure.${code}.title`;
  return text('job.attempt.failed', { name, why: hasText(key) ? text(key) : (code ?? '') });
}

/** Shows how the job ended, which model made the images, and when. */
function VerdictSection({ job }: { readonly job: Job }) {
  const { today, queue } = usePage();
  const actions = useJobActions();
  const look = STATUS_LOOKS[job.status];
  const isRehearsal = job.result?.warnings.includes('sandbox_output') === true;
  const isHidden = job.deleted !== undefined;
  return (
    <section class="verdict-section stack">
      <p class="verdict row">
        <Icon of={look.icon} class={look.tone} />
        <span>{verdictText(job, queue.latest.value?.paused)}</span>
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
        <p class="note row soft">
          <Icon of={FlaskConical} class="warn" />
          {text('job.rehearsal')}
        </p>
      )}
      {job.retried_as !== undefined && (
        <p class="note row soft">
          <Icon of={Repeat2} />
          <span>
            {text('job.retriedAs')}{' '}
            <Link to={`/jobs/${job.retried_as}`}>{text('job.retriedAs.show')}</Link>
          </span>
        </p>
      )}
      {isHidden && (
        <p class="note row soft">
          <Icon of={EyeOff} />
          <span class="grow">{text('job.isHidden')}</span>
          <Button size="small" onClick={() => actions.setHidden(false)}>
            {text('card.restore')}
          </Button>
        </p>
      )}
    </section>
  );
}

function verdictText(job: Job, isPaused: boolean | undefined): string {
  if (isOpen(job)) return stageText(job, job.request.parameters.n, isPaused);
  const count = job.result?.data.length ?? 0;
  if (job.status !== 'succeeded') return text(`gallery.status.${job.status}`);
  const asked = job.request.parameters.n;
  return count < asked ? text('job.imagesOf', { count, asked }) : text('card.images', { count });
}

/** Returns a text with the model and, for an edit, the name of the source image. */
function originText({ request, result }: Job): string {
  const model = result?.model ?? request.routing.model ?? request.routing.provider;
  const source = request.images[0]?.filename ?? text('job.anImage');
  const isEdit = request.operation === 'edit';
  if (isMadeHere({ request }) && model === 'crop') return text('job.cropped');
  if (model === null) return isEdit ? text('job.editOf', { source }) : text('job.made');
  if (result === undefined) return text('job.asked', { model });
  return isEdit ? text('job.editOf.by', { source, model }) : text('job.made.by', { model });
}

/** Shows the prompt as sent, and the prompt as revised by the model for the image in view. */
function PromptSection({ job }: { readonly job: Job }) {
  const { looking } = useLook();
  const { prompt, negative_prompt: avoid } = job.request;
  const shown = job.result?.data.find(({ index }) => String(index + 1) === looking.b?.ref);
  const revised = shown?.revised_prompt ?? job.result?.revised_prompt;
  return (
    <section class="prompt-section stack">
      <h2>
        {text('make.prompt')}
        <CopyButton what="make.prompt" content={prompt} />
      </h2>
      <Prose content={prompt} />
      {avoid !== null && avoid !== '' && (
        <>
          <h2>{text('make.avoid')}</h2>
          <Prose content={avoid} />
        </>
      )}
      {revised !== undefined && revised !== prompt && (
        <>
          <h2>
            {text('job.revised')}
            <CopyButton what="job.copy.revised" content={revised} />
          </h2>
          <Prose content={revised}>
            {toPromptParts(prompt, revised).map(({ text: part, isAdded }, index) =>
              // The parts of a text never change their order.
              isAdded ? <ins key={index}>{part}</ins> : part,
            )}
          </Prose>
        </>
      )}
    </section>
  );
}

/** Renders a button that copies a text. `what` names the text, for example "Prompt". */
function CopyButton({ what, content }: { readonly what: TextKey; readonly content: string }) {
  const { copy } = useJobActions();
  return (
    <IconButton
      small
      icon={Copy}
      label={text('job.copyWhat', { what: text(what) })}
      onClick={() => copy(content, what)}
    />
  );
}
