import { Check, ChevronDown, ChevronsUp, ChevronUp, Ellipsis, Minus, X } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, Icon, IconButton } from '../../controls/button.tsx';
import { Menu, MenuItem, useMenu } from '../../controls/menu.tsx';
import { usePage } from '../../page-context.ts';
import { useNow } from '../../shell/use-now.ts';
import { formatClock, text } from '../../text/text.ts';
import type { QueuePlaces } from './queue-places.ts';

/** The height of a row in pixels, which the style sheet sets. */
const ROW_PX = 52;
/** The number of rendered rows above and below the visible rows. */
const SPARE = 6;
/** The maximum number of rendered rows. */
const MAX_ROWS = 40;

interface Props {
  readonly places: QueuePlaces;
}

/** Lists the waiting jobs in the order of their starts. Only the rows near the viewport are rendered. */
export function WaitingList({ places }: Props) {
  const { value: ids } = places.shown;
  const { value: changes } = places.changes;
  const list = useRef<HTMLOListElement>(null);
  const first = useFirstRow(list, ids.length);
  useCursorInView(places, list);
  if (places.latest.value === undefined) return null;
  if (ids.length === 0) return <p class="queue-empty soft">{text('system.queue.empty')}</p>;
  const beyond = places.latest.value.queued - places.latest.value.waiting.length;
  const rows = ids.slice(first, first + MAX_ROWS);
  return (
    <div
      onPointerEnter={() => places.hold(true)}
      onPointerLeave={({ currentTarget }) =>
        places.hold(currentTarget.contains(document.activeElement))
      }
      onFocusIn={() => places.hold(true)}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        places.hold(isInside || currentTarget.matches(':hover'));
      }}
    >
      <h3 class="row">
        <SelectAll places={places} />
        {text('queue.waiting')}
        <span class="num faint grow">{places.latest.value.queued}</span>
        {changes > 0 && (
          <Button size="small" onClick={places.apply}>
            {text('queue.changes', { count: changes })}
          </Button>
        )}
      </h3>
      <ol
        ref={list}
        style={{
          paddingBlockStart: `${first * ROW_PX}px`,
          paddingBlockEnd: `${(ids.length - first - rows.length) * ROW_PX}px`,
        }}
      >
        {rows.map((id, nth) => (
          <WaitingRow key={id} id={id} nth={first + nth + 1} all={ids.length} places={places} />
        ))}
      </ol>
      {beyond > 0 && <p class="queue-note faint num">{text('queue.more', { count: beyond })}</p>}
    </div>
  );
}

/** Returns the index of the first row to render, which depends on the scroll position. */
function useFirstRow(list: { readonly current: HTMLElement | null }, count: number): number {
  const [first, setFirst] = useState(0);
  useEffect(() => {
    const body = list.current?.closest('.queue-body');
    if (!body) return;
    const measure = () => {
      const { current } = list;
      if (!current) return;
      const above = body.getBoundingClientRect().top - current.getBoundingClientRect().top;
      const top = Math.floor(above / ROW_PX) - SPARE;
      setFirst(Math.max(0, Math.min(top, count - MAX_ROWS)));
    };
    measure();
    body.addEventListener('scroll', measure, { passive: true });
    return () => body.removeEventListener('scroll', measure);
  }, [list, count]);
  return first;
}

/** Scrolls to the row of the cursor when the cursor moves. The row takes the focus as soon as the row is rendered. */
function useCursorInView(
  places: QueuePlaces,
  list: { readonly current: HTMLElement | null },
): void {
  const { value: cursor } = places.cursor.id;
  const previous = useRef(cursor);
  useLayoutEffect(() => {
    const isMoved = previous.current !== undefined && previous.current !== cursor;
    previous.current = cursor;
    const { current } = list;
    const body = current?.closest('.queue-body');
    if (!isMoved || cursor === undefined || !current || !body) return;
    const top = current.offsetTop + places.shown.peek().indexOf(cursor) * ROW_PX;
    const lowest = body.scrollTop + body.clientHeight - ROW_PX;
    if (top < body.scrollTop || top > lowest) body.scrollTop = top - body.clientHeight / 2;
  }, [cursor, list, places]);
}

function SelectAll({ places }: Props) {
  const { value: ids } = places.shown;
  const { value: chosen } = places.chosen;
  const isAll = chosen.size === ids.length;
  return (
    <span class="queue-check">
      <input
        type="checkbox"
        checked={isAll}
        aria-label={text('queue.selectAll', { count: ids.length })}
        onChange={() => {
          places.chosen.value = new Set(isAll ? [] : ids);
        }}
      />
      <i aria-hidden="true">{chosen.size > 0 && <Icon of={isAll ? Check : Minus} small />}</i>
    </span>
  );
}

