import {
  ArrowLeft,
  Brush,
  Columns2,
  Download,
  Ellipsis,
  EyeOff,
  Grid2x2,
  Heart,
  Image,
  Images,
  ImageUp,
  Pencil,
  Repeat2,
  Shuffle,
  Square,
  SquareSplitHorizontal,
  Undo2,
} from 'lucide';
import type { RefObject } from 'preact';
import type { Job } from '../api/schemas.ts';
import { ConnectionNotice } from '../connection/connection-status.tsx';
import { Button, IconButton, IconLabel } from '../controls/button.tsx';
import { Segmented } from '../controls/inputs.tsx';
import { Menu, MenuItem, useMenu } from '../controls/menu.tsx';
import { isMadeHere, isOpen } from '../jobs/job-state.ts';
import { usePage } from '../page-context.ts';
import { useWait } from '../shell/use-now.ts';
import { text } from '../text/job-text.ts';
import { formatBytes } from '../text/text.ts';
import { useJobActions } from './job-actions.ts';
import { isWorthRepeating, retryTime } from './state/job-detail.ts';
import { imageText } from './state/job-images.ts';
import { useLook } from './state/look-context.ts';
import './job-bar.css';

const ICONS = {
  single: Square,
  grid: Grid2x2,
  side: Columns2,
  slider: SquareSplitHorizontal,
} as const;

