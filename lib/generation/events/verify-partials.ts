import type { ImageEngine, VerifiedImage } from '../../images/image.ts';
import type { GenerationEvent, VerifiedEvent } from './generation-event.ts';

interface Deps {
  readonly engine: Pick<ImageEngine, 'inspect'>;
}

/** Lets no image out that was not decoded to its end. */
export function createVerifyPartials({ engine }: Deps) {
  /** Undefined for one that is not sound, and when there was no time to find out. */
  async function soundImage(
    bytes: Buffer,
    signal: AbortSignal,
  ): Promise<VerifiedImage | undefined> {
    try {
      const inspection = await engine.inspect(bytes, signal);
      return inspection.ok ? inspection.image : undefined;
    } catch {
      // The reader has left, or the house is closing: an image that is only passing by is no reason to fail.
      return undefined;
    }
  }

  /**
   * The same events in the same order, but for partial images that are not sound. One image at a time, and none before
   * it is asked for: what a slow reader skips costs nothing.
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
      const { type, index, partialIndex, bytes } = event;
      const image = await soundImage(bytes, signal);
      if (image) yield { type, index, partialIndex, image };
    }
  };
}
