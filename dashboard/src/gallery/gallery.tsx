import { useSignalEffect } from '@preact/signals';
import { EyeOff, Heart, SearchX, Unplug } from 'lucide';
import { useMemo } from 'preact/hooks';
import { Button } from '../controls/button.tsx';
import { usePage } from '../page-context.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';
import { createJobActions } from './actions/job-actions.ts';
import { Announcer } from './announcer.tsx';
import { Feed } from './feed/feed.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { CLEARED, isDefault } from './state/gallery-filter.ts';
import { GalleryContext, useGallery } from './state/use-gallery.ts';
import { Blank } from './states/blank.tsx';
import { FirstMinute } from './states/first-minute.tsx';
import { GalleryTools } from './tools/gallery-tools.tsx';
import './gallery.css';

/** The history, newest first. */
export function Gallery() {
  const page = usePage();
  const value = useMemo(
    () => ({ state: page.openGallery(), actions: createJobActions(page) }),
    [page],
  );
  useSignalEffect(() => page.shown.follow(value.state.feed.value));
  return (
    <GalleryContext.Provider value={value}>
      <main class="gallery">
        <h1 class="sr">{text('app.images')}</h1>
        <Content />
        <SelectionBar />
        <Announcer />
      </main>
    </GalleryContext.Provider>
  );
}

function Content() {
  const { state } = useGallery();
  const { value: feed } = state.feed;
  const isEmpty = feed.ids.value.length === 0;
  const isBlank = isEmpty && feed.state.value !== 'loading';
  const isNew = isEmpty && feed.complete.value && isDefault(feed.filter);
  return (
    <>
      {!isNew && <GalleryTools />}
      <OfflineBanner />
      {isNew ? <FirstMinute /> : isBlank ? <NoCards /> : <Feed />}
    </>
  );
}

/** Nothing to show under this filter, or no reply. */
function NoCards() {
  const { router } = usePage();
  const { state } = useGallery();
  const { value: feed } = state.feed;
  const { value: error } = feed.error;
  if (error !== undefined) {
    const failure = toFailureText(error, Date.now());
    return (
      <Blank icon={Unplug} title={failure.title} detail={failure.text}>
        <Button onClick={() => void feed.loadMore()}>{text('action.retry')}</Button>
      </Blank>
    );
  }
  const { show, search } = feed.filter;
  const kind = search !== '' || show === 'all' ? 'none' : show;
  const icon = { none: SearchX, favourites: Heart, hidden: EyeOff }[kind];
  return (
    <Blank icon={icon} title={text(`gallery.${kind}`)} detail={text(`gallery.${kind}.text`)}>
      <Button onClick={() => router.setQuery(CLEARED)}>{text('gallery.showAll')}</Button>
    </Blank>
  );
}
