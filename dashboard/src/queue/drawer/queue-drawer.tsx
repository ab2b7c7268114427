import { ArrowUpToLine, Pause, Play, X } from 'lucide';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Button, IconButton } from '../../controls/button.tsx';
import { createJobActions } from '../../gallery/actions/job-actions.ts';
import { usePage } from '../../page-context.ts';
import { isNarrow } from '../../shell/is-narrow.ts';
import { attempt } from '../../shell/toasts.ts';
import { useNow } from '../../shell/use-now.ts';
import { formatClock, text } from '../../text/text.ts';
import { OtherJobs } from './other-jobs.tsx';
import { createQueuePlaces, type QueuePlaces } from './queue-places.ts';
import { RunningList } from './running-list.tsx';
import { useQueueKeys } from './use-queue-keys.ts';
import { WaitingList } from './waiting-list.tsx';
import './queue-drawer.css';

/** Shows the running and the waiting jobs beside the images. On narrow screens, a dialog covers the images. */
export function QueueDrawer() {
  const page = usePage();
  const { router, jobs } = page;
  const places = useMemo(() => createQueuePlaces(page), [page]);
  const actions = useMemo(() => createJobActions(page), [page]);
  const drawer = useRef<HTMLElement>(null);
  const onKeyDown = useQueueKeys(places, () => void router.back());
  useReads(places);
  useFocus(drawer);
  // The heading names the drawer, so that screen readers say where the focus is.
  const label = { 'aria-labelledby': 'queue-title', onKeyDown };
  const content = (
    <>
      <DrawerHead />
      <Summary places={places} />
      <div class="queue-body scroll">
        <RunningList places={places} actions={actions} />
        <WaitingList places={places} />
        <OtherJobs own={jobs} />
      </div>
      <DrawerFoot places={places} />
    </>
  );
  return isNarrow() ? (
    <section ref={drawer} class="queue-drawer" role="dialog" aria-modal="true" {...label}>
      {content}
    </section>
  ) : (
    <aside ref={drawer} class="queue-drawer" {...label}>
      {content}
    </aside>
  );
}

/** Reads the places when the drawer opens and when the bridge is reachable again. Between these reads, events report the changes. */
function useReads(places: QueuePlaces): void {
  const { ownQueue, connection } = usePage();
  const { value: isOnline } = connection.online;
  useEffect(() => places.close, [places]);
  useEffect(() => ownQueue.show(), [ownQueue]);
  useEffect(() => {
    if (isOnline) void places.read();
  }, [places, isOnline]);
}

/** Moves the focus into the drawer, and back to the earlier element when the drawer closes. */
function useFocus(drawer: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    drawer.current?.querySelector<HTMLElement>('h2')?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [drawer]);
}

function DrawerHead() {
  const { queue, toasts, router } = usePage();
  const isPaused = queue.latest.value?.paused === true;
  const setPaused = (paused: boolean) => void attempt(toasts, () => queue.setPaused(paused));
  return (
    <header class="row">
      <h2 id="queue-title" class="grow" tabIndex={-1}>
        {text(isPaused ? 'queue.title.paused' : 'queue.title')}
      </h2>
      <Button size="small" icon={isPaused ? Play : Pause} onClick={() => setPaused(!isPaused)}>
        {text(isPaused ? 'gallery.queue.resume' : 'queue.pause')}
      </Button>
      <IconButton small icon={X} label={text('queue.close')} onClick={() => void router.back()} />
    </header>
  );
}

/** Says how many places are busy, and when all jobs are expected to be done. */
function Summary({ places }: { readonly places: QueuePlaces }) {
  const { queue, connection } = usePage();
  const now = useNow(1000);
  const { value: own } = places.latest;
  const { value: all } = queue.latest;
  const isAway = connection.state.value === 'offline';
  if (places.error.value || isAway) {
    return (
      <p class="queue-sum row bad" role="alert">
        <span class="grow">{text('queue.failed')}</span>
        <Button size="small" onClick={() => void places.read()}>
          {text('action.retry')}
        </Button>
      </p>
    );
  }
  if (own === undefined) return <p class="queue-sum soft">{text('queue.reading')}</p>;
  const parts = [
    all && text('queue.busy', { running: all.running, all: own.max_running }),
    own.paused && text('queue.isPaused'),
    own.done && text('queue.done', { time: formatClock(own.done * 1000 - now + 999) }),
  ];
  return <p class="queue-sum soft num">{parts.filter(Boolean).join(' ')}</p>;
}

/** Shows the actions on the selected jobs. Renders nothing if no job is selected. */
function DrawerFoot({ places }: { readonly places: QueuePlaces }) {
  const { value: chosen } = places.chosen;
  if (chosen.size === 0) return null;
  const count = chosen.size;
  return (
    <footer class="row">
      <strong class="num grow" role="status">
        {text('gallery.selected', { count })}
      </strong>
      <Button
        look="quiet"
        icon={ArrowUpToLine}
        onClick={() => void places.move(places.targets(), 'first')}
      >
        {text('queue.first')}
      </Button>
      <Button look="danger" onClick={() => void places.cancel(places.targets())}>
        {text('queue.cancelCount', { count })}
      </Button>
    </footer>
  );
}
