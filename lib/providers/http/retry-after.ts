const SECONDS = /^\d{1,9}$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses `Retry-After` (RFC 9110, section 10.2.3), which is either a number of seconds or a date. Returns milliseconds
 * from now, or undefined for any other value.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return Number(text) * 1000;
  const atMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** Returns the value of a header by its lower-case name. */
type Header = (name: string) => string | undefined;

// The units of OpenAI's rate limits. Compatible servers use the same names.
const COUNTED = ['requests', 'tokens', 'images', 'input-images'];

const MILLISECONDS = /^\d{1,12}(\.\d{1,9})?$/;
const DURATION = /^(\d{1,9}(\.\d{1,9})?(ms|[dhms]))+$/;
const DURATION_PART = /(\d+(?:\.\d+)?)(ms|[dhms])/g;
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Returns how many milliseconds a server asks its client to wait: `retry-after-ms`, else `retry-after`, else the
 * longest reset time of the exhausted `x-ratelimit-*` limits. Returns undefined if the response has none of these
 * headers.
 */
export function waitMsOf(header: Header, nowMs: number): number | undefined {
  const exact = header('retry-after-ms')?.trim() ?? '';
  if (MILLISECONDS.test(exact)) return Math.ceil(Number(exact));
  return retryAfterMs(header('retry-after'), nowMs) ?? resetMs(header);
}

function resetMs(header: Header): number | undefined {
  const waits = COUNTED.filter((what) => header(`x-ratelimit-remaining-${what}`)?.trim() === '0')
    .map((what) => durationMs(header(`x-ratelimit-reset-${what}`)?.trim() ?? ''))
    .filter((waitMs) => waitMs !== undefined);
  return waits.length > 0 ? Math.max(...waits) : undefined;
}

/** Parses a duration such as `6m0s` or `12ms`. Returns milliseconds, or undefined for any other text. */
function durationMs(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const parts = [...text.matchAll(DURATION_PART)];
  return Math.ceil(
    parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_MS[unit] ?? 0), 0),
  );
}
