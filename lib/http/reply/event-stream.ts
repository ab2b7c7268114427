import { toBridgeError } from '../../errors/bridge-error.ts';
import { toErrorBody } from '../../errors/error-body.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { HttpSettings } from '../http-event.ts';
import { encodeJsonWithBytes, type Frame } from './encode-json.ts';

/** The data of one event. `type` is the name of the event. All `ByteParts` are sent as base64. */
export interface StreamedEvent {
  readonly type: string;
}

/** An event, an event with an id, or only an id. The reader resumes the stream after the last received id. */
export type StreamItem = StreamedEvent | { readonly id: string; readonly event?: StreamedEvent };

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly requestId: string;
  readonly log?: HttpSettings['log'] | undefined;
}

/** The headers of every event stream, which proxies must not store or buffer. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(': heartbeat\n\n');

/**
 * Encodes events as `text/event-stream` (WHATWG HTML, section 9.2) at the pace of the reader. Resolves at the first event or the
 * first heartbeat. Rejects if the events fail earlier. A later failure becomes the last event.
 */
export async function openEventStream(
  events: AsyncIterable<StreamItem>,
  deps: Deps,
): Promise<AsyncIterable<Uint8Array>> {
  const iterator = events[Symbol.asyncIterator]();
  const next = iterator.next();
  return write(iterator, { next, result: await beforeHeartbeat(next, deps.clock) }, deps);
}

/** Returns the text before and after the JSON line of an event. */
export function eventFrame({ type }: StreamedEvent, id?: string): Frame {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return { before: `${idLine}event: ${type}\ndata: `, after: '\n\n' };
}

type Result = IteratorResult<StreamItem>;

async function* write(
  iterator: AsyncIterator<StreamItem>,
  first: { readonly next: Promise<Result>; readonly result: Result | undefined },
  { clock, ids, requestId, log }: Deps,
): AsyncGenerator<Uint8Array> {
  let { next, result } = first;
  try {
    while (!result?.done) {
      if (result) {
        yield* encoded(result.value, ids);
        // The next event is requested after the previous event was sent, so that a slow reader skips intermediate states.
        next = iterator.next();
      } else yield HEARTBEAT;
      result = await beforeHeartbeat(next, clock);
    }
  } catch (thrown) {
    log?.failure(thrown, { requestId });
    const failure = { type: 'error', ...toErrorBody(toBridgeError(thrown), requestId) };
    yield* encoded(failure, ids);
  } finally {
    await iterator.return?.();
  }
}

/** Resolves with the result, or with undefined if the next heartbeat is due first. */
function beforeHeartbeat<T>(next: Promise<T>, clock: Deps['clock']): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(HEARTBEAT_MS, () => resolve(undefined));
    next.then(resolve, reject).finally(cancel);
  });
}

async function* encoded(item: StreamItem, ids: Deps['ids']): AsyncGenerator<Uint8Array> {
  const { id, event } = 'type' in item ? { id: undefined, event: item } : item;
  if (!event) {
    // A block without data only sets the last event id. The comment `: open` is for readers that do not expect such a block.
    yield Buffer.from(`: open\nid: ${id}\n\n`);
    return;
  }
  const { body } = encodeJsonWithBytes(event, ids.newOpaqueId(), eventFrame(event, id));
  if (body instanceof Uint8Array) yield body;
  else yield* body;
}
