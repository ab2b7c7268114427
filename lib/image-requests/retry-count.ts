/** The value of `x-stainless-retry-count`; undefined when there is none that is a count, and the header means nothing then. */
export function toRetryCount(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}
