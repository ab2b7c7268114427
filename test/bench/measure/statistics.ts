export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Returns the value below which `part` of the values lie. Of two middle values, the lower is returned. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

/** Formats the median and the range, for example `0.53 (0.50–0.55)`. */
export function withRange(values: readonly number[]): string {
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(2)} (${least.toFixed(2)}–${greatest.toFixed(2)})`;
}

export function perSecond(rate: number): string {
  return rate >= 10_000
    ? `${(rate / 1000).toFixed(1)}k/s`
    : `${rate.toFixed(rate < 100 ? 1 : 0)}/s`;
}

export function inMs(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
}

export function p50AndP99(times: readonly number[]): string {
  return `p50 ${inMs(median(times))}, p99 ${inMs(percentile(times, 0.99))}`;
}
