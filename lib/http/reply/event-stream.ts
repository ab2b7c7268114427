import { toBridgeError } from '../../errors/bridge-error.ts';
import { toErrorBody } from '../../errors/error-body.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { HttpSettings } from '../http-event.ts';
import { encodeJsonWithBytes, type Frame } from './encode-json.ts';

/** The data of one event, whose name is its type. Members that are `Uint8Array`s are sent as base64. */
export interface StreamedEvent {
  readonly type: string;
}

/** An event under an id, or an id alone, which changes where its reader would resume. */
export interface IdentifiedEvent {
  readonly id: string;
  readonly event?: StreamedEvent;
}

/** What a stream is made of. */
export type StreamItem = StreamedEvent | IdentifiedEvent;

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly requestId: string;
  readonly log?: HttpSettings['log'] | undefined;
}

/** The headers of every event stream: proxies may neither store nor buffer it. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(': heartbeat\n\n');

/**
 * Events as a body of `text/event-stream` (WHATWG HTML, 9.2), at the pace of its reader. Resolves with the first event,
 * or when the first heartbeat is due. A failure before that rejects; a later one becomes the last event.
 */
export async function openEventStream(
  events: AsyncIterable<StreamItem>,
  deps: Deps,
): Promise<AsyncIterable<Uint8Array>> {
  const iterator = events[Symbol.asyncIterator]();
  const next = iterator.next();
  return write(iterator, { next, result: await beforeHeartbeat(next, deps.clock) }, deps);
}

/** The text around an event's one line of JSON. */
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
        // Requested only now, so that a slow reader can skip what came in the meantime.
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

/** Undefined when the next heartbeat is due first. */
function beforeHeartbeat<T>(next: Promise<T>, clock: Deps['clock']): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(HEARTBEAT_MS, () => resolve(undefined));
    next.then(resolve, reject).finally(cancel);
  });
}

async function* encoded(item: StreamItem, ids: Deps['ids']): AsyncGenerator<Uint8Array> {
  const { id, event } = 'type' in item ? { id: undefined, event: item } : item;
  if (!event) {
    // Without data no event is dispatched, but the id is taken. The comment is for readers that expect no such block.
    yield Buffer.from(`: open\nid: ${id}\n\n`);
    return;
  }
  const { body } = encodeJsonWithBytes(event, ids.newOpaqueId(), eventFrame(event, id));
  if (body instanceof Uint8Array) yield body;
  else yield* body;
}
