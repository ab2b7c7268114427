import { CircleAlert, Unplug } from 'lucide';
import { Banner } from '../controls/banner.tsx';
import { Button } from '../controls/button.tsx';
import { usePage } from '../page-context.ts';
import { useNow } from '../shell/use-now.ts';
import { toFailureText } from '../text/failure-text.ts';
import { formatDuration, text } from '../text/text.ts';

/** Over what was read before the bridge stopped to answer: why it does not change, and how old it is. */
export function StaleBanner() {
  const { connection, diagnostics } = usePage();
  const { value: reading } = diagnostics.latest;
  const { value: error } = diagnostics.error;
  const isOffline = connection.state.value === 'offline';
  const isStale = reading !== undefined && (isOffline || error !== undefined);
  const now = useNow(5000, isStale);
  if (!isStale) return null;
  const age = formatDuration(Math.max(1000, now - reading.at));
  const title =
    isOffline || error === undefined ? text('gallery.offline') : toFailureText(error, now).title;
  return (
    <Banner
      icon={isOffline ? Unplug : CircleAlert}
      title={title}
      detail={text('system.stale', { age })}
    >
      <Button onClick={isOffline ? connection.probe : () => void diagnostics.read()}>
        {text('gallery.offline.try')}
      </Button>
    </Banner>
  );
}
