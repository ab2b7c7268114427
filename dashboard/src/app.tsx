import { useRef } from 'preact/hooks';
import { TokenDialog } from './connection/token-dialogs.tsx';
import { Link } from './controls/link.tsx';
import { Gallery } from './gallery/gallery.tsx';
import { HelpDialogs } from './help/help-dialogs.tsx';
import { Dock } from './make/dock.tsx';
import { MakePanel } from './make/make-panel.tsx';
import { MaskLayer } from './mask/mask-layer.tsx';
import { usePage } from './page-context.ts';
import { lazyView } from './shell/lazy-view.tsx';
import { useShortcuts } from './shell/shortcuts.ts';
import { ToastList } from './shell/toast-list.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { text } from './text/text.ts';
import './app.css';

const JobView = lazyView(async () => (await import('./job/job-view.tsx')).JobView);
const SystemView = lazyView(async () => (await import('./system/system-view.tsx')).SystemView);

/**
 * The page. A job lies over the images, which stay where they were: their scroll position and focus survive the visit.
 */
export function App() {
  const { route } = usePage().router;
  const { value: current } = route;
  useAppShortcuts();
  // The images are built when they are first shown, and then kept.
  const visited = useRef(false);
  visited.current ||= current.view === 'images';
  return (
    <>
      {visited.current && (
        <div
          class="app-view"
          inert={current.view !== 'images'}
          data-away={current.view !== 'images'}
        >
          <TopBar />
          <ImagesView />
        </div>
      )}
      {current.view === 'system' && (
        <div class="app-view">
          <TopBar />
          <SystemView />
        </div>
      )}
      {current.view === 'job' && <JobView id={current.id} />}
      {current.view === 'unknown' && <NotHere />}
      <MaskLayer />
      <TokenDialog />
      <HelpDialogs />
      <ToastList />
    </>
  );
}

function NotHere() {
  return (
    <div class="app-view">
      <TopBar />
      <main class="not-here">
        <h1>{text('app.notHere')}</h1>
        <p>{text('app.notHere.text')}</p>
        <Link to="">{text('app.toImages')}</Link>
      </main>
    </div>
  );
}

/** The home of the page: making at the side, what was made beside it. Folded, making is the dock alone. */
function ImagesView() {
  const { panel } = usePage();
  // A bracket is a modifier in the notation of tinykeys; a group is a regular expression.
  useShortcuts({ '(\\[)': panel.toggle });
  return (
    <div class="images-view" data-folded={panel.folded.value}>
      <MakePanel />
      <Gallery />
      <Dock />
    </div>
  );
}

/** The keys that work in every view. */
function useAppShortcuts(): void {
  const { router, help, undo } = usePage();
  useShortcuts({
    'g i': () => router.navigate(''),
    'g s': () => router.navigate('/system'),
    'Shift+?': () => help.open('shortcuts'),
    z: () => undo.undo(),
  });
}
