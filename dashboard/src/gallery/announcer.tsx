import { useEffect, useState } from 'preact/hooks';
import type { JobSummary } from '../api/schemas.ts';
import { isOpen } from '../jobs/job-state.ts';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import { useGallery } from './state/use-gallery.ts';

/** The shortest interval between two announcements of progress (brief 9). */
const EVERY_MS = 5000;

/** Says to screen readers which jobs have ended, and how many are shown after a search. */
export function Announcer() {
  const { state } = useGallery();
  const { value: feed } = state.feed;
  const ended = useEnded();
  const isReady = feed.state.value === 'ready';
  const found = isReady && feed.filter.search !== '' ? foundText(feed.ids.value.length) : '';
  return (
    <>
      <p class="sr" role="status">
        {ended}
      </p>
      <p class="sr" role="status">
        {found}
      </p>
    </>
  );
}

function foundText(count: number): string {
  return count === 0 ? text('gallery.none') : text('gallery.found', { count });
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
