import { useEffect, useRef } from 'preact/hooks';
import { CanvasLayer } from './canvas/canvas-layer.tsx';
import { TokenDialog } from './connection/connection-status.tsx';
import { Gallery } from './gallery/gallery.tsx';
import { Dock } from './make/make-foot.tsx';
import { MakePanel } from './make/make-panel.tsx';
import { usePage } from './page-context.ts';
import { isHome, type Route } from './router.ts';
import { isNarrow } from './shell/is-narrow.ts';
import { lazyView, loadViews } from './shell/lazy-view.tsx';
import { panel, togglePanel } from './shell/preferences.ts';
import { useShortcuts } from './shell/shortcuts.ts';
import { ToastList } from './shell/toast-list.tsx';
import { TopBar } from './shell/top-bar.tsx';
import './app.css';

const JobView = lazyView(async () => (await import('./job/job-view.tsx')).JobView, TopBar);
const QueueDrawer = lazyView(
  async () => (await import('./queue/drawer/queue-drawer.tsx')).QueueDrawer,
);
const SystemView = lazyView(async () => (await import('./system/system-view.tsx')).SystemView);

const LibraryRail = lazyView(
  async () => (await import('./gallery/rail/library-rail.tsx')).LibraryRail,
);
const NotHere = lazyView(async () => (await import('./shell/not-here.tsx')).NotHere, TopBar);
const RaceView = lazyView(async () => (await import('./race/board/race-view.tsx')).RaceView);
const RaceDock = lazyView(async () => (await import('./race/panel/race-panel.tsx')).RaceDock);
const LightTableView = lazyView(
  async () => (await import('./light-table/light-table.tsx')).LightTableView,
  TopBar,
);

/** Renders the page. The images view stays mounted below the job view, so that it keeps its scroll position. */
export function App() {
  const { route, layer } = usePage().router;
  const { value: current } = route;
  useAppShortcuts();
  useViewsInAdvance();
  // The images view is mounted when it is first shown, and stays mounted.
  const visited = useRef(false);
  const isShown = isHome(current);
  visited.current ||= isShown;
  // The race stays mounted below the view of a job, as the gallery does.
  const home = useRef(current);
  if (isShown) home.current = current;
  return (
    <>
      {visited.current && (
        <div
          class="app-view"
          inert={!isShown || (layer.value === 'queue' && isNarrow())}
          data-away={!isShown}
        >
          <TopBar />
          <ImagesView race={home.current.view === 'race' ? home.current : undefined} />
        </div>
      )}
      {current.view === 'system' && (
        <div class="app-view">
          <TopBar />
          <SystemView />
        </div>
      )}
      {current.view === 'job' && <JobView id={current.id} />}
      {current.view === 'table' && <LightTableView />}
      {current.view === 'unknown' && <NotHere />}
      {isShown && layer.value === 'queue' && <QueueDrawer />}
      <CanvasLayer />
      <TokenDialog />
      <HelpDialogs />
      <ToastList />
    </>
  );
}

type RaceRoute = Extract<Route, { readonly view: 'race' }>;

/** Renders the home view: the panel for a new image and the gallery, or a race. The dock replaces a collapsed panel. */
function ImagesView({ race }: { readonly race: RaceRoute | undefined }) {
  // In tinykeys, a bare bracket has a special meaning. Parentheses turn the key into a regular expression.
  const { router } = usePage();
  useShortcuts(
    {
      '(\\[)': togglePanel,
      q: () => {
        if (router.layer.peek() === 'queue') void router.back();
        else router.openLayer('queue');
      },
    },
    isHome(router.route.value),
  );
  return (
    <div class="images-view" data-folded={panel.value === 'folded'}>
      {!race && panel.value === 'folded' && <LibraryRail />}
      <MakePanel isRace={race !== undefined} />
      {race ? <RaceView key={race.id} id={race.id} /> : <Gallery />}
      {race ? <RaceDock /> : <Dock />}
    </div>
  );
}

/** The delay after which the code of the other views is loaded, in milliseconds. The first view loads before. */
const LATER_MS = 3000;

/** Loads the code of the other views when the browser is idle, and again when the bridge is reachable again. */
function useViewsInAdvance(): void {
  const { value: returns } = usePage().connection.returns;
  useEffect(() => {
    const whenIdle = window.requestIdleCallback ?? setTimeout;
    const timer = setTimeout(() => whenIdle(loadViews), returns === 0 ? LATER_MS : 0);
    return () => clearTimeout(timer);
  }, [returns]);
}

/** Binds the keys that work in every view. */
function useAppShortcuts(): void {
  const { router, help, undo } = usePage();
  const { value: route } = router.route;

  /** Goes to the images, which bind the key when they are rendered. */
  function toImages(event: KeyboardEvent): void {
    event.preventDefault();
    router.navigate('');
    setTimeout(() => window.dispatchEvent(new KeyboardEvent('keydown', event)));
  }

  useShortcuts(
    { '/': toImages, ...(!isHome(route) && { p: toImages, q: toImages }) },
    // The light table picks by P.
    route.view !== 'images' && route.view !== 'table',
  );
  useShortcuts({
    'g i': () => router.navigate(''),
    'g s': () => router.navigate('/system'),
    'Shift+?': () => {
      help.value = 'shortcuts';
    },
    // The light table takes its own choices back first.
    z: () => router.route.peek().view !== 'table' && undo.undo(),
  });
}

const ShortcutsDialog = lazyView(async () => (await import('./help/dialogs.tsx')).ShortcutsDialog);
const RealModelDialog = lazyView(async () => (await import('./help/dialogs.tsx')).RealModelDialog);

function HelpDialogs() {
  const { help } = usePage();
  const onClose = () => {
    help.value = undefined;
  };
  if (help.value === 'shortcuts') return <ShortcutsDialog onClose={onClose} />;
  return help.value === 'realModel' ? <RealModelDialog onClose={onClose} /> : null;
}
