/** One failure in all its columns (`docs/contract.md`, section 8). */
export interface ErrorRow {
  /** `bridge_ext.code`: the stable name of this kind of failure. */
  readonly bridge: string;
  /** `error.code`, which OpenAI clients evaluate. */
  readonly code: string;
  readonly type: string;
  readonly status: number;
  /** True if the same request may be sent again. A thrower that knows the cause may override the value. */
  readonly retryable: boolean;
  /** Actions that may solve the problem, best first. */
  readonly suggestions: readonly string[];
}
