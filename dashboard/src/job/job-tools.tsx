import { Ellipsis, EyeOff, Heart, Pencil, Repeat2, Undo2 } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import type { Job } from '../api/schemas.ts';
import { Button } from '../controls/button.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import { Menu } from '../controls/menu.tsx';
import { MenuItem } from '../controls/menu-item.tsx';
import { isOpen } from '../jobs/job-state.ts';
import { text } from '../text/text.ts';
import { DownloadButton } from './download-button.tsx';
import { useJobActions } from './state/actions-context.ts';
import { isWorthRepeating } from './state/is-worth-repeating.ts';
import { useLook } from './state/look-context.ts';

/** What can be done to the job: each as a button where there is room, else in a menu. */
export function JobTools({ job }: { readonly job: Job }) {
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
