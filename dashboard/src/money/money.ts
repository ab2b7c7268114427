/** Formats a decimal amount in US dollars with two significant digits or cents, for example $0.16, $0.0042 or $12.40. */
export function formatDollars(amount: string): string {
  const dollars = Number(amount);
  const digits = dollars > 0 && dollars < 0.1 ? { maximumSignificantDigits: 2 } : {};
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', ...digits }).format(
    dollars,
  );
}
