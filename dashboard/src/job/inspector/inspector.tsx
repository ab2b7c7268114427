import type { Job } from '../../api/schemas.ts';
import { isOpen } from '../../jobs/job-state.ts';
import { text } from '../../text/text.ts';
import { CodeSection } from './code-section.tsx';
import { FactsSection } from './facts-section.tsx';
import { FailureSection } from './failure-section.tsx';
import { LabelsSection } from './labels-section.tsx';
import { PromptSection } from './prompt-section.tsx';
import { TimeSection } from './time-section.tsx';
import { VerdictSection } from './verdict-section.tsx';
import { WarningsSection } from './warnings-section.tsx';
import { WebhookSection } from './webhook-section.tsx';
import './inspector.css';

/** Everything about a job, what is wrong first. */
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
