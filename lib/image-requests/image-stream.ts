import type { ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import type { StreamEventWithBytes } from '../contract/reply/stream-events.ts';
import type { VerifiedEvent } from '../generation/events/generation-event.ts';
import { plainBytes } from '../generation/finish/plain-bytes.ts';
import type { RunningGeneration } from '../generation/generation.ts';
import type { StartedWork } from '../idempotency/idempotency.ts';
import { completeRun, type ImageRun } from '../runs/image-run.ts';

/** A run whose events its client reads. Its result is committed before it is reported. */
export interface StreamedRun
  extends StartedWork<ImageResponseWithBytes>,
    Pick<RunningGeneration, 'events'> {}

/** What one client gets: all events of its own run, of another's the beginning and the end. */
export interface Subscription extends StartedWork<ImageResponseWithBytes> {
  readonly own: StreamedRun | undefined;
}

/** Starts the run under `signal`. Its events end early when `client` disconnects, who may leave it running. */
export function startStreamed(
  run: ImageRun<ImageResponseWithBytes>,
  signal: AbortSignal,
  client: AbortSignal,
): StreamedRun {
  const { started, events, ignoreEvents, result: made } = run.start(signal);
  if (client.aborted) ignoreEvents();
  else client.addEventListener('abort', ignoreEvents, { once: true });
  const result = completeRun(run, signal, made);
  // A client that was refused does not read it.
  result.catch(() => {});
  return { started, events, result };
}

/** The events of one client, from the first to the last. Rejects where the work fails: there is no last event then. */
export async function* toStreamEvents(
  first: Omit<Extract<StreamEventWithBytes, { type: 'started' }>, 'type'>,
  { own, result }: Subscription,
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
