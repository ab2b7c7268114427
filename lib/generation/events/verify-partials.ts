import type { ImageTools, MaskedSource, VerifiedImage } from '../../images/image.ts';
import { putBack } from '../finish/put-back.ts';
import type { GenerationEvent, VerifiedEvent } from './generation-event.ts';

interface Deps {
  readonly engine: Pick<ImageTools, 'inspect' | 'composite'>;
}

const PNG = { format: 'png' } as const;

/** Passes on only partial images that decode completely. */
export function createVerifyPartials({ engine }: Deps) {
  async function inspected(bytes: Buffer, signal: AbortSignal): Promise<VerifiedImage | undefined> {
    const inspection = await engine.inspect(bytes, signal);
    return inspection.ok ? inspection.image : undefined;
  }

  /** Undefined for an invalid image, and when the verification was ended. */
  async function validImage(
    bytes: Buffer,
    masked: MaskedSource | undefined,
    signal: AbortSignal,
  ): Promise<VerifiedImage | undefined> {
    try {
      const image = await inspected(bytes, signal);
      if (!image || !masked) return image;
      return await inspected(await putBack(engine, image, masked, PNG, signal), signal);
    } catch {
      // The reader has stopped, or the app is closing. A partial image is no reason to fail.
      return undefined;
    }
  }

  /**
   * The same events in the same order, without invalid partial images. An image is verified when the reader asks for it:
   * what a slow reader skips costs nothing.
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
