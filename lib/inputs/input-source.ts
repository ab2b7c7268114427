import type { OutputFormat } from '../contract/request/parameters.ts';
import type { VerifiedImage } from '../images/image.ts';
import { uprightEdges } from '../images/upright-edges.ts';

/** In pixels. */
export interface Edges {
  readonly width: number;
  readonly height: number;
}

interface Named {
  /** The field of the request that holds the image; errors name it. */
  readonly field: string;
  /** The media type that the client declares, in lower case. It is only compared with the actual one. */
  readonly declaredMediaType?: string;
}

/** Bytes that came with the request. */
export interface InlineSource extends Named {
  readonly kind: 'inline';
  readonly bytes: Buffer;
}

/** An image that this bridge has generated for the same scope. */
export interface ArtifactSource extends Named {
  readonly kind: 'artifact';
  readonly artifactId: string;
}

/** An image to be fetched. */
export interface RemoteSource extends Named {
  readonly kind: 'remote';
  readonly url: string;
}

/** An image of a job, kept since its `POST`. */
export interface StoredSource extends Named {
  readonly kind: 'stored';
  readonly sha256: string;
  readonly byteLength: number;
}

/** One image of a request, not loaded or verified yet. */
export type InputSource = InlineSource | ArtifactSource | RemoteSource | StoredSource;

/** An image of which only facts are known; for a plan. */
export interface DescribedSource extends Named {
  readonly kind: 'described';
  /** Of the encoded image. */
  readonly byteLength: number;
  readonly format?: OutputFormat;
  /** In pixels, rotated by EXIF. */
  readonly upright?: Edges;
}

/** One image of a request that is only planned. */
export type PlannedSource = InputSource | DescribedSource;

/** The images of one request, by the field that holds them. */
export interface InputSet<T> {
  readonly images: readonly T[];
  readonly mask?: T;
  readonly references: readonly T[];
}

/** What is known of an image of a request. */
export interface InputFacts {
  /** Of the encoded image; 0 where it is not known. */
  readonly byteLength: number;
  /** In pixels, rotated by EXIF. */
  readonly upright?: Edges;
  /** Only of a decoded image. */
  readonly alpha?: VerifiedImage['alpha'];
}

/** In the order of the request: the images, the mask, the references. */
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

/** Its length in bytes if that is known before it is loaded, else 0. */
export function knownBytes(source: PlannedSource): number {
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
