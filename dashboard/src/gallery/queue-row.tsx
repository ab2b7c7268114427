import { Clock, Pause, Play } from 'lucide';
import { Banner } from '../controls/banner.tsx';
import { Button } from '../controls/button.tsx';
import { usePage } from '../page-context.ts';
import { attempt } from '../shell/toasts.ts';
import { text } from '../text/text.ts';
import { useGallery } from './state/use-gallery.ts';

/** Shows many waiting jobs as one row, so that their cards do not push the images out of the window. */
export function QueueRow() {
  const { queue, router, toasts } = usePage();
  const { state } = useGallery();
  const { value: count } = state.waiting.count;
  const isPaused = queue.latest.value?.paused === true;
  if (state.waiting.folded.value.size === 0) return null;
  return (
    <div class="gallery-banner">
      <Banner
        icon={isPaused ? Pause : Clock}
        tone={isPaused ? 'warn' : 'faint'}
        title={text('system.queue.waiting', { count })}
        detail={text(isPaused ? 'system.queue.paused' : 'gallery.queue.inOrder')}
      >
        {isPaused && (
          <Button icon={Play} onClick={() => void attempt(toasts, () => queue.setPaused(false))}>
            {text('gallery.queue.resume')}
          </Button>
        )}
        <Button aria-label={text('gallery.queue.show')} onClick={() => router.openLayer('queue')}>
          <span class="only-wide">{text('gallery.queue.show')}</span>
          <span class="only-narrow">{text('gallery.queue.open')}</span>
        </Button>
      </Banner>
    </div>
  );
}
