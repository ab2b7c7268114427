import { Unplug } from 'lucide';
import { Banner } from '../controls/banner.tsx';
import { Button } from '../controls/button.tsx';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import './offline-banner.css';

/** While the bridge does not answer: what was loaded stays, and this says why nothing changes. */
export function OfflineBanner() {
  const { connection } = usePage();
  if (connection.state.value !== 'offline') return null;
  return (
    <div class="offline-banner">
      <Banner icon={Unplug} title={text('gallery.offline')} detail={text('gallery.offline.text')}>
        <Button onClick={connection.probe}>{text('gallery.offline.try')}</Button>
      </Banner>
    </div>
  );
}
