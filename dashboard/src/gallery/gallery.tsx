import { useSignalEffect } from '@preact/signals';
import { EyeOff, Heart, KeyRound, Unplug } from 'lucide';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { JobSummary } from '../api/schemas.ts';
import { Banner } from '../controls/banner.tsx';
import { Button } from '../controls/button.tsx';
import { isDefault } from '../jobs/job-filter.ts';
import { isOpen } from '../jobs/job-state.ts';
import { usePage } from '../page-context.ts';
import { lazyView } from '../shell/lazy-view.tsx';
import { useNow } from '../shell/use-now.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';
import { createJobActions } from './actions/job-actions.ts';
import { createSelectionActions } from './actions/selection-actions.ts';
import { Feed } from './feed/feed.tsx';
import { QueueRow } from './queue-row.tsx';
import { CLEARED } from './state/filter-address.ts';
import { GalleryProvider, useGallery } from './state/use-gallery.ts';
import { Blank, FirstMinute } from './states/blank.tsx';
import { STEP } from './tools/filter-group.tsx';
import { GalleryTools } from './tools/gallery-tools.tsx';
import '../app.css';

const SelectionBar = lazyView(async () => (await import('./selection-bar.tsx')).SelectionBar);
const NoMatch = lazyView(async () => (await import('./states/no-match.tsx')).NoMatch);

/** Renders the history, newest first. */
export function Gallery() {
  const page = usePage();
  const value = useMemo(() => {
    const [state, actions] = [page.openGallery(), createJobActions(page)];
    return { state, actions, selected: createSelectionActions(page, state, actions) };
  }, [page]);
  useSignalEffect(() => page.shown.follow(value.state.feed.value));
  return (
    <GalleryProvider value={value}>
      <main class="gallery">
        <h1 class="sr">{text('app.images')}</h1>
        <Content />
        <SelectionBar />
        <Announcer />
      </main>
    </GalleryProvider>
  );
}

function Content() {
  const { state } = useGallery();
  const { value: feed } = state.feed;
  const isEmpty = feed.ids.value.length === 0 && feed.top.value === undefined;
  const isBlank = isEmpty && feed.state.value !== 'loading';
  const isNew = isEmpty && feed.complete.value && isDefault(feed.filter);
  return (
    <>
      {!isNew && <GalleryTools />}
      <OfflineBanner />
      <QueueRow />
      {isNew ? <FirstMinute /> : isBlank ? <NoCards /> : <Feed />}
    </>
  );
}

/** Explains that no job matches the filter, or that the list could not be read. */
function NoCards() {
  const { router, connection } = usePage();
  const { state } = useGallery();
  const { value: feed } = state.feed;
  const { value: error } = feed.error;
  if (error !== undefined) {
    const failure = toFailureText(error, Date.now());
    return (
      <Blank icon={Unplug} title={failure.title} detail={failure.text}>
        {error.status === 401 ? (
          <Button icon={KeyRound} onClick={connection.askForToken}>
            {text('token.connect')}
          </Button>
        ) : (
          <Button onClick={() => void feed.loadMore()}>{text('action.retry')}</Button>
        )}
      </Blank>
    );
  }
  const { show } = feed.filter;
  if (show === 'all' || !isDefault({ ...feed.filter, show: 'all' })) {
    return <NoMatch filter={feed.filter} />;
  }
  const icon = { favourites: Heart, hidden: EyeOff }[show];
  return (
    <Blank icon={icon} title={text(`gallery.${show}`)} detail={text(`gallery.${show}.text`)}>
      <Button onClick={() => router.setQuery(CLEARED, STEP)}>{text('action.showAll')}</Button>
    </Blank>
  );
}

/** Explains that the bridge is unreachable, and shows the time until the next attempt. Loaded cards stay visible. */
function OfflineBanner() {
  const { connection } = usePage();
  const isOffline = connection.state.value === 'offline';
  const now = useNow(1000, isOffline);
  if (!isOffline) return null;
  const { value: nextTry = now } = connection.nextTry;
  const seconds = Math.max(1, Math.ceil((nextTry - now) / 1000));
  return (
    <div class="gallery-banner">
      <Banner
        icon={Unplug}
        title={text('gallery.offline')}
        detail={`${text('gallery.offline.text')} ${text('gallery.offline.next', { count: seconds })}`}
      >
        <Button onClick={connection.probe}>{text('gallery.offline.try')}</Button>
      </Banner>
    </div>
  );
}

/** The minimum time between two announcements of ended jobs, in milliseconds. */
const EVERY_MS = 5000;

/** Announces to screen readers which jobs have ended. */
function Announcer() {
  const ended = useEnded();
  return (
    <p class="sr" role="status">
      {ended}
    </p>
  );
}

function useEnded(): string {
  const { jobs } = usePage();
  const [said, say] = useState('');
  useEffect(() => {
    const open = new Set(jobs.open.peek().keys());
    let ended: JobSummary[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = jobs.subscribe((change) => {
      if (change.kind === 'removed') return;
      const { job } = change;
      if (isOpen(job)) open.add(job.id);
      else if (open.delete(job.id)) ended.push(job);
      if (ended.length === 0) return;
      timer ??= setTimeout(() => {
        say(summary(ended));
        ended = [];
        timer = undefined;
      }, EVERY_MS);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [jobs]);
  return said;
}

function summary(ended: readonly JobSummary[]): string {
  const [only] = ended;
  if (only !== undefined && ended.length === 1) {
    return text(`gallery.ended.${only.status === 'succeeded' ? 'done' : 'failed'}`, {
      prompt: only.prompt,
    });
  }
  return text('gallery.ended.several', { count: ended.length });
}
