import { splitHeader } from '../platform/header-text.ts';

/** Content codings that files are stored in, the best first. */
export const CODINGS = ['br', 'gzip'] as const;

export type Coding = (typeof CODINGS)[number];

/**
 * The best of these codings that `Accept-Encoding` allows, or undefined for none (RFC 9110, 12.5.3). As in nginx, a weight
 * only says whether a coding is allowed.
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
