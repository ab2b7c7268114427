import { parsePair, splitHeader } from '../../platform/header-text.ts';

/** How long a client is willing to wait before it takes a job instead of the images. */
export interface AsyncPreference {
  /** From 0 to 600; undefined for a client that named none, and gets the job at once. */
  readonly waitSecs: number | undefined;
}

const MAX_WAIT_SECS = 600;

/**
 * The preference for a job that the header `Prefer` states (RFC 7240, section 2); undefined without one. What is unknown or malformed is ignored,
 * and of a repeated preference the first counts, as RFC 7240 demands. A longer wait than the longest is that one.
 */
export function parseAsyncPreference(header: string | undefined): AsyncPreference | undefined {
  const named = new Map<string, string>();
  for (const preference of splitHeader(header ?? '', ',')) {
    // Parameters follow; none of them matters here.
    const [part = ''] = splitHeader(preference, ';');
    const pair = parsePair(part);
    const key = pair?.name.toLowerCase();
    if (key !== undefined && !named.has(key)) named.set(key, pair?.value ?? '');
  }
  if (!named.has('respond-async')) return undefined;
  const wait = named.get('wait') ?? '';
  const waitSecs = /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), MAX_WAIT_SECS) : undefined;
  return { waitSecs };
}

/** The value of `preference-applied`. */
export function toPreferenceApplied({ waitSecs }: AsyncPreference): string {
  return waitSecs === undefined ? 'respond-async' : `respond-async, wait=${waitSecs}`;
}
