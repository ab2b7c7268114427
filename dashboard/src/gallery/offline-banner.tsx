import { Unplug } from 'lucide';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import './offline-banner.css';

/** While the bridge does not answer: what was loaded stays, and this says why nothing changes. */
export function OfflineBanner() {
  const { connection } = usePage();
  if (connection.state.value !== 'offline') return null;
  return (
    <div class="offline-banner" role="alert">
      <Icon of={Unplug} class="bad" />
      <div class="grow">
        <p>
          <b>{text('gallery.offline')}</b>
        </p>
        <p>{text('gallery.offline.text')}</p>
      </div>
      <Button onClick={connection.probe}>{text('gallery.offline.try')}</Button>
    </div>
  );
}
