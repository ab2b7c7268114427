import type { ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import type { StreamEventWithBytes } from '../contract/reply/stream-events.ts';
import type { VerifiedEvent } from '../generation/events/generation-event.ts';
import { plainBytes } from '../generation/finish/plain-bytes.ts';
import type { RunningGeneration } from '../generation/generation.ts';
import type { StartedWork } from '../idempotency/idempotency.ts';
import { carryOut, type ImageOperation } from '../runs/image-operation.ts';

/** An operation under way whose events somebody reads, and whose result is kept before anybody hears of it. */
export interface StreamedOperation
  extends StartedWork<ImageResponseWithBytes>,
    Pick<RunningGeneration, 'events'> {}

/** What one client hears: of its own work everything, of another's the beginning and the end. */
export interface Heard extends StartedWork<ImageResponseWithBytes> {
  readonly own: StreamedOperation | undefined;
}

/** Starts the work under `signal`; its events end early when `client`, who may leave it running, has left. */
export function startStreamed(
  operation: ImageOperation,
  signal: AbortSignal,
  client: AbortSignal,
): StreamedOperation {
  const { started, events, ignoreEvents, result: made } = operation.start(signal);
  if (client.aborted) ignoreEvents();
  else client.addEventListener('abort', ignoreEvents, { once: true });
  const result = carryOut(operation, signal, made);
  // Whoever was refused does not ask for it.
  result.catch(() => {});
  return { started, events, result };
}

/** The events of one client, from the first to the last. Rejects where the work fails: there is no last event then. */
export async function* toStreamEvents(
  first: Omit<Extract<StreamEventWithBytes, { type: 'started' }>, 'type'>,
  { own, result }: Heard,
): AsyncGenerator<StreamEventWithBytes> {
  yield { type: 'started', ...first };
  if (own) for await (const event of own.events) yield toStreamEvent(event);
  yield { type: 'completed', response: await result };
}

function toStreamEvent(event: VerifiedEvent): StreamEventWithBytes {
  if (event.type === 'progress') return event;
  const { type, index, partialIndex, image } = event;
  const { format, width, height } = image;
  const b64_json = plainBytes(image.bytes);
  return { type, index, partial_index: partialIndex, format, width, height, b64_json };
}
