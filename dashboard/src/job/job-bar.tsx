import {
  ArrowLeft,
  Columns2,
  Download,
  Ellipsis,
  EyeOff,
  Grid2x2,
  Heart,
  Image,
  Images,
  Pencil,
  Repeat2,
  Square,
  SquareSplitHorizontal,
  Undo2,
} from 'lucide';
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Job } from '../api/schemas.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { Menu, MenuItem } from '../controls/menu.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { isOpen } from '../jobs/job-state.ts';
import { usePage } from '../page-context.ts';
import { formatBytes, text } from '../text/text.ts';
import { useJobActions } from './job-actions.ts';
import { isWorthRepeating } from './state/job-detail.ts';
import { imageText } from './state/job-images.ts';
import { useLook } from './state/look-context.ts';
import type { ViewName } from './state/looking.ts';
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

/** Renders the bar of a job: the way back, the title, the views and the actions. */
export function JobBar({ job, prompt, heading }: JobBarProps) {
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

/** Offers the actions on the job, as buttons if there is room, otherwise in a menu. */
function JobTools({ job }: { readonly job: Job }) {
  const actions = useJobActions();
  const tools = useTools(job);
  const named = tools.filter(({ quiet }) => !quiet);
  return (
    <>
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
      {named.map(({ key, label, icon, run }) => (
        <Button key={key} class="only-wide" icon={icon} onClick={run}>
          {label}
        </Button>
      ))}
      {tools.length > 0 && <MoreMenu tools={tools} />}
      <DownloadButton />
    </>
  );
}

type Tool = ReturnType<typeof useTools>[number];

function useTools(job: Job) {
  const actions = useJobActions();
  const { looking } = useLook();
  const isHidden = job.deleted !== undefined;
  const isUnsure = actions.waiting.value === 'again';
  const { b: image } = looking;
  const hide = {
    key: 'hide',
    quiet: true,
    icon: isHidden ? Undo2 : EyeOff,
    label: text(isHidden ? 'job.restore' : 'card.hide'),
    run: () => actions.setHidden(!isHidden),
  };
  const again = {
    key: 'again',
    quiet: false,
    icon: Repeat2,
    label: text(isUnsure ? 'job.againUnsure' : 'card.makeAgain'),
    run: () => actions.makeAgain(job),
  };
  const edit = image?.kind === 'output' && {
    key: 'edit',
    quiet: false,
    icon: Pencil,
    label: text('card.edit'),
    run: () => actions.edit(image),
  };
  return [!isOpen(job) && hide, isWorthRepeating(job) && again, edit].filter(
    (tool) => tool !== false,
  );
}

function MoreMenu({ tools }: { readonly tools: readonly Tool[] }) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpened, setOpened] = useState(false);
  return (
    <>
      <IconButton
        class="only-narrow"
        icon={Ellipsis}
        label={text('card.more')}
        buttonRef={button}
        aria-haspopup="menu"
        aria-expanded={isOpened}
        onClick={() => setOpened(!isOpened)}
      />
      {isOpened && (
        <Menu
          anchor={button}
          label={text('card.more')}
          placement="bottom-end"
          onClose={() => setOpened(false)}
        >
          {tools.map(({ key, label, icon, run }) => (
            <MenuItem
              key={key}
              icon={icon}
              onChoose={() => {
                setOpened(false);
                run();
              }}
            >
              {label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  );
}

/** Saves the image; if there are several images, the one in view or all of them. */
function DownloadButton() {
  const { images, looking } = useLook();
  const { download, downloadAll } = useJobActions();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpened, setOpened] = useState(false);
  const outputs = images.filter(({ kind }) => kind === 'output');
  const [first] = outputs;
  if (first === undefined) return null;
  const shown = outputs.find((each) => each === looking.b) ?? first;
  const isMany = outputs.length > 1;
  const choose = (run: () => void) => () => {
    setOpened(false);
    run();
  };
  return (
    <>
      <Button
        look="primary"
        icon={Download}
        buttonRef={button}
        aria-label={text('job.download')}
        {...(isMany && { 'aria-haspopup': 'menu' as const, 'aria-expanded': isOpened })}
        onClick={() => (isMany ? setOpened(!isOpened) : void download(first))}
      >
        <span class="wide-text">{text('job.download')}</span>
      </Button>
      {isOpened && (
        <Menu
          anchor={button}
          label={text('job.download')}
          placement="bottom-end"
          onClose={() => setOpened(false)}
        >
          <MenuItem
            icon={Image}
            end={<span class="faint num">{formatBytes(shown.bytes)}</span>}
            onChoose={choose(() => void download(shown))}
          >
            {imageText(shown)}
          </MenuItem>
          <MenuItem
            icon={Images}
            end={
              <span class="faint num">
                {formatBytes(outputs.reduce((sum, { bytes }) => sum + bytes, 0))}
              </span>
            }
            onChoose={choose(() => void downloadAll(outputs))}
          >
            {text('job.download.all', { count: outputs.length })}
          </MenuItem>
        </Menu>
      )}
    </>
  );
}
