import { splitHeader } from '../platform/header-text.ts';

/** The content codings of stored files, best first. */
export const CODINGS = ['br', 'gzip'] as const;

export type Coding = (typeof CODINGS)[number];

/**
 * Returns the best offered coding that `Accept-Encoding` allows, or undefined if none is allowed (RFC 9110, section 12.5.3).
 * As in nginx, a weight of 0 forbids a coding and all other weights are equal.
 */
export function acceptedCoding(
  header: string | undefined,
  offered: readonly Coding[],
): Coding | undefined {
  const allowed = new Map(
    splitHeader((header ?? '').toLowerCase(), ',').map((item) => {
      const [coding = '', ...parameters] = splitHeader(item, ';');
      return [coding, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))] as const;
    }),
  );
  return CODINGS.find(
    (coding) => offered.includes(coding) && (allowed.get(coding) ?? allowed.get('*') ?? false),
  );
}
