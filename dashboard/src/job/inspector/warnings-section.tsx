import { TriangleAlert } from 'lucide';
import type { Job } from '../../api/schemas.ts';
import { Icon } from '../../controls/icon.tsx';
import { text } from '../../text/text.ts';
import './warnings-section.css';

/** What to know of the result. What is said elsewhere, on its own, is left out. */
export function WarningsSection({ job }: { readonly job: Job }) {
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
