import type { Job } from '../../api/schemas.ts';
import { text } from '../../text/text.ts';
import './labels-section.css';

/** The labels that the job was given, if any. */
export function LabelsSection({ job }: { readonly job: Job }) {
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