interface RowProps extends Props {
  readonly id: string;
  /** The number of the row, from 1. */
  readonly nth: number;
  readonly all: number;
}

function WaitingRow({ id, nth, all, places }: RowProps) {
  const { jobs } = usePage();
  const job = jobs.watch(id);
  const place = places.places.value.get(id);
  const isChosen = places.chosen.value.has(id);
  const isCursor = (places.cursor.id.value ?? places.shown.value[0]) === id;
  const box = useRef<HTMLInputElement>(null);
  const isWanted = places.cursor.wanted.value === id;
  useLayoutEffect(() => {
    if (!isWanted) return;
    places.cursor.wanted.value = undefined;
    box.current?.focus({ preventScroll: true });
  }, [isWanted]);
  const prompt = job?.prompt ?? text('queue.job');
  return (
    <li
      class="queue-wait row"
      data-id={id}
      data-chosen={isChosen}
      aria-setsize={all}
      aria-posinset={nth}
    >
      <span class="queue-check">
        <input
          ref={box}
          type="checkbox"
          checked={isChosen}
          tabIndex={isCursor ? 0 : -1}
          aria-label={text('queue.select', { prompt: prompt.slice(0, 60) })}
          onFocus={() => {
            places.cursor.id.value = id;
          }}
          onChange={() => {
            const next = new Set(places.chosen.peek());
            if (!next.delete(id)) next.add(id);
            places.chosen.value = next;
          }}
        />
        <i aria-hidden="true">{isChosen && <Icon of={Check} small />}</i>
      </span>
      <Shape size={job?.size} />
      <div class="grow">
        <p class="cut" dir="auto">
          {prompt}
        </p>
        <p class="soft cut">
          {job?.priority !== undefined && job.priority > 0 && (
            <b>{text('queue.priority', { priority: job.priority })} </b>
          )}
          {place?.owner ?? text('queue.you')}
        </p>
      </div>
      <Start place={place} status={job?.status} />
      <RowMenu id={id} prompt={prompt} isCursor={isCursor} places={places} />
    </li>
  );
}

/** Shows the shape of the planned image. */
function Shape({ size }: { readonly size: string | undefined }) {
  const [width = 1, height = 1] = /^\d+x\d+$/.test(size ?? '')
    ? (size ?? '').split('x').map(Number)
    : [];
  const scale = 18 / Math.sqrt(width * height);
  return (
    <i class="queue-shape" aria-hidden="true">
      <i
        style={{
          inlineSize: `${Math.min(26, Math.max(6, width * scale))}px`,
          blockSize: `${Math.min(26, Math.max(6, height * scale))}px`,
        }}
      />
    </i>
  );
}

interface StartProps {
  readonly place: { readonly position: number; readonly estimated_start?: number } | undefined;
  readonly status: string | undefined;
}

/** Shows the estimated start, or else the position in the queue. */
function Start({ place, status }: StartProps) {
  const now = useNow(1000, place?.estimated_start !== undefined);
  // The row of a job that no longer waits stays until the order may change.
  if (place === undefined || (status !== undefined && status !== 'queued')) {
    return <span class="queue-start faint">{text('queue.gone')}</span>;
  }
  const { position, estimated_start: start } = place;
  const waitMs = start === undefined ? undefined : start * 1000 - now;
  return (
    <span class="queue-start soft num">
      {waitMs === undefined
        ? text('queue.position', { position })
        : waitMs < 1000
          ? text('queue.soon')
          : text('queue.in', { time: formatClock(waitMs + 999) })}
    </span>
  );
}

interface MenuProps extends Props {
  readonly id: string;
  readonly prompt: string;
  readonly isCursor: boolean;
}

function RowMenu({ id, prompt, isCursor, places }: MenuProps) {
  const { isOpen, button, menu } = useMenu();
  const label = text('queue.moveOrCancel', { prompt: prompt.slice(0, 60) });
  return (
    <>
      <IconButton small icon={Ellipsis} label={label} tabIndex={isCursor ? 0 : -1} {...button} />
      {isOpen && (
        <Menu {...menu} label={label} placement="bottom-end">
          <MenuItem icon={ChevronsUp} onChoose={() => void places.move([id], 'first')}>
            {text('queue.first')}
          </MenuItem>
          <MenuItem icon={ChevronUp} onChoose={() => void places.move([id], 'up')}>
            {text('queue.up')}
          </MenuItem>
          <MenuItem icon={ChevronDown} onChoose={() => void places.move([id], 'down')}>
            {text('queue.down')}
          </MenuItem>
          <MenuItem icon={X} onChoose={() => void places.cancel([id])}>
            {text('action.cancel')}
          </MenuItem>
        </Menu>
      )}
    </>
  );
}
