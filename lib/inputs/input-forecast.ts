import type { ArtifactStore } from '../artifacts/artifact-store-port.ts';
import type { PlanInput } from '../contract/request/image-input.ts';
import type { OutputFormat } from '../contract/request/parameters.ts';
import { type Edges, type ImageLimits, overLimits } from '../images/image.ts';
import { badInput, checkMask, isSameType } from './bad-input.ts';
import { checkCanvas, edgesOf, isBeyond } from './canvas.ts';
import {
  type InputFacts,
  type InputSet,
  knownByteLength,
  mapInputs,
  type PlannedSource,
  toList,
} from './input-source.ts';
import { type RequestImages, toPlannedSources } from './to-input-sources.ts';

interface Deps {
  readonly artifacts: Pick<ArtifactStore, 'find'>;
  readonly limits: { readonly max_bytes_each: number; readonly max_bytes_total: number };
  readonly imageLimits: Omit<ImageLimits, 'max_decode_ms'>;
}

/** The facts about an image that are known without its bytes. */
interface ImageFacts {
  /** Length of the encoded image in bytes. 0 if the length is unknown. */
  readonly bytes: number;
  readonly format?: OutputFormat;
  readonly edges?: Edges;
}

export type InputForecast = ReturnType<typeof createInputForecast>;

/**
 * Creates the functions that check the images of a plan. The checks find all errors in loading and decoding that can be found
 * without the bytes.
 */
export function createInputForecast({ artifacts, limits, imageLimits }: Deps) {
  async function factsOf(source: PlannedSource, scope: string): Promise<ImageFacts> {
    if (source.kind === 'artifact') {
      const record = await artifacts.find(scope, source.artifactId);
      if (!record) throw badInput(source.field, source.field, 'unknown_artifact');
      const { bytes, format, width, height } = record;
      return { bytes, format, edges: { width, height } };
    }
    if (source.kind !== 'described') return { bytes: knownByteLength(source) };
    const { byteLength: bytes, format, upright: edges } = source;
    return { bytes, ...(format ? { format } : {}), ...(edges ? { edges } : {}) };
  }

  /** Resolves with the facts about all images. Applies the limits of a real load, in the order of the request. */
  async function allFacts(
    sources: readonly PlannedSource[],
    scope: string,
  ): Promise<ReadonlyMap<PlannedSource, ImageFacts>> {
    const known = new Map<PlannedSource, ImageFacts>();
    let left = limits.max_bytes_total;
    for (const source of sources) {
      const facts = await factsOf(source, scope);
      if (facts.bytes > Math.min(limits.max_bytes_each, left)) {
        throw badInput(source.field, source.field, 'too_many_bytes');
      }
      left -= facts.bytes;
      known.set(source, facts);
    }
    return known;
  }

  function check(
    { field, declaredMediaType }: PlannedSource,
    { bytes, format, edges }: ImageFacts,
  ): void {
    const fault = overLimits({ bytes, ...(edges ?? { width: 0, height: 0 }) }, imageLimits);
    if (fault !== undefined) throw badInput(field, field, fault);
    if (declaredMediaType === undefined || format === undefined) return;
    if (!isSameType(declaredMediaType, `image/${format}`)) {
      throw badInput(field, field, 'media_type_mismatch');
    }
  }

  return {
    /** Returns the images of a request as sources. Throws `input` for the first image with an invalid length or declared type. */
    toSources: (request: RequestImages<PlanInput>): InputSet<PlannedSource> =>
      toPlannedSources(request, limits.max_bytes_each),

    /** Resolves with the known facts about each image. Throws `input` for the first image that is certainly invalid. */
    async measure(sources: InputSet<PlannedSource>, scope: string): Promise<InputSet<InputFacts>> {
      const known = await allFacts(toList(sources), scope);
      for (const [source, facts] of known) check(source, facts);
      if (sources.mask) {
        // JPEG is the only format without alpha.
        const hasAlpha = known.get(sources.mask)?.format !== 'jpeg';
        checkMask({ hasAlpha, upright: uprightOf(sources.mask) }, uprightOf(sources.images[0]));
      }
      const [first] = sources.images;
      if (first) checkCanvas(first, imageLimits);
      const facts = mapInputs(sources, (source) => {
        const upright = uprightOf(source);
        return { byteLength: known.get(source)?.bytes ?? 0, ...(upright ? { upright } : {}) };
      });
      const mask = facts.mask ?? (first && canvasMaskOf(first, known.get(first)));
      return mask ? { ...facts, mask } : facts;
    },
  };
}

/**
 * Returns the dimensions of a described image. The dimensions of an artifact are unknown because its record has no EXIF
 * orientation.
 */
function uprightOf(source: PlannedSource | undefined): Edges | undefined {
  if (source?.canvas) return edgesOf(source.canvas);
  return source?.kind === 'described' ? source.upright : undefined;
}

/**
 * Returns the mask that the bridge makes for a canvas beyond its image, or undefined if there is none. The record of an artifact
 * has no EXIF orientation, so its canvas must be beyond the image in both orientations.
 */
function canvasMaskOf(
  { kind, canvas }: PlannedSource,
  facts: ImageFacts | undefined,
): InputFacts | undefined {
  if (!canvas || !facts?.edges) return undefined;
  const { width, height } = facts.edges;
  const turned = { width: height, height: width };
  const isAlways =
    isBeyond(facts.edges, canvas) && (kind !== 'artifact' || isBeyond(turned, canvas));
  return isAlways ? { byteLength: 0, upright: edgesOf(canvas), alpha: 'some' } : undefined;
}
