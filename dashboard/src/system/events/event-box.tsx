import { useState } from 'preact/hooks';
import type { ApiEvent, Diagnostics } from '../../api/schemas.ts';
import { Button } from '../../controls/button.tsx';
import { ScrollRegion } from '../../controls/scroll-region.tsx';
import { usePage } from '../../page-context.ts';
import { formatTimeWithSeconds, text } from '../../text/text.ts';
import { durationShare, toClass } from '../activity/reply-bars.ts';
import { Box } from '../box.tsx';
import '../table.css';
import './event-box.css';

const FEW = 10;
/** The maximum number of events that the bridge keeps. */
const MANY = 256;

/** Lists the latest requests to the bridge, without the requests that this page polls. */
export function EventBox({ events }: { readonly events: Diagnostics['events'] }) {
  const { value: known } = usePage().activity.events;
  const [isLong, setLong] = useState(false);
  const shown = known.slice(0, isLong ? MANY : FEW);
  const counts = (
    <span class="num faint">
      {text('system.events.kept', { kept: known.length, overwritten: events.overwritten })}
    </span>
  );
  return (
    <Box id="events" class="event-box" title={text('system.events.title')} end={counts}>
      {known.length === 0 ? (
        <p class="none">{text('system.events.none')}</p>
      ) : (
        <EventTable events={shown} />
      )}
      {known.length > FEW && (
        <Button look="quiet" size="small" aria-expanded={isLong} onClick={() => setLong(!isLong)}>
          {isLong
            ? text('action.showFewer')
            : text('system.events.all', { count: Math.min(known.length, MANY) })}
        </Button>
      )}
    </Box>
  );
}

function EventTable({ events }: { readonly events: readonly ApiEvent[] }) {
  return (
    <ScrollRegion class="table-wrap" label={text('system.events.title')}>
      <table class="num">
        <thead>
          <tr>
            <th scope="col">{text('system.events.time')}</th>
            <th scope="col">{text('system.events.method')}</th>
            <th scope="col">{text('system.events.route')}</th>
            <th scope="col" class="end">
              {text('system.events.status')}
            </th>
            <th scope="col" class="end">
              {text('system.events.duration')}
            </th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <EventRow key={`${event.timestamp_ms}-${event.sequence}`} event={event} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

const LOOKS = { ok: '', client: 'warn', server: 'bad' } as const;

function EventRow({ event }: { readonly event: ApiEvent }) {
  const { timestamp_ms, method, route, status, duration_ms } = event;
  return (
    <tr>
      <td class="soft">{formatTimeWithSeconds(timestamp_ms)}</td>
      <td>{method}</td>
      <td>{route}</td>
      <td class={`end ${LOOKS[toClass(status)]}`}>{status}</td>
      <td class="end">
        {duration_ms < 1
          ? text('system.events.short')
          : text('system.events.ms', { ms: Math.round(duration_ms) })}
        <span class="lag" aria-hidden="true">
          <i style={{ inlineSize: `${durationShare(duration_ms) * 100}%` }} />
        </span>
      </td>
    </tr>
  );
}
