import type { MarkResult } from '../../contract/reply/provenance.ts';
import {
  compositeOf,
  type SourceType,
  toSourceTypeUrl,
} from '../../contract/resources/source-type.ts';
import {
  type CheckedImage,
  type ImageInParts,
  type ImageTools,
  inParts,
  type VerifiedInParts,
} from '../../images/image.ts';
import type { MadeImage } from './treatment.ts';

/** The mark of an image: the source type (IPTC) in its XMP. */
export interface Mark {
  /** `existing`: the image of the provider has the mark. `none`: the image is not marked. */
  readonly result: MarkResult;
  /** URL of the source type. A mark of the provider may be another text. Undefined if the image is not marked. */
  readonly sourceType: string | undefined;
}

const NO_MARK: Mark = { result: 'none', sourceType: undefined };

/** The mark that an image has, and the mark that it gets if it has none. */
export interface MarkPlan {
  readonly present: Mark;
  /** URL of the source type. */
  readonly sourceType: string;
}

/** An image and the mark in its file. The image has a checksum if it was marked while its pixels were decoded. */
export interface MarkedImage {
  readonly image: ImageInParts | VerifiedInParts;
  readonly mark: Mark;
}

/** Matches the URL of a term of the IPTC vocabulary, which the bridge may not know. */
const TERM = /^https?:\/\/cv\.iptc\.org\/newscodes\/digitalsourcetype\/[A-Za-z]{1,64}$/;

interface Marked extends Pick<MadeImage, 'given' | 'image' | 'masked'> {
  /** The source of the generated pixels. */
  readonly sourceType: SourceType;
}

/** Reads the mark of the image of the provider, which stays in effect if the bridge has converted the image. */
export async function planMark(
  { given, image, masked, sourceType }: Marked,
  engine: Pick<ImageTools, 'readSourceType'>,
  signal: AbortSignal,
): Promise<MarkPlan> {
  if (masked) return { present: NO_MARK, sourceType: toSourceTypeUrl(compositeOf(sourceType)) };
  const found = await engine.readSourceType(given, signal);
  if (image === given)
    return { present: toPresent(found), sourceType: toSourceTypeUrl(sourceType) };
  const isTerm = found !== undefined && TERM.test(found);
  return { present: NO_MARK, sourceType: isTerm ? found : toSourceTypeUrl(sourceType) };
}

function toPresent(sourceType: string | undefined): Mark {
  return sourceType === undefined ? NO_MARK : { result: 'existing', sourceType };
}

/**
 * Marks an image. `marked` is the image with its mark, or undefined if the mark must be written. An image that has a mark, or that
 * cannot be marked, stays unchanged. Rejects only with the reason of the signal.
 */
export async function withMark(
  given: { readonly image: CheckedImage; readonly marked: VerifiedInParts | undefined },
  { present, sourceType }: MarkPlan,
  engine: Pick<ImageTools, 'writeXmp'>,
  signal: AbortSignal,
): Promise<MarkedImage> {
  const image = inParts(given.image);
  const unmarked = { image, mark: present };
  if (present.result === 'existing') return unmarked;
  const marked =
    given.marked ?? (await engine.writeXmp(image, { sourceType }, signal).catch(() => undefined));
  signal.throwIfAborted();
  if (marked === undefined || typeof marked === 'string') return unmarked;
  return { image: marked, mark: { result: 'written', sourceType } };
}
