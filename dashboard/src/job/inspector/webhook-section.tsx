import { CircleAlert, CircleCheck, Clock } from 'lucide';
import type { Job } from '../../api/schemas.ts';
import { Icon } from '../../controls/icon.tsx';
import { text } from '../../text/text.ts';
import { toWebhookText } from './webhook-text.ts';
import './webhook-section.css';

const ICONS = { pending: Clock, delivered: CircleCheck, failed: CircleAlert } as const;

/** Whether the end of the job has reached its receiver. */
export function WebhookSection({ job }: { readonly job: Job }) {
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
