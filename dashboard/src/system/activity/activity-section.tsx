import type { Diagnostics } from '../../api/schemas.ts';
import { text } from '../../text/text.ts';
import { JobsKept } from './jobs-kept.tsx';
import { ReplyChart } from './reply-chart.tsx';
import { WorkChart } from './work-chart.tsx';
import './activity-section.css';

/** What the bridge does now, and what it has done. */
export function ActivitySection({ report }: { readonly report: Diagnostics }) {
  return (
    <section id="activity" class="activity-section" tabIndex={-1}>
      <h2 class="sr">{text('system.activity')}</h2>
      <WorkChart />
      <ReplyChart />
      <JobsKept jobs={report.jobs} />
    </section>
  );
}
