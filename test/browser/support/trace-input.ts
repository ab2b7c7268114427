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
}

/**
 * Watches the input of a page. `end` resolves with the visible effects and their times, from the browser's own
 * EventLatency.
 */
export async function traceInput(page: Page) {
  const session = await page.context().newCDPSession(page);
  const events: LatencyEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as LatencyEvent[]) {
      if (event.name === 'EventLatency') events.push(event);
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
  return events
    .toSorted((a, b) => a.ts - b.ts)
    .flatMap((event) => {
      const key = `${event.pid} ${event.id2?.local}`;
      const begin = open.get(key);
      open.delete(key);
      if (event.ph === 'b') open.set(key, event);
      const { event_type: kind, display_trace_id: frame } = begin?.args.event_latency ?? {};
      if (event.ph !== 'e' || begin === undefined || kind === undefined || frame === undefined) {
        return [];
      }
      return { kind, milliseconds: (event.ts - begin.ts) / 1000 };
    });
}