interface JobBarProps {
  readonly job: Job | undefined;
  readonly prompt: string;
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

/** Renders the bar of a job: the back button, the title, the views and the actions. */
export function JobBar({ job, prompt, heading }: JobBarProps) {
  const { router } = usePage();
  const { looking } = useLook();
  return (
    <header class="job-bar view-bar bar">
      <div class="row">
        <IconButton icon={ArrowLeft} label={text('job.back')} onClick={() => void router.back()} />
        <h1 ref={heading} class="title cut" tabIndex={-1} dir="auto">
          {prompt || text('job.title')}
        </h1>
        <ConnectionNotice />
      </div>
      {looking.views.length > 1 && (
        <div class="views row">
          <Segmented
            label={text('job.view')}
            options={looking.views.map((view) => ({
              value: view,
              title: text(`job.view.${view}`),
              label: <IconLabel of={ICONS[view]}>{text(`job.view.${view}`)}</IconLabel>,
            }))}
            value={looking.view}
            onChange={(view) => router.setQuery({ view: view === 'single' ? undefined : view })}
          />
        </div>
      )}
      <div class="tools row">{job && <JobTools job={job} />}</div>
    </header>
  );
}

/** Offers the actions on the job, as buttons if there is room, otherwise in a menu. */
function JobTools({ job }: { readonly job: Job }) {
  const actions = useJobActions();
  const tools = useTools(job);
  const named = tools.filter(({ quiet }) => !quiet);
  return (
    <>
      {isOpen(job) && <CancelButton job={job} />}
      <IconButton
        icon={Heart}
        label={text('card.favourite')}
        pressed={job.favorite}
        onClick={() => actions.setFavorite(!job.favorite)}
      />
      {tools
        .filter(({ quiet }) => quiet)
        .map(({ key, label, icon, run }) => (
          <IconButton key={key} class="only-wide" icon={icon} label={label} onClick={run} />
        ))}
      {named.length > 0 && <i class="sep only-wide" />}
      {named.map(({ key, label, detail, icon, run, disabled }) => (
        <Button
          key={key}
          class="only-wide"
          icon={icon}
          title={detail}
          disabled={disabled}
          onClick={run}
        >
          {label}
        </Button>
      ))}
      {tools.length > 0 && <MoreMenu tools={tools} />}
      <DownloadButton />
    </>
  );
}

/** Cancels the job: a waiting job at once, a running job by a second press within three seconds. */
function CancelButton({ job }: { readonly job: Job }) {
  const actions = useJobActions();
  const isWaiting = actions.waiting.value === 'cancel';
  return (
    <Button
      look={isWaiting ? 'danger' : 'plain'}
      disabled={job.cancel_requested}
      onClick={actions.cancel}
    >
      {text(
        job.cancel_requested ? 'card.cancelling' : isWaiting ? 'card.cancelAgain' : 'action.cancel',
      )}
    </Button>
  );
}

type Tool = ReturnType<typeof useTools>[number];

function useTools(job: Job) {
  const actions = useJobActions();
  const { looking } = useLook();
  const isHidden = job.deleted !== undefined;
  const isUnsure = actions.waiting.value === 'again';
  const wait = useWait(retryTime(job));
  const { b: image } = looking;
  const hide = {
    key: 'hide',
    quiet: true,
    disabled: false,
    icon: isHidden ? Undo2 : EyeOff,
    label: text(isHidden ? 'card.restore' : 'card.hide'),
    detail: undefined,
    run: () => actions.setHidden(!isHidden),
  };
  const again = {
    key: 'again',
    quiet: false,
    icon: Repeat2,
    disabled: wait > 0,
    label: text(isUnsure ? 'job.againUnsure' : 'card.makeAgain'),
    detail: undefined,
    run: () => actions.makeAgain(job),
  };
  const edit = image?.kind === 'output' && {
    key: 'edit',
    quiet: false,
    disabled: false,
    icon: Pencil,
    label: text('card.edit'),
    detail: undefined,
    run: () => actions.edit(image, job),
  };
  // The bar of the image offers these actions if the job has several images.
  const only = image?.kind === 'output' && !image.isOneOfSeveral ? image : undefined;
  const canvas = only !== undefined && {
    key: 'canvas',
    quiet: true,
    disabled: false,
    icon: Brush,
    label: text('canvas.open'),
    detail: undefined,
    run: () => actions.openCanvas(only, job),
  };
  const refer = only !== undefined && {
    key: 'refer',
    quiet: true,
    disabled: false,
    icon: ImageUp,
    label: text('job.one.refer'),
    detail: undefined,
    run: () => actions.refer(only, job),
  };
  const vary = only !== undefined &&
    !isMadeHere(job) && {
      key: 'vary',
      quiet: false,
      disabled: false,
      icon: Shuffle,
      label: text('job.one.vary'),
      detail: actions.varyText(only, job),
      run: () => actions.vary(only, job),
    };
  return [!isOpen(job) && hide, isWorthRepeating(job) && again, vary, canvas, refer, edit].filter(
    (tool) => tool !== false,
  );
}

function MoreMenu({ tools }: { readonly tools: readonly Tool[] }) {
  const { isOpen, button, menu } = useMenu();
  const label = text('card.more');
  return (
    <>
      <IconButton class="only-narrow" icon={Ellipsis} label={label} {...button} />
      {isOpen && (
        <Menu {...menu} label={label} placement="bottom-end">
          {tools.map(({ key, label, detail, icon, run, disabled }) => (
            <MenuItem key={key} icon={icon} detail={detail} disabled={disabled} onChoose={run}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  );
}

/** Saves the image. If the job has several images, saves the image in view or all images. */
function DownloadButton() {
  const { images, looking } = useLook();
  const { download } = useJobActions();
  const { isOpen, button, menu } = useMenu();
  const outputs = images.filter(({ kind }) => kind === 'output');
  const [first] = outputs;
  if (first === undefined) return null;
  const shown = outputs.find((each) => each === looking.b) ?? first;
  const bytes = outputs.reduce((sum, each) => sum + each.bytes, 0);
  const label = text('gallery.download');
  return (
    <>
      <Button
        look="primary"
        icon={Download}
        aria-label={label}
        {...(outputs.length > 1 ? button : { onClick: () => void download(first) })}
      >
        <span class="wide-text">{label}</span>
      </Button>
      {isOpen && (
        <Menu {...menu} label={label} placement="bottom-end">
          <MenuItem
            icon={Image}
            end={<span class="faint num">{formatBytes(shown.bytes)}</span>}
            onChoose={() => void download(shown)}
          >
            {imageText(shown)}
          </MenuItem>
          <MenuItem
            icon={Images}
            end={<span class="faint num">{formatBytes(bytes)}</span>}
            onChoose={() => void download(...outputs)}
          >
            {text('job.download.all', { count: outputs.length })}
          </MenuItem>
        </Menu>
      )}
    </>
  );
}
