import type { CheckedImage, ImageTools, MaskedSource } from '../images/image.ts';
import { createNotifier } from '../platform/notifier.ts';
import type { ProviderEvent } from '../providers/provider-port.ts';
import { putBack } from './emulated-mask.ts';

export type GenerationStage =
  | 'queued'
  | 'preparing'
  | 'dispatched'
  | 'generating'
  | 'verifying'
  | 'publishing';

interface ProgressEvent {
  readonly type: 'progress';
  readonly stage: GenerationStage;
  readonly index?: number;
}

type PartialImageEvent = Extract<ProviderEvent, { type: 'partial_image' }> & {
  /** The source and the mask to composite with the partial image. Absent unless the mask is emulated. */
  readonly masked?: MaskedSource;
};

/** An event of a running generation. An index is the position of an output in the request. */
export type GenerationEvent = ProgressEvent | PartialImageEvent;

/** An event for clients. If the event has an image, the image has been decoded completely. */
export type VerifiedEvent =
  | ProgressEvent
  | {
      readonly type: 'partial_image';
      readonly index: number;
      readonly partialIndex: number;
      readonly image: CheckedImage;
    };

/**
 * Returns a function that forwards events to `onEvent`. Forwards at most `asked` partial images of each output, because a
 * provider may send more than requested. Adds `masked` to each partial image.
 */
export function limitPartials(
  asked: number,
  onEvent: (event: GenerationEvent) => void,
  masked?: MaskedSource,
): (event: GenerationEvent) => void {
  const passed = new Map<number, number>();
  return (event) => {
    if (event.type === 'progress') {
      onEvent(event);
      return;
    }
    const before = passed.get(event.index) ?? 0;
    if (before >= asked) return;
    passed.set(event.index, before + 1);
    onEvent(masked ? { ...event, masked } : event);
  };
}

const MAX_WAITING = 64;
/**
 * The maximum size of all waiting partial images, in bytes. An image above the limit is queued only while no other event waits.
 */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/**
 * Creates a bounded queue of events for one reader. The writer is never blocked. If the reader is slow, the queue first discards
 * events that later events supersede.
 */
export function createEventQueue() {
  const waiting: GenerationEvent[] = [];
  const changes = createNotifier();
  let hasEnded = false;

  async function* read(): AsyncGenerator<GenerationEvent> {
    for (;;) {
      const event = waiting.shift();
      if (event) yield event;
      else if (hasEnded) return;
      else await changes.wait();
    }
  }

  /** Ends the queue after the waiting events, which the reader still receives. */
  function end(): void {
    hasEnded = true;
    changes.notify();
  }

  return {
    push(event: GenerationEvent): void {
      if (hasEnded) return;
      waiting.push(event);
      while (isTooMuch(waiting)) waiting.splice(indexToDiscard(waiting), 1);
      changes.notify();
    },
    end,
    /** Discards the waiting events and all later events, and ends the reader. */
    discard(): void {
      waiting.length = 0;
      end();
    },
    events: { [Symbol.asyncIterator]: read },
  };
}

function isTooMuch(waiting: readonly GenerationEvent[]): boolean {
  const bytesOf = (event: GenerationEvent) => ('bytes' in event ? event.bytes.length : 0);
  const bytes = waiting.reduce((sum, event) => sum + bytesOf(event), 0);
  return waiting.length > MAX_WAITING || (waiting.length > 1 && bytes > MAX_WAITING_BYTES);
}

/** Returns the index of the oldest event that a later event supersedes, or of the oldest event if none is superseded. */
function indexToDiscard(waiting: readonly GenerationEvent[]): number {
  const superseded = waiting.findIndex(({ type, index }, position) =>
    waiting.slice(position + 1).some((later) => later.type === type && later.index === index),
  );
  return Math.max(superseded, 0);
}

interface Deps {
  readonly engine: Pick<ImageTools, 'check' | 'composite'>;
}

const PNG = { format: 'png' } as const;

/** Creates a filter that passes on only partial images that decode completely. */
export function createVerifyPartials({ engine }: Deps) {
  async function inspected(bytes: Buffer, signal: AbortSignal): Promise<CheckedImage | undefined> {
    const inspection = await engine.check(bytes, signal);
    return inspection.ok ? inspection.image : undefined;
  }

  /** Resolves with the verified image, or undefined if the image is invalid or the verification was stopped. */
  async function validImage(
    bytes: Buffer,
    masked: MaskedSource | undefined,
    signal: AbortSignal,
  ): Promise<CheckedImage | undefined> {
    try {
      const image = await inspected(bytes, signal);
      if (!image || !masked) return image;
      return await inspected(await putBack(engine, image, masked, PNG, signal), signal);
    } catch {
      // The reader has stopped, or the app is closing. A partial image must not fail the generation.
      return undefined;
    }
  }

  /**
   * Yields the same events in the same order, without invalid partial images. An image is verified when the reader asks for the
   * event. Images that a slow reader skips are therefore not verified.
   */
  return async function* verified(
    events: AsyncIterable<GenerationEvent>,
    signal: AbortSignal,
  ): AsyncGenerator<VerifiedEvent> {
    for await (const event of events) {
      if (event.type === 'progress') {
        yield event;
        continue;
      }
      const { type, index, partialIndex, bytes, masked } = event;
      const image = await validImage(bytes, masked, signal);
      if (image) yield { type, index, partialIndex, image };
    }
  };
}
