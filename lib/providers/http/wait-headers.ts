import { retryAfterMs } from './retry-after.ts';

/** The value of a header, by its name in lower case. */
type Header = (name: string) => string | undefined;

// What OpenAI's limits count; compatible servers use the same names.
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
 * How long a server asks its client to wait, in milliseconds: by `retry-after-ms`, else by `retry-after`, else until the
 * last of the limits that are used up (`x-ratelimit-*`) is renewed. Undefined where it does not say.
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

/** A duration such as `6m0s` or `12ms` in milliseconds; undefined for anything else. */
function durationMs(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const parts = [...text.matchAll(DURATION_PART)];
  return Math.ceil(
    parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_MS[unit] ?? 0), 0),
  );
}
