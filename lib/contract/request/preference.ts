import { parsePair, splitHeader } from '../../platform/header-text.ts';

/** The preference of a client for a job instead of the images. */
export interface AsyncPreference {
  /** The time to wait for the images, from 0 to 600 seconds. If undefined, the job is returned immediately. */
  readonly waitSecs: number | undefined;
}

const MAX_WAIT_SECS = 600;

/**
 * Parses the header `Prefer` (RFC 7240, section 2). Returns undefined if the header does not contain `respond-async`. As RFC 7240
 * requires, unknown and malformed preferences are ignored, and the first of repeated preferences is used.
 */
export function parseAsyncPreference(header: string | undefined): AsyncPreference | undefined {
  const named = new Map<string, string>();
  for (const preference of splitHeader(header ?? '', ',')) {
    // Parameters after the semicolon are ignored.
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

/** Returns the value of the header `preference-applied`. */
export function toPreferenceApplied({ waitSecs }: AsyncPreference): string {
  return waitSecs === undefined ? 'respond-async' : `respond-async, wait=${waitSecs}`;
}
