/** One picture of a request before anybody looked at its pixels. `field` is where the request names it. */
export interface InlineSource {
  readonly kind: 'inline';
  readonly field: string;
  readonly bytes: Buffer;
  /** What the caller says the bytes are, in lower case; compared, never believed. */
  readonly declaredMediaType?: string;
}

/** Where a request's picture comes from. */
export type InputSource = InlineSource;
