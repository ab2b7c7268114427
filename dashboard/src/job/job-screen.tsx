import { useEffect, useRef } from 'preact/hooks';
import type { Job, JobSummary } from '../api/schemas.ts';
import { isOpen, stageOf } from '../jobs/job-state.ts';
import { text } from '../text/text.ts';
import { Inspector } from './inspector/inspector.tsx';
import { JobBar } from './job-bar.tsx';
import { Stage } from './stage/stage.tsx';
import { LookContext } from './state/look-context.ts';
import { useLooking } from './state/use-looking.ts';
import { useNeighbours } from './state/use-neighbours.ts';
import { Strip } from './strip/strip.tsx';
import { useJobKeys } from './use-job-keys.ts';
import './job-screen.css';

interface Props {
  readonly id: string;
  /** `undefined` until it has been read; its space is reserved. */
  readonly job: Job | undefined;
  readonly summary: JobSummary | undefined;
}

export function JobScreen({ id, job, summary }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const look = useLooking(id, job, summary);
  const { neighbours, go } = useNeighbours(id);
  useJobKeys({ job, look, neighbours, go });
  const prompt = (job?.request.prompt ?? summary?.prompt ?? '').slice(0, 256);
  useTitle(prompt);
  // A screen reader starts here, and Tab continues from here.
  useEffect(() => heading.current?.focus(), []);
  return (
    <LookContext.Provider value={look}>
      <div class="job-screen">
        <JobBar job={job} prompt={prompt} heading={heading} />
        <main>
          <Stage job={job} />
          <Strip neighbours={neighbours} onChoose={go} />
          <p class="sr" role="status">
            {job && stateText(job)}
          </p>
        </main>
        {job ? <Inspector job={job} /> : <aside class="inspector" aria-label={text('job.about')} />}
      </div>
    </LookContext.Provider>
  );
}

function stateText(job: Job): string {
  return isOpen(job) ? text(`card.stage.${stageOf(job)}`) : text(`gallery.status.${job.status}`);
}

function useTitle(prompt: string): void {
  useEffect(() => {
    document.title =
      prompt === '' ? text('app.name') : `${prompt.slice(0, 60)} – ${text('app.name')}`;
    return () => {
      document.title = text('app.name');
    };
  }, [prompt]);
}
