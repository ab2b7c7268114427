import { Unplug } from 'lucide';
import { Banner } from '../controls/banner.tsx';
import { Button } from '../controls/button.tsx';
import { usePage } from '../page-context.ts';
import { useNow } from '../shell/use-now.ts';
import { text } from '../text/text.ts';
import './offline-banner.css';

/** While the bridge does not respond: what was loaded stays, and this says why nothing changes, and when it is asked again. */
export function OfflineBanner() {
  const { connection } = usePage();
  const isOffline = connection.state.value === 'offline';
  const now = useNow(1000, isOffline);
  if (!isOffline) return null;
  const { value: nextTry = now } = connection.nextTry;
  const seconds = Math.max(1, Math.ceil((nextTry - now) / 1000));
  return (
    <div class="offline-banner">
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
