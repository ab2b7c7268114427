import type { Page } from 'playwright-core';

interface LatencyEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  /** A time in microseconds. */
  readonly ts: number;
  readonly id2?: { readonly local: string };
  readonly args: {
    readonly event_latency?: { readonly event_type: string; readonly display_trace_id?: number };
  };
}

/** A press, drag or release of the mouse that changed the screen. */
interface SeenInput {
  readonly kind: string;
  /** The time from the event to the frame that shows its effect. */
  readonly milliseconds: number;
  /** The part of this time after the handlers of the event, until the page has rendered the next frame. */
  readonly untilFrameMs: number;
}

/** The part of EventLatency that contains the wait for the next frame and the rendering of the page. */
const UNTIL_FRAME = 'RendererMainFinishedToCommit';

/**
 * Watches the input of a page. `end` resolves with the visible effects and their times, from the browser's own
 * EventLatency.
 */
export async function traceInput(page: Page) {
  const session = await page.context().newCDPSession(page);
  const events: LatencyEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as LatencyEvent[]) {
      if (event.name === 'EventLatency' || event.name === UNTIL_FRAME) events.push(event);
    }
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['input', 'cc', 'benchmark'] },
  });
  return {
    async end(): Promise<readonly SeenInput[]> {
      const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
      await session.send('Tracing.end');
      await complete;
      await session.detach();
      return toSeen(events);
    },
  };
}

/** Pairs the begin and end events. An id is reused after its event has ended. */
function toSeen(events: readonly LatencyEvent[]): readonly SeenInput[] {
  const open = new Map<string, LatencyEvent>();
  const untilFrames = new Map<string, number>();
  return events
    .toSorted((a, b) => a.ts - b.ts)
    .flatMap((event) => {
      const id = `${event.pid} ${event.id2?.local}`;
      const key = `${id} ${event.name}`;
      const begin = open.get(key);
      open.delete(key);
      if (event.ph === 'b') open.set(key, event);
      if (event.ph !== 'e' || begin === undefined) return [];
      const milliseconds = (event.ts - begin.ts) / 1000;
      if (event.name === UNTIL_FRAME) {
        untilFrames.set(id, milliseconds);
        return [];
      }
      const untilFrameMs = untilFrames.get(id) ?? 0;
      untilFrames.delete(id);
      const { event_type: kind, display_trace_id: frame } = begin.args.event_latency ?? {};
      if (kind === undefined || frame === undefined) return [];
      return { kind, milliseconds, untilFrameMs };
    });
}
