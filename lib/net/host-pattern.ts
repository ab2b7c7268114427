/**
 * Returns true if a host equals one of the patterns, or is a subdomain of a pattern that begins with `*.`. The host is in the form
 * of `URL.hostname`. Settings contain only exact hosts; only services that the bridge knows have suffixes.
 */
export function matchesHost(hostname: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const lower = pattern.toLowerCase();
    return lower.startsWith('*.') ? hostname.endsWith(lower.slice(1)) : hostname === lower;
  });
}
