import { headerEdges } from '../images/container/containers.ts';
import { type ImageEngine, uprightEdges, type VerifiedImage } from '../images/image.ts';
import { badInput, checkMask, isSameType } from './bad-input.ts';
import { placeOnCanvas } from './canvas.ts';
import { type InputSet, type InputSource, toList } from './input-source.ts';
import type { InputContext, InputLoader } from './load-input.ts';

interface Deps {
  readonly engine: Pick<ImageEngine, 'forScope'>;
  readonly loader: InputLoader;
  readonly limits: {
    readonly max_bytes_each: number;
    readonly max_bytes_total: number;
    /** `images.max_request_pixels`. */
    readonly max_request_pixels: number;
    /** `images.max_pixels`. */
    readonly max_pixels: number;
    /** `images.max_edge`. */
    readonly max_edge: number;
  };
}

const NOTHING = Buffer.alloc(0);

export type InputVerifier = ReturnType<typeof createInputVerifier>;

/** Creates the verifier that loads and decodes every image of a request once, for all attempts of the request. */
export function createInputVerifier({ engine, loader, limits }: Deps) {
  /**
   * Loads all images one after the other. Each image may use only the remaining part of the total limit, so the bytes in memory
   * never exceed the total.
   */
  async function loadAll(
    sources: readonly InputSource[],
    context: InputContext,
  ): Promise<readonly Buffer[]> {
    const loaded: Buffer[] = [];
    let left = limits.max_bytes_total;
    for (const source of sources) {
      context.signal.throwIfAborted();
      const bytes = await loader.load(source, Math.min(limits.max_bytes_each, left), context);
      left -= bytes.length;
      loaded.push(bytes);
    }
    return loaded;
  }

  async function verifyOne(
    { field, declaredMediaType }: InputSource,
    bytes: Buffer,
    { scope, signal }: InputContext,
  ): Promise<VerifiedImage> {
    const inspection = await engine.forScope(scope).inspect(bytes, signal);
    if (!inspection.ok) throw badInput(field, field, inspection.fault);
    const actual = `image/${inspection.image.format}`;
    if (declaredMediaType !== undefined && !isSameType(declaredMediaType, actual)) {
      throw badInput(field, field, 'media_type_mismatch');
    }
    return inspection.image;
  }

  /** Loads and verifies all images. Waits for all images, so that the same request always fails at the same image. */
  async function verifyAll(
    sources: readonly InputSource[],
    context: InputContext,
  ): Promise<readonly VerifiedImage[]> {
    const loaded = await loadAll(sources, context);
    refuseTooManyPixels(sources, loaded, limits);
    const outcomes = await Promise.allSettled(
      sources.map((source, index) => verifyOne(source, loaded[index] ?? NOTHING, context)),
    );
    return outcomes.flatMap((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  return {
    /**
     * Loads all images in the order of the request, then decodes all images. Throws `input` for the first image that cannot be
     * loaded or is too long, otherwise for the first image that takes the total number of pixels above the limit, otherwise for
     * the first invalid image. Throws `artifact` if a file of the bridge is missing or was changed.
     */
    async verify(
      sources: InputSet<InputSource>,
      context: InputContext,
    ): Promise<InputSet<VerifiedImage>> {
      const { images, mask, references } = sources;
      const all = await verifyAll(toList(sources), context);
      const [given, ...others] = all.slice(0, images.length);
      const [source] = images;
      const placed = given && source && (await place(source, given, { engine, limits }, context));
      const verified = {
        images: placed ? [placed.image, ...others] : [],
        references: all.slice(all.length - references.length),
      };
      const verifiedMask = mask ? all[images.length] : placed?.mask;
      if (!verifiedMask) return verified;
      const [image] = verified.images;
      checkMask(
        { hasAlpha: verifiedMask.alpha !== 'none', upright: uprightEdges(verifiedMask) },
        image && uprightEdges(image),
      );
      return { ...verified, mask: verifiedMask };
    },
  };
}

/**
 * Throws `input` for the first image that takes the total number of pixels, according to the image headers, above
 * `max_request_pixels`. An image with an unreadable header is rejected later.
 */
function refuseTooManyPixels(
  sources: readonly InputSource[],
  loaded: readonly Buffer[],
  limits: Pick<Deps['limits'], 'max_request_pixels'>,
): void {
  let pixels = 0;
  for (const [index, { field }] of sources.entries()) {
    const edges = headerEdges(loaded[index] ?? NOTHING);
    if (edges) pixels += edges.width * edges.height;
    if (pixels <= limits.max_request_pixels) continue;
    throw badInput(field, field, 'too_many_pixels_in_request', {
      limit: 'images.max_request_pixels',
      max_pixels: limits.max_request_pixels,
    });
  }
}

/** Crops or extends the first image to its canvas. The result is limited like an image that was sent. */
async function place(
  source: InputSource,
  image: VerifiedImage,
  { engine, limits }: Pick<Deps, 'engine' | 'limits'>,
  { scope, signal }: InputContext,
) {
  const tools = engine.forScope(scope);
  const placed = await placeOnCanvas(source, image, { tools, limits, signal });
  if (placed.image.bytes.length <= limits.max_bytes_each) return placed;
  throw badInput(`${source.field}.canvas`, source.field, 'too_many_bytes');
}
