import { CircleAlert, CircleCheck, Clock, TriangleAlert } from 'lucide';
import type { Job } from '../../api/schemas.ts';
import { Icon } from '../../controls/icon.tsx';
import { isOpen } from '../../jobs/job-state.ts';
import { text } from '../../text/text.ts';
import { CodeSection } from './code-section.tsx';
import { FactsSection } from './facts-section.tsx';
import { FailureSection } from './failure-section.tsx';
import { PromptSection } from './prompt-section.tsx';
import { TimeSection } from './time-section.tsx';
import { VerdictSection } from './verdict-section.tsx';
import { toWebhookText } from './webhook-text.ts';
import './inspector.css';

/** Shows all details of a job, starting with failures. */
export function Inspector({ job }: { readonly job: Job }) {
  return (
    <aside class="inspector scroll" aria-label={text('job.about')} tabIndex={-1}>
      <VerdictSection job={job} />
      <FailureSection job={job} />
      <WarningsSection job={job} />
      <PromptSection job={job} />
      <FactsSection job={job} />
      {!isOpen(job) && job.result && <TimeSection result={job.result} />}
      <WebhookSection job={job} />
      <LabelsSection job={job} />
      <CodeSection job={job} />
    </aside>
  );
}

/** Shows the warnings of the result, except those that another section shows. */
function WarningsSection({ job }: { readonly job: Job }) {
  const warnings = (job.result?.warnings ?? []).filter(
    (warning) => warning !== 'sandbox_output' && warning !== 'partial_output_failure',
  );
  if (warnings.length === 0) return null;
  return (
    <section class="warnings-section">
      <h2 class="sr">{text('job.warnings')}</h2>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>
            <Icon of={TriangleAlert} class="warn" />
            {text(`job.warning.${warning}`)}
          </li>
        ))}
      </ul>
    </section>
  );
}

const ICONS = { pending: Clock, delivered: CircleCheck, failed: CircleAlert } as const;

/** Shows whether the webhook about the end of the job was delivered. */
function WebhookSection({ job }: { readonly job: Job }) {
  const words = toWebhookText(job);
  if (job.webhook === undefined || words === undefined) return null;
  const { status } = job.webhook;
  return (
    <section class="webhook-section">
      <h2>{text('job.webhook')}</h2>
      <p role="status">
        <Icon of={ICONS[status]} class={status} />
        {words}
      </p>
    </section>
  );
}

/** Shows the labels of the job, if any. */
function LabelsSection({ job }: { readonly job: Job }) {
  const labels = Object.entries(job.request.metadata);
  if (labels.length === 0) return null;
  return (
    <section class="labels-section">
      <h2>{text('make.labels')}</h2>
      <dl>
        {labels.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
