import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isRightToLeft } from '../../controls/reading-order.ts';
import { formatDate, formatMonth, formatShortDay, text } from '../../text/text.ts';
import { type DaySpan, spanAt } from '../layout/day-spans.ts';
import { spaced, toMarks } from './date-marks.ts';
import './date-rail.css';

interface Props {
  readonly scroller: RefObject<HTMLElement | null>;
  /** The days of the gallery, newest first. */
  readonly spans: readonly DaySpan[];
  /** The height of the gallery, in CSS pixels. */
  readonly height: number;
  /** True if the place of the rail stays reserved while the rail is hidden. */
  readonly keepsPlace: boolean;
}

/** The minimum height of the gallery, in viewport heights, for which the rail is shown. */
const LEAST_SCREENS = 2.5;

/** The height of a mark, in CSS pixels. */
const MARK_PX = 26;

/** Shows the dates of the gallery in proportion to their jobs. A press, a drag and the arrow keys go to a date. */
export function DateRail({ scroller, spans, height, keepsPlace }: Props) {
  const rail = useRef<HTMLDivElement>(null);
  const { scrollTop, viewHeight } = useScroll(scroller, spans);
  const [isDragging, setDragging] = useState(false);
  const isShown = viewHeight > 0 && height > viewHeight * LEAST_SCREENS && spans.length > 1;
  if (!isShown) return keepsPlace ? <i class="rail-place only-wide" /> : null;
  const span = spanAt(spans, scrollTop + 1);
  const index = span === undefined ? 0 : spans.indexOf(span);

  function goTo(top: number): void {
    scroller.current?.scrollTo({ top });
  }

  function drag(event: PointerEvent): void {
    const box = rail.current?.getBoundingClientRect();
    if (box === undefined) return;
    goTo(Math.min(1, Math.max(0, (event.clientY - box.top) / box.height)) * height);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const forward = rail.current !== null && isRightToLeft(rail.current) ? -1 : 1;
    const to = {
      ArrowDown: () => index + 1,
      ArrowRight: () => index + forward,
      ArrowUp: () => index - 1,
      ArrowLeft: () => index - forward,
      PageDown: () => otherMonth(spans, index, 1),
      PageUp: () => otherMonth(spans, index, -1),
      Home: () => 0,
      End: () => spans.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = spans[Math.min(spans.length - 1, Math.max(0, to()))];
    if (next) goTo(next.top);
  }

  return (
    <div
      ref={rail}
      class="date-rail only-wide"
      role="slider"
      tabIndex={0}
      aria-label={text('dates')}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={spans.length - 1}
      aria-valuenow={index}
      aria-valuetext={
        span && text('dates.day', { date: formatDate(span.day / 1000), count: span.count })
      }
      data-dragging={isDragging}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        rail.current?.focus({ preventScroll: true });
        rail.current?.setPointerCapture(event.pointerId);
        setDragging(true);
        drag(event);
      }}
      onPointerMove={(event) => isDragging && drag(event)}
      onPointerUp={() => setDragging(false)}
      onPointerCancel={() => setDragging(false)}
    >
      <Marks spans={spans} height={height} viewHeight={viewHeight} current={span?.day} />
      <span
        class="at num"
        aria-hidden="true"
        style={{ insetBlockStart: `${Math.min(1, scrollTop / (height - viewHeight)) * 100}%` }}
      >
        {span && formatShortDay(span.day)}
      </span>
    </div>
  );
}

interface MarksProps extends Pick<Props, 'spans' | 'height'> {
  readonly viewHeight: number;
  /** The day in the viewport. */
  readonly current: number | undefined;
}

/** Renders the scale with its months and years. */
function Marks({ spans, height, viewHeight, current }: MarksProps) {
  const marks = spaced(toMarks(spans, height), MARK_PX / viewHeight);
  return (
    <>
      <i class="scale" aria-hidden="true" />
      {marks.map(({ day, kind, at }) => (
        <span
          key={day}
          class="month"
          aria-hidden="true"
          style={{ insetBlockStart: `${at * 100}%` }}
          data-current={current !== undefined && isSameMonth(day, current)}
        >
          {kind === 'year' ? new Date(day).getFullYear() : formatMonth(day)}
        </span>
      ))}
    </>
  );
}

/** Returns the index of the newest day in the month after or before the month of a day. */
function otherMonth(spans: readonly DaySpan[], from: number, step: 1 | -1): number {
  const isIn = (at: number, day: number) => isSameMonth(spans[at]?.day ?? day, day);
  let next = from;
  const start = spans[from]?.day ?? 0;
  while (spans[next + step] !== undefined && isIn(next, start)) next += step;
  const found = spans[next]?.day ?? start;
  while (next > 0 && isIn(next - 1, found)) next -= 1;
  return next;
}

function isSameMonth(a: number, b: number): boolean {
  const [one, other] = [new Date(a), new Date(b)];
  return one.getMonth() === other.getMonth() && one.getFullYear() === other.getFullYear();
}

/** Returns the scroll position of the gallery, read at most once per frame and immediately after the days have moved. */
function useScroll(scroller: RefObject<HTMLElement | null>, spans: readonly DaySpan[]) {
  const [at, setAt] = useState({ scrollTop: 0, viewHeight: 0 });
  useLayoutEffect(() => {
    // The gallery adjusts its position after this effect, and before the microtask.
    queueMicrotask(() => {
      const { scrollTop = 0, clientHeight: viewHeight = 0 } = scroller.current ?? {};
      setAt({ scrollTop, viewHeight });
    });
  }, [scroller, spans]);
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    let frame = 0;
    const read = () => {
      frame = 0;
      setAt({ scrollTop: box.scrollTop, viewHeight: box.clientHeight });
    };
    const later = () => {
      frame ||= requestAnimationFrame(read);
    };
    const observer = new ResizeObserver(later);
    observer.observe(box);
    box.addEventListener('scroll', later, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      box.removeEventListener('scroll', later);
    };
  }, [scroller]);
  return at;
}
