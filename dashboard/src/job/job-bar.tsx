import { ArrowLeft, Columns2, Grid2x2, Square, SquareSplitHorizontal } from 'lucide';
import type { RefObject } from 'preact';
import type { Job } from '../api/schemas.ts';
import { Icon } from '../controls/icon.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import { JobTools } from './job-tools.tsx';
import { useLook } from './state/look-context.ts';
import type { ViewName } from './state/looking.ts';
import './job-bar.css';

const ICONS = {
  single: Square,
  grid: Grid2x2,
  side: Columns2,
  slider: SquareSplitHorizontal,
} as const;

interface Props {
  readonly job: Job | undefined;
  readonly prompt: string;
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

/** The way back, what it is, how it is looked at, what can be done. */
export function JobBar({ job, prompt, heading }: Props) {
  const { router } = usePage();
  const { looking } = useLook();
  return (
    <header class="job-bar">
      <div class="title">
        <IconButton icon={ArrowLeft} label={text('job.back')} onClick={() => void router.back()} />
        <h1 ref={heading} class="cut" tabIndex={-1} dir="auto">
          {prompt || text('job.title')}
        </h1>
      </div>
      {looking.views.length > 1 && (
        <div class="views">
          <Segmented
            label={text('job.view')}
            segments={looking.views.map((view) => ({ value: view, label: <View name={view} /> }))}
            value={looking.view}
            onChange={(view) => router.setQuery({ view: view === 'single' ? undefined : view })}
          />
        </div>
      )}
      <div class="tools">{job && <JobTools job={job} />}</div>
    </header>
  );
}

function View({ name }: { readonly name: ViewName }) {
  return (
    <>
      <Icon of={ICONS[name]} />
      <span class="wide-text">{text(`job.view.${name}`)}</span>
    </>
  );
}
