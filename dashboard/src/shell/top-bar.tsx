import { Keyboard, Moon, Sun, SunMoon } from 'lucide';
import { ConnectionStatus } from '../connection/connection-status.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import { Link } from '../controls/link.tsx';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import { Mark } from './mark.tsx';
import { WorkStatus } from './work-status.tsx';
import './top-bar.css';

const THEME_ICONS = { system: SunMoon, light: Sun, dark: Moon } as const;

/** The bar over the images and the system. */
export function TopBar() {
  const { router, theme, help } = usePage();
  const { view } = router.route.value;
  const current = (isCurrent: boolean) => (isCurrent ? 'page' : undefined);
  return (
    <header class="top-bar">
      <Mark />
      <nav aria-label={text('app.main')}>
        <Link to="" aria-current={current(view === 'images')}>
          {text('app.images')}
        </Link>
        <Link to="/system" aria-current={current(view === 'system')}>
          {text('app.system')}
        </Link>
      </nav>
      <span class="grow" />
      <WorkStatus />
      <ConnectionStatus />
      <IconButton
        icon={THEME_ICONS[theme.name.value]}
        label={text(`app.theme.${theme.name.value}`)}
        onClick={theme.next}
      />
      <IconButton
        icon={Keyboard}
        label={text('app.shortcuts')}
        class="only-wide"
        onClick={() => help.open('shortcuts')}
      />
    </header>
  );
}
