/**
 * The terms for the source of an image (IPTC NewsCodes, "Digital Source Type"), without the terms that IPTC has withdrawn.
 */
export const SOURCE_TYPES = [
  'trainedAlgorithmicMedia',
  'compositeWithTrainedAlgorithmicMedia',
  'algorithmicMedia',
  'algorithmicallyEnhanced',
  'composite',
  'compositeCapture',
  'compositeSynthetic',
  'computationalCapture',
  'dataDrivenMedia',
  'digitalCapture',
  'digitalCreation',
  'humanEdits',
  'negativeFilm',
  'positiveFilm',
  'print',
  'screenCapture',
  'virtualRecording',
] as const;

export type SourceType = (typeof SOURCE_TYPES)[number];

const NAMESPACE = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

/** Returns the URL of a term. Files contain URLs, because readers do not complete the names of terms. */
export function toSourceTypeUrl(term: SourceType): string {
  return NAMESPACE + term;
}

/** Returns the term of an image in which pixels with the source `term` were put into another image. */
export function compositeOf(term: SourceType): SourceType {
  return term === 'trainedAlgorithmicMedia' || term === 'compositeWithTrainedAlgorithmicMedia'
    ? 'compositeWithTrainedAlgorithmicMedia'
    : 'compositeSynthetic';
}
