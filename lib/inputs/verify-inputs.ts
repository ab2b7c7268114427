import type { ImageEngine, VerifiedImage } from '../images/image.ts';
import { uprightEdges } from '../images/upright-edges.ts';
import { badInput, isSameType } from './decode-inline.ts';
import type { InputSource } from './input-source.ts';

interface Deps {
  readonly engine: ImageEngine;
  readonly limits: { readonly max_bytes_each: number; readonly max_bytes_total: number };
}

/** The pictures of one request before and after verification, in the places where the request named them. */
export interface InputSet<T> {
  readonly images: readonly T[];
  readonly mask?: T;
  readonly references: readonly T[];
}

export type InputVerifier = ReturnType<typeof createInputVerifier>;

/** Decodes every picture of a request once, for all its attempts. */
export function createInputVerifier({ engine, limits }: Deps) {
  async function verifyOne(source: InputSource, signal: AbortSignal): Promise<VerifiedImage> {
    const { field, bytes, declaredMediaType } = source;
    const inspection = await engine.inspect(bytes, signal);
    if (!inspection.ok) throw badInput(field, field, inspection.fault);
    const actual = `image/${inspection.image.format}`;
    if (declaredMediaType !== undefined && !isSameType(declaredMediaType, actual)) {
      throw badInput(field, field, 'media_type_mismatch');
    }
    return inspection.image;
  }

  /** Waits for all of them, so that the same request always fails at the same picture. */
  async function verifyAll(
    sources: readonly InputSource[],
    signal: AbortSignal,
  ): Promise<VerifiedImage[]> {
    const outcomes = await Promise.allSettled(sources.map((source) => verifyOne(source, signal)));
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  return {
    /** Throws `input` at the first picture that is not sound, or over the limits. */
    async verify(
      sources: InputSet<InputSource>,
      signal: AbortSignal,
    ): Promise<InputSet<VerifiedImage>> {
      checkSizes(sources, limits);
      const { images, mask, references } = sources;
      const all = await verifyAll([...images, ...(mask ? [mask] : []), ...references], signal);
      const verified = {
        images: all.slice(0, images.length),
        references: all.slice(all.length - references.length),
      };
      const verifiedMask = mask && all[images.length];
      if (!verifiedMask) return verified;
      checkMask(verifiedMask, verified.images[0]);
      return { ...verified, mask: verifiedMask };
    },
  };
}

function checkSizes(sources: InputSet<InputSource>, limits: Deps['limits']): void {
  let total = 0;
  const all = [...sources.images, ...(sources.mask ? [sources.mask] : []), ...sources.references];
  for (const { field, bytes } of all) {
    total += bytes.length;
    if (bytes.length > limits.max_bytes_each || total > limits.max_bytes_total) {
      throw badInput(field, field, 'too_many_bytes');
    }
  }
}

/** A mask has an alpha channel and, once turned, the edges of the first picture (contract.md 1). */
function checkMask(mask: VerifiedImage, image: VerifiedImage | undefined): void {
  if (mask.alpha === 'none') throw badInput('mask', 'mask', 'no_alpha_channel');
  if (!image) throw badInput('mask', 'mask', 'no_image_to_mask');
  const [seenMask, seenImage] = [uprightEdges(mask), uprightEdges(image)];
  if (seenMask.width !== seenImage.width || seenMask.height !== seenImage.height) {
    throw badInput('mask', 'mask', 'dimensions_differ');
  }
}
