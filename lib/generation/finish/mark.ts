import type { MarkResult } from '../../contract/reply/provenance.ts';
import {
  compositeOf,
  type SourceType,
  toSourceTypeUrl,
} from '../../contract/resources/source-type.ts';
import type { ImageTools } from '../../images/image.ts';
import type { MadeImage } from './treatment.ts';

/** The mark of an image: the source type (IPTC) in its XMP. */
export interface Mark {
  /** `existing`: the image of the provider has the mark. `none`: the image is not marked. */
  readonly result: MarkResult;
  /** URL of the source type. A mark of the provider may be another text. Undefined if the image is not marked. */
  readonly sourceType: string | undefined;
}

export const NO_MARK: Mark = { result: 'none', sourceType: undefined };

/** The mark that an image has, and the mark that it gets if it has none. */
export interface MarkPlan {
  readonly existing: string | undefined;
  /** URL of the source type. */
  readonly sourceType: string;
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
  if (masked) return { existing: undefined, sourceType: toSourceTypeUrl(compositeOf(sourceType)) };
  const present = await engine.readSourceType(given, signal);
  if (image === given) return { existing: present, sourceType: toSourceTypeUrl(sourceType) };
  const isTerm = present !== undefined && TERM.test(present);
  return { existing: undefined, sourceType: isTerm ? present : toSourceTypeUrl(sourceType) };
}
