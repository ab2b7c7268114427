// Few enough to follow a provider that becomes slower, enough that one run of many images does not count for all.
const REMEMBERED = 16;
// Where nothing is known yet.
const USUAL_MS = 10_000;

export type RecentDurations = ReturnType<typeof createRecentDurations>;

/** How long the latest successful runs of each provider took. Providers are registered, so that they are few. */
export function createRecentDurations() {
  const byProvider = new Map<string, number[]>();
  return {
    note(provider: string, durationMs: number): void {
      const recent = byProvider.get(provider) ?? [];
      byProvider.set(provider, [...recent, durationMs].slice(-REMEMBERED));
    },

    /** Their mean. */
    typicalMs(provider: string): number {
      const recent = byProvider.get(provider);
      if (!recent) return USUAL_MS;
      return recent.reduce((sum, durationMs) => sum + durationMs, 0) / recent.length;
    },
  };
}
