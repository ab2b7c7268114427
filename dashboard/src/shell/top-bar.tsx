import { Keyboard, Moon, Sun, SunMoon } from 'lucide';
import { ConnectionStatus } from '../connection/connection-status.tsx';
import { IconButton } from '../controls/button.tsx';
import { Link } from '../controls/link.tsx';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import { nextTheme, theme } from './preferences.ts';
import './top-bar.css';

const THEME_ICONS = { system: SunMoon, light: Sun, dark: Moon } as const;

export function TopBar() {
  const { router, help } = usePage();
  const { view } = router.route.value;
  const current = (isCurrent: boolean) => (isCurrent ? 'page' : undefined);
  return (
    <header class="top-bar bar row">
      <Mark />
      <nav aria-label={text('app.main')}>
        <Link
          to=""
          class="tab pickable"
          aria-current={current(view === 'images' || view === 'race')}
        >
          {text('app.images')}
        </Link>
        <Link to="/system" class="tab pickable" aria-current={current(view === 'system')}>
          {text('app.system')}
        </Link>
      </nav>
      <span class="grow" />
      <WorkStatus />
      <ConnectionStatus />
      <IconButton
        icon={THEME_ICONS[theme.value]}
        label={text(`app.theme.${theme.value}`)}
        onClick={nextTheme}
      />
      <IconButton
        icon={Keyboard}
        label={text('app.shortcuts')}
        class="only-wide"
        onClick={() => {
          help.value = 'shortcuts';
        }}
      />
    </header>
  );
}

/** Renders the name of the product as a link to the home view. */
function Mark() {
  return (
    <Link to="" class="mark row" aria-label={text('app.name')}>
      <svg viewBox="0 0 20 20" fill="none" aria-hidden="true">
        <rect x="1" y="1" width="18" height="18" rx="5" stroke="currentColor" stroke-width="1.75" />
        <path d="M4.75 12.75a5.25 5.25 0 0 1 10.5 0z" fill="currentColor" />
        <path
          d="M4.75 15.25h10.5"
          stroke="currentColor"
          stroke-width="1.5"
          stroke-linecap="round"
        />
      </svg>
      <span class="mark-name">{text('app.name')}</span>
    </Link>
  );
}

/** Shows how many jobs are running and waiting, and opens the queue. Renders nothing if there are none. */
function WorkStatus() {
  const { jobs, queue, router } = usePage();
  const open = [...jobs.open.value.values()];
  if (open.length === 0) return null;
  const running = open.filter(({ status }) => status === 'running').length;
  const queued = open.length - running;
  const isOpen = router.layer.value === 'queue';
  const isPaused = queued > 0 && queue.latest.value?.paused === true;
  const parts = [
    running > 0 && text('app.working.running', { count: running }),
    queued > 0 && text(isPaused ? 'app.working.paused' : 'app.working.queued', { count: queued }),
  ];
  const content = (
    <>
      <i class={isPaused && running === 0 ? 'dot warn' : 'dot live'} />
      <span class="wide-text">{parts.filter(Boolean).join(text('list.separator'))}</span>
      <span class="only-narrow" aria-hidden="true">
        {[running, queued].filter(Boolean).join(' + ')}
      </span>
    </>
  );
  return (
    <button
      type="button"
      class="tab pickable num work-status"
      aria-expanded={isOpen}
      onClick={() => {
        if (isOpen) void router.back();
        else if (['images', 'race'].includes(router.route.peek().view)) router.openLayer('queue');
        else {
          router.navigate('');
          router.openLayer('queue');
        }
      }}
    >
      {content}
    </button>
  );
}
