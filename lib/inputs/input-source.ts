import type { CanvasArea } from '../contract/request/image-input.ts';
import type { OutputFormat } from '../contract/request/parameters.ts';
import { type Edges, uprightEdges, type VerifiedImage } from '../images/image.ts';

/** The fields of every source. */
interface SourceFields {
  /** Field of the request that contains the image. Errors name this field. */
  readonly field: string;
  /** Media type declared by the client, in lower case. Used only for a comparison with the actual type. */
  readonly declaredMediaType?: string;
  /** The rectangle to which the image is cropped or extended. */
  readonly canvas?: CanvasArea;
}

/** An image whose bytes are in the request. */
export interface InlineSource extends SourceFields {
  readonly kind: 'inline';
  readonly bytes: Buffer;
}

/** An image that this bridge generated for the same scope. */
export interface ArtifactSource extends SourceFields {
  readonly kind: 'artifact';
  readonly artifactId: string;
}

/** An image to fetch from a URL. */
export interface RemoteSource extends SourceFields {
  readonly kind: 'remote';
  readonly url: string;
}

/** An image of a job, stored when the job was created. */
export interface StoredSource extends SourceFields {
  readonly kind: 'stored';
  readonly sha256: string;
  readonly byteLength: number;
}

/** One image of a request, not loaded or verified yet. */
export type InputSource = InlineSource | ArtifactSource | RemoteSource | StoredSource;

/** An image of a plan. Only facts about the image are known, not its bytes. */
export interface DescribedSource extends SourceFields {
  readonly kind: 'described';
  /** Length of the encoded image. */
  readonly byteLength: number;
  readonly format?: OutputFormat;
  /** Dimensions after the rotation by EXIF. */
  readonly upright?: Edges;
}

/** One image of a plan. */
export type PlannedSource = InputSource | DescribedSource;

/** The images of one request, grouped by the field that contains the images. */
export interface InputSet<T> {
  readonly images: readonly T[];
  readonly mask?: T;
  readonly references: readonly T[];
}

/** The known facts about an image of a request. */
export interface InputFacts {
  /** Length of the encoded image in bytes. 0 if the length is unknown. */
  readonly byteLength: number;
  /** Dimensions after the rotation by EXIF. */
  readonly upright?: Edges;
  /** Kind of alpha. Known only for a decoded image. */
  readonly alpha?: VerifiedImage['alpha'];
}

/** Returns all images in the order of the request: the images, the mask, the references. */
export function toList<T>({ images, mask, references }: InputSet<T>): readonly T[] {
  return [...images, ...(mask === undefined ? [] : [mask]), ...references];
}

export function mapInputs<T, U>(
  { images, mask, references }: InputSet<T>,
  change: (image: T) => U,
): InputSet<U> {
  return {
    images: images.map(change),
    ...(mask === undefined ? {} : { mask: change(mask) }),
    references: references.map(change),
  };
}

export function factsOf(image: VerifiedImage): InputFacts {
  const { bytes, alpha } = image;
  return { byteLength: bytes.length, upright: uprightEdges(image), alpha };
}

/** Returns the length of an image in bytes if it is known before the image is loaded, otherwise 0. */
export function knownByteLength(source: PlannedSource): number {
  switch (source.kind) {
    case 'inline':
      return source.bytes.length;
    case 'stored':
    case 'described':
      return source.byteLength;
    case 'artifact':
    case 'remote':
      return 0;
  }
}
